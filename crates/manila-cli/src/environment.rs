//! The environment: the one place that reads it.

use std::path::PathBuf;

use crate::refusal::Refusal;

/// A text in which `${NAME}` stands for a variable of the environment.
pub(crate) fn with_variables(text: &str) -> anyhow::Result<String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        whole.push_str(before);
        whole.push_str(&variable(name)?);
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}

fn variable(name: &str) -> anyhow::Result<String> {
    #[expect(clippy::disallowed_methods, reason = "this is the one module that reads it")]
    let value = std::env::var(name);
    value.map_err(|_| {
        let message = format!("`${{{name}}}` is not set in the environment");
        Refusal::new(message, format!("set it first: export {name}=...")).into()
    })
}

/// Where Manila keeps what it writes: `MANILA_HOME`, else `.manila` in the current folder.
pub(crate) fn home() -> PathBuf {
    let set = std::env::var_os("MANILA_HOME").filter(|home| !home.is_empty());
    set.map_or_else(|| PathBuf::from("./.manila"), PathBuf::from)
}
