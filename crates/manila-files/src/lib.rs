//! Files that people write: TOML with errors that name line and column, JSON with comments, values
//! with units, and the schema that editors read.
//!
//! The configuration of the gateway and the files of packs are both read with this crate, so that
//! neither has to know the other.
#![forbid(unsafe_code)]

mod error;
pub mod jsonc;
mod keys;
mod schema;
pub mod values;

pub use error::{ConfigError, at, not_read, read};
pub use keys::{Key, Kind, key};
pub use schema::schema_of_keys;
