//! JSON Schemas of tools: wrapped in a contract's schema, and, with the feature `validate`,
//! compiled once and used to check values.

#[cfg(feature = "validate")]
mod compile;
#[cfg(feature = "validate")]
mod cost;
mod dialect;
mod fragment;
#[cfg(feature = "validate")]
mod lenient;
mod payload_type;
#[cfg(feature = "validate")]
mod registry;
mod relocate;
mod targets;
#[cfg(feature = "validate")]
mod twice;
#[cfg(feature = "validate")]
mod words;
mod wrap;

#[cfg(feature = "validate")]
pub use compile::{Fingerprint, Schema, UnusableSchema};
pub(crate) use payload_type::PayloadType;
#[cfg(feature = "validate")]
pub use registry::Registry;
pub(crate) use wrap::Place;
pub use wrap::{Unbound, output_schema, schema_around};
