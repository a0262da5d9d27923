//! The environment: the one place that reads it.

use std::path::PathBuf;

use manila_files::values;

use crate::refusal::Refusal;

/// A text in which `${NAME}` stands for a variable of the environment.
pub(crate) fn with_variables(text: &str) -> anyhow::Result<String> {
    values::with_variables(text, variable).map_err(|name| {
        let message = format!("`${{{name}}}` is not set in the environment");
        Refusal::new(message, format!("set it first: export {name}=...")).into()
    })
}

/// A variable of the environment, if it is set and a text.
pub(crate) fn variable(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "this is the one module that reads it")]
    std::env::var(name).ok()
}

/// Where Manila keeps what it writes: `MANILA_HOME`, else `.manila` in the current folder.
pub(crate) fn home() -> PathBuf {
    let set = std::env::var_os("MANILA_HOME").filter(|home| !home.is_empty());
    set.map_or_else(|| PathBuf::from("./.manila"), PathBuf::from)
}
