//! `[redact]`: which secrets are hidden, and where not.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use manila_files::{ConfigError, Key, Kind, at, key};
use manila_redact::{Extra, Options, Redactor, UnusableRule, rules};
use serde::Deserialize;
use toml::Spanned;

use super::words::words;

/// The keys of `[redact]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "redact.off",
        Kind::Rules,
        "names of rules that are not used, as `manila redact --rules` lists them",
    ),
    key(
        "redact.extra",
        Kind::Tables,
        "rules of your own: tables with `name` and `pattern`, a regular expression that sees one \
         line at a time; group 1, if it has one, is the secret",
    ),
    key("redact.extra.name", Kind::RuleName, "the rule's name, in receipts and reports"),
    key("redact.extra.pattern", Kind::Text, "what it finds"),
    key("redact.allow", Kind::Texts, "values that are left alone, exactly as they stand here"),
    key(
        "redact.allow_patterns",
        Kind::Texts,
        "values that are left alone if one of these expressions matches",
    ),
    key(
        "redact.unsafe_output",
        Kind::Flag,
        "whether a caller may ask for one answer with its secrets, by `unsafeOutput`; `false` \
         unless you say otherwise",
    ),
    key(
        "redact.passthrough",
        Kind::Words(PassthroughWord::WORDS),
        "`verbatim` leaves secrets in answers that already are envelopes of the caller's \
         contract; `redacted` unless you say otherwise",
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
    passthrough: PassthroughWord,
}

words! {
    #[derive(Default)]
    PassthroughWord {
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

/// How secrets are hidden, and where not.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hiding {
    /// What finds them.
    pub redactor: Arc<Redactor>,
    /// The tools whose answers are left as they are.
    pub not_for: BTreeSet<String>,
    /// Whether a caller may ask for an answer with its secrets.
    pub unsafe_output: UnsafeOutput,
    /// What becomes of answers that already are what the caller wants.
    pub passthrough: Passthrough,
}

/// What becomes of an answer that already is an envelope of the caller's contract (P3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Passthrough {
    /// It goes on unchanged, unless there are secrets in it.
    #[default]
    Redacted,
    /// It goes on unchanged, secrets and all.
    Verbatim,
}

/// What becomes of a caller's wish to see secrets (M12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnsafeOutput {
    /// It is ignored, and the caller is told so.
    #[default]
    Ignored,
    /// It is granted, and the log tells it.
    Allowed,
}

impl Default for Hiding {
    fn default() -> Hiding {
        Hiding {
            redactor: Arc::new(Redactor::standard().clone()),
            not_for: BTreeSet::new(),
            unsafe_output: UnsafeOutput::default(),
            passthrough: Passthrough::default(),
        }
    }
}

/// Reads the table. Results of the tools `not_for` are not redacted.
pub(super) fn read(
    text: &str,
    table: &RedactTable,
    not_for: BTreeSet<String>,
) -> Result<Hiding, ConfigError> {
    let redactor = Arc::new(redactor(text, table)?);
    let unsafe_output =
        if table.unsafe_output { UnsafeOutput::Allowed } else { UnsafeOutput::Ignored };
    let passthrough = match table.passthrough {
        PassthroughWord::Redacted => Passthrough::Redacted,
        PassthroughWord::Verbatim => Passthrough::Verbatim,
    };
    Ok(Hiding { redactor, not_for, unsafe_output, passthrough })
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
