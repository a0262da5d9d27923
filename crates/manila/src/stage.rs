//! The stages: each has one power, which no other code has.
//!
//! `validate` may refuse a call, and `check_output` a payload that does not match its schema.
//! `classify` may name failures, `redact` may hide secrets, `fit` may drop content, `attest` may
//! add provenance and `record` may log. [`pipeline`](crate::pipeline) runs the stages from
//! `classify` to `attest`.

pub mod classify;
pub mod record;
pub mod unwrap_nested;
pub mod validate;

pub use crate::prepared::{attest, check_output, fit, redact};
