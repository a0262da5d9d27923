//! The gateway: MCP servers behind, MCP clients in front, one envelope for every tool's result.
//!
//! All input and output is here. This crate knows no contract's field names, prints nothing
//! and parses no arguments: what a person should hear goes out as an [`Event`], and [`traced`]
//! hands events to whoever subscribed with `tracing`.
//!
//! A program that uses this crate calls [`dispatch`] first thing in `main`: servers are started under
//! a keeper, which is the same program run again, and so is what works for a pack.
#![forbid(unsafe_code)]

mod alert;
mod audience;
mod backend;
mod caller;
mod cancellation;
mod clock;
pub mod config;
mod deadlines;
mod era;
mod event;
mod frames;
mod gateway;
mod handle;
mod hiding;
mod host;
pub mod journal;
mod jsonrpc;
mod metrics;
mod naming;
mod own_meta;
mod queue;
pub mod receive;
pub mod sample_server;
mod skim;
mod tools;
mod until;
mod upstream;
mod uris;

pub use backend::{Offered, OutputCheck, Settings, Shape, ToolSettings};
pub use caller::Caller;
pub use config::Config;
pub use era::{Era, Revision};
pub use event::{Consent, Event, Events, traced};
pub use gateway::{Gateway, Member};
pub use handle::{Answer, Answered, Placement, Sealed, Told};
pub use hiding::{Hiding, Passthrough, UnsafeOutput};
pub use upstream::{Address, Down, NoAddress, Server};

/// Takes over if this process was started by another of the same program, to keep a server or to work for
/// a pack: call it first thing in `main`, with the program's arguments. `Some` is the exit code.
#[must_use]
pub fn dispatch(arguments: impl Iterator<Item = std::ffi::OsString> + Clone) -> Option<u8> {
    manila_process::dispatch(arguments.clone()).or_else(|| manila_pack::dispatch(arguments))
}
