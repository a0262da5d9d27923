//! JSON Schemas of tools: their dialects, references and types, for embedding one schema in
//! another. With the feature `validate`, schemas are also compiled and used to check values.

#[cfg(feature = "validate")]
mod compile;
#[cfg(feature = "validate")]
mod cost;
pub(crate) mod dialect;
#[cfg(feature = "validate")]
mod duplicate_keys;
pub(crate) mod fragment;
#[cfg(feature = "validate")]
mod lenient;
#[cfg(feature = "validate")]
mod memory;
#[cfg(feature = "validate")]
mod pattern;
mod payload_schema_error;
mod payload_type;
#[cfg(feature = "validate")]
mod registry;
pub(crate) mod relocate;
pub(crate) mod targets;
#[cfg(feature = "validate")]
mod violations;

#[cfg(feature = "validate")]
pub use compile::{Fingerprint, Schema, UnusableSchema};
pub use payload_schema_error::PayloadSchemaError;
pub(crate) use payload_type::PayloadType;
#[cfg(feature = "validate")]
pub use registry::Registry;
