//! `[redact]`: redaction rules and their exceptions.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use manila_files::{ConfigError, Key, Kind, at, key};
use manila_redact::{CustomRule, Options, OptionsError, Redactor, rules};
use serde::Deserialize;
use toml::Spanned;

use super::string_enum::string_enum;

/// The keys of `[redact]`.
pub(super) const KEYS: &[Key] = &[
    key("redact.off", Kind::Rules, "names of rules to disable; `manila redact --rules` lists them"),
    key(
        "redact.extra",
        Kind::Tables,
        "additional rules: tables with a `name` and a `pattern`, a regular expression that is \
         applied to one line at a time. Capture group 1, if there is one, is the secret",
    ),
    key("redact.extra.name", Kind::RuleName, "name of the rule, used in receipts and reports"),
    key("redact.extra.pattern", Kind::String, "regular expression that matches the secret"),
    key(
        "redact.allow",
        Kind::Strings,
        "values that are never redacted; the whole value must match",
    ),
    key(
        "redact.allow_patterns",
        Kind::Strings,
        "regular expressions; values that match one of them are never redacted",
    ),
    key(
        "redact.unsafe_output",
        Kind::Flag,
        "whether a caller may request one result without redaction, with `unsafeOutput`; default \
         `false`",
    ),
    key(
        "redact.passthrough",
        Kind::Enum(PassthroughValue::NAMES),
        "what to do with results that are already envelopes of the caller's contract: `redacted` \
         (the default) redacts them, `verbatim` leaves secrets in them",
    ),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RedactTable {
    off: Vec<Spanned<String>>,
    extra: Vec<ExtraTable>,
    allow: Vec<String>,
    allow_patterns: Vec<Spanned<String>>,
    unsafe_output: bool,
    passthrough: PassthroughValue,
}

string_enum! {
    #[derive(Default)]
    PassthroughValue {
        #[default]
        Redacted = "redacted",
        Verbatim = "verbatim",
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExtraTable {
    name: Spanned<String>,
    pattern: Spanned<String>,
}

/// Which secrets are redacted, and the exceptions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RedactionPolicy {
    /// Finds the secrets.
    pub redactor: Arc<Redactor>,
    /// The tools whose results are not redacted.
    pub excluded_tools: BTreeSet<String>,
    /// Whether a caller may request a result without redaction.
    pub unsafe_output: UnsafeOutput,
    /// What to do with results that are already envelopes of the caller's contract.
    pub passthrough: Passthrough,
}

/// What to do with a result that is already an envelope of the caller's contract (P3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Passthrough {
    /// Forward it unchanged, unless it contains secrets.
    #[default]
    Redacted,
    /// Forward it unchanged, including secrets.
    Verbatim,
}

/// What to do when a caller requests a result without redaction (M12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnsafeOutput {
    /// Redact anyway, and warn the caller.
    #[default]
    Ignored,
    /// Do not redact, and log it.
    Allowed,
}

impl Default for RedactionPolicy {
    fn default() -> RedactionPolicy {
        RedactionPolicy {
            redactor: Arc::new(Redactor::standard().clone()),
            excluded_tools: BTreeSet::new(),
            unsafe_output: UnsafeOutput::default(),
            passthrough: Passthrough::default(),
        }
    }
}

/// Reads the table. Results of the `excluded_tools` are not redacted.
pub(super) fn read(
    text: &str,
    table: &RedactTable,
    excluded_tools: BTreeSet<String>,
) -> Result<RedactionPolicy, ConfigError> {
    let redactor = Arc::new(redactor(text, table)?);
    let unsafe_output =
        if table.unsafe_output { UnsafeOutput::Allowed } else { UnsafeOutput::Ignored };
    let passthrough = match table.passthrough {
        PassthroughValue::Redacted => Passthrough::Redacted,
        PassthroughValue::Verbatim => Passthrough::Verbatim,
    };
    Ok(RedactionPolicy { redactor, excluded_tools, unsafe_output, passthrough })
}

/// Builds the redactor. Each rule is checked by itself, so that the error names the right one.
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
        let extra = CustomRule { name: name.get_ref().clone(), pattern: pattern.get_ref().clone() };
        options.extra.push(extra);
        redactor = check(&options, name.span().start..pattern.span().end)?;
    }
    for pattern in &table.allow_patterns {
        options.allow_patterns.push(pattern.get_ref().clone());
        redactor = Redactor::new(&options).map_err(|error| {
            let message = if let OptionsError::Pattern { reason, .. } = &error {
                format!("the pattern `{}` in `allow_patterns` {reason}", pattern.get_ref())
            } else {
                error.to_string()
            };
            at(text, Some(pattern.span()), message, rule_hint(&error))
        })?;
    }
    Ok(redactor)
}

fn rule_hint(error: &OptionsError) -> String {
    if let OptionsError::Unknown(name) = error
        && let Some(meant) = manila::closest(name, rules().iter().map(manila_redact::Rule::name))
    {
        return format!("did you mean `{meant}`?");
    }
    let hint = match error {
        OptionsError::Unknown(_) => "`manila redact --rules` lists the rules",
        OptionsError::Pattern { .. } => {
            "correct the pattern; it uses the syntax of the Rust regex crate"
        }
        OptionsError::Name { .. } | _ => "choose another name",
    };
    hint.to_owned()
}
