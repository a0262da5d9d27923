//! JSON Schemas of tools: their dialects, references and types, for those who put one into another
//! schema; and, with the feature `validate`, compiled once and used to check values.

#[cfg(feature = "validate")]
mod compile;
#[cfg(feature = "validate")]
mod cost;
pub(crate) mod dialect;
pub(crate) mod fragment;
#[cfg(feature = "validate")]
mod lenient;
mod payload_type;
#[cfg(feature = "validate")]
mod registry;
pub(crate) mod relocate;
pub(crate) mod targets;
#[cfg(feature = "validate")]
mod twice;
mod unbound;
#[cfg(feature = "validate")]
mod words;

#[cfg(feature = "validate")]
pub use compile::{Fingerprint, Schema, UnusableSchema};
pub(crate) use payload_type::PayloadType;
#[cfg(feature = "validate")]
pub use registry::Registry;
pub use unbound::Unbound;
