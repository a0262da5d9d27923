//! The gateway: MCP servers behind, MCP clients in front, one envelope for every tool's result.
//!
//! All input and output is here. This crate knows no contract's field names, prints nothing
//! and parses no arguments: what a person should hear goes out as an [`Event`], and [`traced`]
//! hands events to whoever subscribed with `tracing`.
//!
//! A program that uses this crate calls [`dispatch`] first thing in `main`: servers are started
//! under a keeper, which is the same program run again, and so is what works for a pack.
#![forbid(unsafe_code)]

mod admit;
mod backend;
pub mod config;
pub mod downstream;
mod gateway;
mod notifications;
mod protocol;
mod rt;
mod telemetry;
mod upstream;

pub use backend::{Answer, Answered, Failed, Sealed};
pub use config::{
    Address, Config, Hiding, Limits, Member, NoAddress, Offered, OutputCheck, Passthrough, Server,
    Settings, ToolSettings, UnsafeOutput,
};
pub use gateway::Gateway;
pub use protocol::caller::Caller;
pub use protocol::era::{Era, Revision};
pub use protocol::presentation::{Placement, Presentation, Shape, TextMode};
pub use telemetry::event::{Consent, Event, Events, traced};
pub use telemetry::journal;
pub use upstream::Down;

/// Takes over if this process was started by another of the same program, to keep a server or to
/// work for a pack: call it first thing in `main`, with the program's arguments. `Some` is the exit
/// code.
#[must_use]
pub fn dispatch(arguments: impl Iterator<Item = std::ffi::OsString> + Clone) -> Option<u8> {
    manila_process::dispatch(arguments.clone()).or_else(|| manila_pack::dispatch(arguments))
}
