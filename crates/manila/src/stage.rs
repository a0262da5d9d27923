//! The stages: each has one power, and nobody else has it.
//!
//! `validate` may refuse, `classify` may name, `check_output` may refuse what a tool did not
//! promise, `redact` may hide, `fit` may drop, `attest` may add and `record` may log.

pub mod attest;
pub mod check_output;
pub mod classify;
pub mod fit;
pub mod record;
pub mod redact;
pub mod unwrap_nested;
pub mod validate;
