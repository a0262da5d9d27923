//! The process environment; no other module reads it.

use std::path::PathBuf;

use manila_files::values;

use crate::refusal::Refusal;

/// Replaces each `${NAME}` in a text with the environment variable of that name.
pub(crate) fn expand_variables(text: &str) -> anyhow::Result<String> {
    values::expand_variables(text, variable).map_err(|name| {
        if !is_variable_name(&name) {
            let message = format!("`{name}` is not a valid variable name");
            let hint = "use letters, digits and `_`; `$${` is a literal `${`";
            return Refusal::new(message, hint).into();
        }
        let message = format!("`${{{name}}}` is not set in the environment");
        Refusal::new(message, format!("set it first: export {name}=...")).into()
    })
}

fn is_variable_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.chars().all(is_allowed)
}

/// Returns an environment variable, if it is set and valid Unicode.
pub(crate) fn variable(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "this is the module that reads it")]
    std::env::var(name).ok()
}

/// Returns the folder of Manila's files: `MANILA_HOME`, or else `.manila` in the current folder.
pub(crate) fn home() -> PathBuf {
    let set = std::env::var_os("MANILA_HOME").filter(|home| !home.is_empty());
    set.map_or_else(|| PathBuf::from("./.manila"), PathBuf::from)
}
