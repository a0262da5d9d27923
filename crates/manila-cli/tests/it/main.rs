//! The only integration test binary: it runs the real program as a separate process.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test must fail when the result is unexpected"
)]

mod bad_input;
mod call_and_tools;
mod check;
mod check_formats;
mod check_vectors;
mod clauses;
mod commands;
mod config_schema;
mod conformance;
mod convert;
mod deep_tools;
mod docs;
mod enveloped;
mod eras;
mod faults;
mod freeze;
mod http;
mod http_client;
mod http_faults;
mod http_safety;
mod http_server;
mod http_upstream;
mod import;
mod journal;
mod journal_parity;
mod large_answers;
mod layering;
mod log;
mod logs;
mod many_tools;
mod mcp;
mod metrics;
mod multiple_servers;
mod not_utf8;
mod operate;
mod operator_rules;
mod order;
mod output_check;
mod oversized;
mod pack_schema;
mod packs;
mod packs_cargo;
mod packs_dotnet;
mod packs_edges;
mod packs_injection;
mod packs_running;
mod parity;
mod passthrough;
mod program;
mod prose;
mod random;
mod redact;
mod request_ids;
mod resumption;
mod rmcp;
mod run;
mod sample_http;
mod schema;
mod scripted;
mod security_model;
mod serve;
mod shell_server;
mod slow_stage;
mod subscriptions;
mod tasks;
mod test_pack;
mod tidy;
mod two_servers;
mod unfinished;
mod unread;
mod watcher;
mod wrap;
