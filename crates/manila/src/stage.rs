//! The stages: each has one power, and nobody else has it.
//!
//! `validate` may refuse, `classify` may name, `check_output` may refuse what a tool did not
//! promise, `redact` may hide, `fit` may drop, `attest` may add and `record` may log. `pipeline`
//! has their order.

pub mod classify;
pub mod record;
pub mod unwrap_nested;
pub mod validate;

pub use crate::prepared::{attest, check_output, fit, redact};
