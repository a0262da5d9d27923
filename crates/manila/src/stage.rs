//! The stages: each has one power, and nobody else has it.
//!
//! `validate` comes with the gateway.

pub mod attest;
pub mod check_output;
pub mod classify;
pub mod fit;
pub mod record;
pub mod redact;
