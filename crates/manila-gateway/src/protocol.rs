//! The MCP protocol: framing, messages, the two eras, and callers.
//!
//! The modules serve both sides of the gateway. None of them knows a server, a session or a
//! transport.

pub(crate) mod caller;
pub(crate) mod cancellation;
pub(crate) mod era;
pub(crate) mod frames;
pub(crate) mod host;
pub(crate) mod id_scan;
pub(crate) mod jsonrpc;
pub(crate) mod list_kind;
pub(crate) mod meta_keys;
pub(crate) mod method;
pub(crate) mod modern;
pub(crate) mod naming;
pub(crate) mod outgoing;
pub(crate) mod oversized;
pub(crate) mod presentation;
pub(crate) mod request_source;
pub(crate) mod trace;
pub(crate) mod verbatim;
