//! A gateway between MCP clients and MCP servers that puts every tool result into one envelope.
//!
//! All input and output is in this crate. It knows no contract's field names, prints nothing and
//! parses no arguments. It reports each [`Event`] to a callback; [`tracing_events`] creates one
//! that forwards events to the `tracing` subscriber.
//!
//! A program that uses this crate calls [`run_if_helper`] first in `main`: the keeper of each
//! server and the worker of each pack are other processes of the same program.
#![forbid(unsafe_code)]

mod admit;
mod backend;
pub mod config;
pub mod downstream;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod gateway;
mod notifications;
mod protocol;
mod rt;
mod telemetry;
mod upstream;

pub use backend::{Answer, CallFailure, Sealed, ServerResponse};
pub use config::{
    Address, AddressError, Config, Limits, NamedServer, OutputCheck, Passthrough, RedactionPolicy,
    Server, Settings, ToolFilter, ToolSettings, UnsafeOutput,
};
pub use gateway::Gateway;
pub use protocol::caller::Caller;
pub use protocol::era::{Era, Revision};
pub use protocol::presentation::{Placement, Presentation, ResultFormat, TextMode};
pub use telemetry::event::{Consent, Event, Events, tracing_events};
pub use telemetry::journal;
pub use upstream::Unavailable;

/// Runs the keeper of a server or the worker of a pack, if another process of the same program
/// started this one for that. Returns the exit code, or `None` if this is a normal start.
///
/// Call it first in `main`, with the program's arguments.
#[must_use]
pub fn run_if_helper(arguments: impl Iterator<Item = std::ffi::OsString> + Clone) -> Option<u8> {
    manila_process::run_if_keeper(arguments.clone())
        .or_else(|| manila_pack::serve_if_requested(arguments))
}
