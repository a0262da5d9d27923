//! Transports for clients: standard input and output, and HTTP in both eras of MCP.
//!
//! A transport parses bytes into requests, passes each to `gateway::dispatch`, and writes the
//! response in the format of the client's era. It knows framing, sessions and streams, but no
//! servers.

pub(crate) mod encode;
pub mod http;
mod open_requests;
mod partial_message;
mod session;
pub mod stdio;
