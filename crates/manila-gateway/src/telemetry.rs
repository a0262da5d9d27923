//! Telemetry for operators: events for the log, metrics, and the journal.
//!
//! Reporting never blocks: a journal that cannot be written or a log without a reader does not
//! slow down a call. Everything is redacted before it is written.

pub(crate) mod event;
pub mod journal;
pub(crate) mod live_redactor;
pub(crate) mod metrics;
