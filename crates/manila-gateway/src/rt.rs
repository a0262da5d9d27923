//! What the runtime lacks: the clock, deadlines behind one timer, queues limited by bytes.
//!
//! These are small tools for asynchronous code on one thread. None of them knows MCP.

pub(crate) mod alert;
pub(crate) mod clock;
pub(crate) mod deadlines;
pub(crate) mod queue;
pub(crate) mod until;
