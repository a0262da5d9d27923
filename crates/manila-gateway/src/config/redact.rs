//! `[redact]`: which secrets are hidden, and where not.

use std::ops::Range;

use manila_files::{ConfigError, at};
use manila_redact::{Extra, Options, Redactor, UnusableRule, rules};
use serde::Deserialize;
use toml::Spanned;

use super::words::words;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RedactTable {
    off: Vec<Spanned<String>>,
    extra: Vec<ExtraTable>,
    allow: Vec<String>,
    allow_patterns: Vec<Spanned<String>>,
    pub(super) unsafe_output: bool,
    pub(super) passthrough: PassthroughWord,
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

/// The rules as the table wants them. Each is tried by itself, so that the wrong one is named.
pub(super) fn redactor(text: &str, table: &RedactTable) -> Result<Redactor, ConfigError> {
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
