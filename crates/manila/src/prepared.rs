//! The stages between classifying an outcome and writing it. `redact`, `fit` and `attest` each
//! return a type that proves that they ran.
//!
//! A contract takes an [`Attested`](attest::Attested), which is made from a
//! [`Fitted`](fit::Fitted), which is made from a [`Redacted`](redact::Redacted). Code outside this
//! folder cannot create any of them.
//!
//! These stages are separate from `stage`, because the contracts depend on them, and `classify`
//! depends on the contracts that it reads.

pub mod attest;
pub mod check_output;
pub mod fit;
pub mod redact;
