//! The stages: each has one power, and nobody else has it.
//!
//! `validate` comes with the gateway; `record` with the journal.

pub mod attest;
pub mod classify;
pub mod fit;
pub mod redact;
