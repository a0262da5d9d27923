//! Parsing of files that people write: TOML with errors that name line and column, JSON with
//! comments, values with units, and schemas for editors.
//!
//! The gateway's configuration and pack files share this crate, so that neither depends on the
//! other.
#![forbid(unsafe_code)]

mod error;
pub mod jsonc;
mod keys;
mod schema;
pub mod values;

pub use error::{ConfigError, at, parse_error, read};
pub use keys::{Key, Kind, key};
pub use schema::schema_of_keys;
