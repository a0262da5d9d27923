//! `manila.toml`: what an operator decides. Whatever is wrong in it is told with its place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use manila::Contract;
use manila_redact::{Extra, Options, Redactor, UnusableRule, rules};
use serde::Deserialize;
use toml::Spanned;

use crate::hiding::{Hiding, Passthrough, UnsafeOutput};

/// The keys of the configuration, each with what it does.
pub const KEYS: [(&str, &str); 9] = [
    (
        "speaks",
        "the contract in which the server answers already, where its answers do not show it: \
         `machine-readable-v1` has no mark",
    ),
    ("redact.off", "names of rules that are not used, as `manila redact --rules` lists them"),
    (
        "redact.extra",
        "rules of your own: tables with `name` and `pattern`, a regular expression that sees one \
         line at a time; group 1, if it has one, is the secret",
    ),
    ("redact.allow", "values that are left alone, exactly as they stand here"),
    ("redact.allow_patterns", "values that are left alone if one of these expressions matches"),
    (
        "redact.unsafe_output",
        "whether a caller may ask for one answer with its secrets, by `unsafeOutput`; `false` \
         unless you say otherwise",
    ),
    (
        "redact.passthrough",
        "`verbatim` leaves secrets in answers that already are envelopes of the caller's \
         contract; `redacted` unless you say otherwise",
    ),
    ("tool.NAME", "a table for the tool of this name"),
    ("tool.NAME.redact", "`false` leaves this tool's answers as they are; the log tells each time"),
];

/// A configuration that was read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// How secrets are hidden.
    pub hiding: Hiding,
    /// The contract in which the server answers already.
    pub speaks: Option<Contract>,
}

/// What is wrong in a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The next step.
    pub hint: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    speaks: Option<Spanned<String>>,
    redact: RedactTable,
    tool: BTreeMap<String, ToolTable>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RedactTable {
    off: Vec<Spanned<String>>,
    extra: Vec<ExtraTable>,
    allow: Vec<String>,
    allow_patterns: Vec<Spanned<String>>,
    unsafe_output: bool,
    passthrough: PassthroughWord,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum PassthroughWord {
    #[default]
    Redacted,
    Verbatim,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExtraTable {
    name: Spanned<String>,
    pattern: Spanned<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ToolTable {
    redact: Option<bool>,
}

impl Config {
    /// Reads a configuration.
    ///
    /// ```
    /// use manila_gateway::Config;
    ///
    /// let wrong = Config::from_toml("[redact]\nof = [\"jwt\"]").unwrap_err();
    /// assert_eq!((wrong.line, wrong.column), (2, 1));
    /// assert_eq!(wrong.hint, "did you mean `off`?");
    /// ```
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            let hint = hint(&message);
            at(text, error.span(), message, hint)
        })?;
        let redactor = redactor(text, &file.redact)?;
        let is_off = |(_, tool): &(String, ToolTable)| tool.redact == Some(false);
        let not_for = file.tool.into_iter().filter(is_off).map(|(name, _)| name).collect();
        let unsafe_output =
            if file.redact.unsafe_output { UnsafeOutput::Allowed } else { UnsafeOutput::Ignored };
        let passthrough = match file.redact.passthrough {
            PassthroughWord::Redacted => Passthrough::Redacted,
            PassthroughWord::Verbatim => Passthrough::Verbatim,
        };
        let redactor = Arc::new(redactor);
        let hiding = Hiding { redactor, not_for, unsafe_output, passthrough };
        Ok(Config { hiding, speaks: file.speaks.map(|id| contract(text, &id)).transpose()? })
    }
}

fn contract(text: &str, id: &Spanned<String>) -> Result<Contract, ConfigError> {
    Contract::from_id(id.get_ref()).map_err(|error| {
        let ids: Vec<&str> = Contract::ALL.into_iter().map(Contract::id).collect();
        let hint = match manila::closest(id.get_ref(), ids.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("it is one of {}", ids.join(", ")),
        };
        at(text, Some(id.span()), error.to_string(), hint)
    })
}

/// The rules as the table wants them. Each is tried by itself, so that the wrong one is named.
fn redactor(text: &str, table: &RedactTable) -> Result<Redactor, ConfigError> {
    let mut options = Options { allow: table.allow.clone(), ..Options::default() };
    let check = |options: &Options, span: Range<usize>| {
        Redactor::new(options).map_err(|error| {
            let hint = rule_hint(&error);
            at(text, Some(span), error.to_string(), hint)
        })
    };
    let mut redactor = check(&options, 0..0)?;
    for name in &table.off {
        options.off.push(name.get_ref().clone());
        redactor = check(&options, name.span())?;
    }
    for ExtraTable { name, pattern } in &table.extra {
        let extra = Extra { name: name.get_ref().clone(), pattern: pattern.get_ref().clone() };
        options.extra.push(extra);
        redactor = check(&options, name.span().start..pattern.span().end)?;
    }
    for pattern in &table.allow_patterns {
        options.allow_patterns.push(pattern.get_ref().clone());
        redactor = check(&options, pattern.span())?;
    }
    Ok(redactor)
}

fn rule_hint(error: &UnusableRule) -> String {
    if let UnusableRule::Unknown(name) = error
        && let Some(meant) = manila::closest(name, rules().iter().map(manila_redact::Rule::name))
    {
        return format!("did you mean `{meant}`?");
    }
    "`manila redact --rules` lists the rules that there are".to_owned()
}

/// The next step, from the words of the parser.
fn hint(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted.next().unwrap_or_default();
    match manila::closest(found, quoted) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "docs/configuration.md has every key".to_owned(),
    }
}

fn at(text: &str, span: Option<Range<usize>>, message: String, hint: String) -> ConfigError {
    let start = span.map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ConfigError { message, line, column, hint }
}

#[cfg(test)]
mod tests;
