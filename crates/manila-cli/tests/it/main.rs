//! The one integration binary: it drives the real program from outside.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects must fail"
)]

mod bad_input;
mod by_hand;
mod check;
mod check_formats;
mod commands;
mod config_schema;
mod conformance;
mod convert;
mod docs;
mod enveloped;
mod eras;
mod faults;
mod http;
mod http_client;
mod http_faults;
mod http_safety;
mod http_server;
mod http_upstream;
mod import;
mod journal;
mod layering;
mod log;
mod logs;
mod mcp;
mod operate;
mod output_check;
mod pack_schema;
mod packs;
mod packs_at_work;
mod packs_cargo;
mod packs_dotnet;
mod packs_edges;
mod packs_smuggle;
mod parity;
mod passing;
mod program;
mod random;
mod redact;
mod refused;
mod request_ids;
mod rmcp;
mod run;
mod same_line;
mod sample_http;
mod schema;
mod scripted;
mod serve;
mod several;
mod shelf;
mod subscriptions;
mod tasks;
mod tidy;
mod two_servers;
mod watcher;
mod wrap;
