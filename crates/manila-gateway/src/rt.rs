//! Additions to the runtime: the clock, deadlines that share one timer, queues limited by bytes,
//! streams that let other tasks run, and a pool for long work.
//!
//! These are small tools for asynchronous code on one thread, the reactor. None of them knows MCP.

pub(crate) mod adaptive_poll;
pub(crate) mod clock;
pub(crate) mod deadlines;
pub(crate) mod fair_stream;
pub(crate) mod offload;
pub(crate) mod queue;
pub(crate) mod unsettled;
pub(crate) mod wait_until;
