//! The JSON Schema of the configuration, for editors, generated from the keys.

use manila::JsonObject;
use manila_files::schema_of_keys;

use super::KEYS;

/// Returns the JSON Schema of `manila.toml`, in draft-07: TOML editors support no later draft.
///
/// The schema accepts every valid configuration in its usual spelling. [`super::Config`] checks
/// what a pattern cannot express, such as the longest duration.
///
/// ```
/// let schema = manila_gateway::config::schema().to_string();
/// assert!(schema.contains(r#""enum":["strict","warn","off"]"#));
/// ```
#[must_use]
pub fn schema() -> JsonObject {
    schema_of_keys(&KEYS, "manila.toml", "Configuration of Manila", &[])
}
