//! The stages between naming an outcome and writing it, each with the type that proves it ran.
//!
//! A contract takes an [`Attested`](attest::Attested), which is made from a
//! [`Fitted`](fit::Fitted), which is made from a [`Redacted`](redact::Redacted); nothing outside of
//! this folder can make one of them. The contracts depend on this folder, and `classify` on the
//! contracts that it reads, so the two halves of `stage` stand apart.

pub mod attest;
pub mod check_output;
pub mod fit;
pub mod redact;
