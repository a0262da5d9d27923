//! The one integration binary: it drives the real program from outside.

mod bad_input;
mod commands;
mod conformance;
mod docs;
mod program;
mod random;
mod tidy;
