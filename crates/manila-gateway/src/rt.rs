//! Additions to the runtime: the clock, deadlines that share one timer, queues limited by bytes.
//!
//! These are small tools for asynchronous code on one thread. None of them knows MCP.

pub(crate) mod adaptive_poll;
pub(crate) mod clock;
pub(crate) mod deadlines;
pub(crate) mod queue;
pub(crate) mod wait_until;
