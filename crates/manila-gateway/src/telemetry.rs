//! What operators see: events for the log, metrics, and the journal.
//!
//! The gateway reports here and never waits for it: a journal that cannot be written or a log that
//! nobody reads does not slow a call down. Everything written here is redacted before.

pub(crate) mod event;
pub mod journal;
pub(crate) mod metrics;
pub(crate) mod rules;
