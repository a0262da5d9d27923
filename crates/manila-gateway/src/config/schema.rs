//! The JSON Schema of the configuration, for editors. It follows from the keys.

use manila::JsonObject;
use manila_files::schema_of_keys;

use super::KEYS;

/// The JSON Schema of `manila.toml`, in draft-07: editors of TOML know no later one.
///
/// It refuses no configuration in its usual spelling that is good. What a pattern cannot say, such
/// as the longest time, is left to [`super::Config`].
///
/// ```
/// let schema = manila_gateway::config::schema().to_string();
/// assert!(schema.contains(r#""enum":["strict","warn","off"]"#));
/// ```
#[must_use]
pub fn schema() -> JsonObject {
    schema_of_keys(&KEYS, "manila.toml", "What an operator decides about Manila", &[])
}
