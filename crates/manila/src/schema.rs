//! JSON Schemas of tools: wrapped in a contract's schema, and, with the feature `validate`,
//! compiled once and used to check values.

#[cfg(feature = "validate")]
mod compile;
#[cfg(feature = "validate")]
mod cost;
#[cfg(feature = "validate")]
mod lenient;
#[cfg(feature = "validate")]
mod registry;
mod relocate;
#[cfg(feature = "validate")]
mod twice;
#[cfg(feature = "validate")]
mod words;
mod wrap;

#[cfg(feature = "validate")]
pub use compile::{Fingerprint, Schema, UnusableSchema};
#[cfg(feature = "validate")]
pub use registry::Registry;
pub(crate) use wrap::Place;
pub use wrap::output_schema;
