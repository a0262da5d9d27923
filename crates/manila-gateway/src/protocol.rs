//! MCP itself: framing, messages, the two eras, and who calls.
//!
//! Everything here is about the protocol, whichever side speaks it. Nothing here knows a server, a
//! session or a transport.

pub(crate) mod caller;
pub(crate) mod cancellation;
pub(crate) mod era;
pub(crate) mod frames;
pub(crate) mod host;
pub(crate) mod jsonrpc;
pub(crate) mod modern;
pub(crate) mod naming;
pub(crate) mod origin;
pub(crate) mod own_meta;
pub(crate) mod presentation;
pub(crate) mod skim;
pub(crate) mod trace;
