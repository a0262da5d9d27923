//! Where clients come in: standard input and output, and HTTP in both eras of MCP.
//!
//! A transport reads bytes into requests, hands each to `gateway::dispatch`, and
//! writes what comes back in the words of the client's era. It knows framing, sessions and streams,
//! and nothing of servers.

pub(crate) mod encode;
pub mod http;
mod malformed;
mod open_requests;
mod session;
pub mod stdio;
