//! What the fuzz targets call. Only `cargo fuzz` compiles this module.

pub use crate::downstream::http::fuzz::{deliver_events, serve_connection};
pub use crate::upstream::parse_events;

#[cfg(test)]
mod tests;
