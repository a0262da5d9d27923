//! The commands: one file for each, with its arguments and its `run` function.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod contracts;
pub(crate) mod convert;
pub(crate) mod doctor;
pub(crate) mod errors;
pub(crate) mod explain;
pub(crate) mod import;
pub(crate) mod log;
pub(crate) mod pack;
pub(crate) mod redact;
pub(crate) mod run;
pub(crate) mod sample_server;
pub(crate) mod schema;
pub(crate) mod seal;
pub(crate) mod serve;
pub(crate) mod tools;
pub(crate) mod wrap;
