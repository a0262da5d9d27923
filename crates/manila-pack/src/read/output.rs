//! The rules for a program's output, and the probe that tests whether the program is installed.

use manila::Category;
use regex::{Regex, RegexBuilder};
use toml::Spanned;

use super::super::lines::{Keywords, Search};
use super::super::pointers::{Pointer, Pointers};
use super::super::probe::{Probe, Version};
use super::super::rule::{MessageTemplate, NAMES, Rule, Severity, Source};
use super::super::tables::{
    CategoryValue, DiagnosticTable, PointersTable, ProbeTable, ProgressTable, SeverityValue,
};
use super::{invalid_expression, read_value};
use manila_files::{ConfigError, at};

pub(super) fn probe(text: &str, table: &ProbeTable) -> Result<Probe, ConfigError> {
    let ProbeTable { arguments, version, minimum } = table;
    let pattern = line_expression(text, version)?;
    if pattern.captures_len() < 2 {
        let hint = "put the version in parentheses, e.g. '^git version ([0-9.]+)'";
        return Err(at(text, Some(version.span()), "the pattern has no group", hint));
    }
    let minimum = minimum.as_ref().map(|it| read_value(text, it, Version::new));
    let (arguments, minimum) = (arguments.clone(), minimum.transpose()?);
    Ok(Probe { arguments, version: pattern, minimum })
}

pub(super) fn pass_env(text: &str, names: &[Spanned<String>]) -> Result<Vec<String>, ConfigError> {
    let is_valid = |name: &str| {
        let name = name.strip_suffix('*').unwrap_or(name);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if let Some(wrong) = names.iter().find(|name| !is_valid(name.get_ref())) {
        let message = format!("`{}` is not a valid variable name", wrong.get_ref());
        let hint = "e.g. CARGO_HOME, or CARGO_* for all names with that prefix";
        return Err(at(text, Some(wrong.span()), message, hint));
    }
    Ok(names.iter().map(|name| name.get_ref().clone()).collect())
}

pub(super) fn progress(text: &str, table: &ProgressTable) -> Result<Regex, ConfigError> {
    let pattern = line_expression(text, &table.pattern)?;
    check_group_names(text, &table.pattern, &pattern, &["message", "done", "total"])?;
    Ok(pattern)
}

/// Parses the diagnostic rules. The name of the pack is the default code.
pub(super) fn rules(
    text: &str,
    pack: &str,
    tables: &[Spanned<DiagnosticTable>],
) -> Result<Vec<Rule>, ConfigError> {
    let pack_code = pack.to_ascii_uppercase().replace('-', "_");
    tables.iter().map(|table| rule(text, &pack_code, table)).collect()
}

fn rule(
    text: &str,
    pack_code: &str,
    place: &Spanned<DiagnosticTable>,
) -> Result<Rule, ConfigError> {
    let table = place.get_ref();
    let is_wrong = |it: &&Spanned<String>| it.get_ref().is_empty() || it.get_ref().contains('\n');
    if let Some(wrong) = table.lines_with.iter().find(is_wrong) {
        let message = "a text in `lines_with` must not be empty or contain a line break";
        return Err(at(text, Some(wrong.span()), message, "give text that the program prints"));
    }
    let lines_with = Keywords::new(table.lines_with.iter().map(|it| it.get_ref().as_str()));
    let source = match (&table.pattern, &table.json) {
        (Some(pattern), None) => {
            let built = line_expression(text, pattern)?;
            check_group_names(text, pattern, &built, &NAMES)?;
            if built.is_match("") {
                let hint = "start it with text that the program prints, e.g. '^error: '";
                return Err(at(text, Some(pattern.span()), "the pattern matches empty text", hint));
            }
            Source::Text(if table.lines_with.is_empty() {
                Search::everywhere(built)
            } else {
                let anchored = format!(r"\A(?:{})", pattern.get_ref());
                Search::in_lines_with(lines_with, line_pattern(text, pattern, &anchored)?)
            })
        }
        (None, Some(json)) => Source::Json(Box::new(pointers(text, json)?), lines_with),
        (Some(_), Some(_)) | (None, None) => {
            let message = "a diagnostic must have either `pattern` or `json`";
            return Err(at(text, Some(place.span()), message, "set one of the two"));
        }
    };
    let is_valid = |code: &str| {
        !code.is_empty() && !code.contains(|it: char| it.is_control() || it.is_whitespace())
    };
    if let Some(wrong) = table.code.as_ref().filter(|code| !is_valid(code.get_ref())) {
        let message = "a code must not be empty or contain spaces or control characters";
        return Err(at(text, Some(wrong.span()), message, "e.g. LINT"));
    }
    let template = |it: &Spanned<String>| {
        MessageTemplate::new(it.get_ref()).map_err(|message| {
            let hint = format!("the placeholders are {}", NAMES.join(", "));
            at(text, Some(it.span()), message, hint)
        })
    };
    let link = |it: &Spanned<String>| {
        if it.get_ref().starts_with("https://") || it.get_ref().starts_with("http://") {
            return template(it);
        }
        let message = format!("`{}` is not a URL", it.get_ref());
        Err(at(text, Some(it.span()), message, "e.g. https://example.org/{code}"))
    };
    let has_severity = match &source {
        Source::Text(search) => search.has_group("severity"),
        Source::Json(pointers, _) => pointers.severity.is_some(),
    };
    Ok(Rule {
        source,
        has_severity,
        only: table.only.as_ref().map(|it| line_expression(text, it)).transpose()?,
        is_fallback: table.otherwise,
        message: table.message.as_ref().map(template).transpose()?,
        unless: table.unless.as_ref().map(|it| line_expression(text, it)).transpose()?,
        code: table.code.as_ref().map_or_else(|| pack_code.to_owned(), |it| it.get_ref().clone()),
        severity: match table.severity {
            Some(SeverityValue::Warning) => Severity::Warning,
            Some(SeverityValue::Error) | None => Severity::Error,
        },
        category: table.category.into(),
        hint: table.hint.as_ref().map(template).transpose()?,
        explanation: table.explanation.as_ref().map(template).transpose()?,
        link: table.link.as_ref().map(link).transpose()?,
        fixes: table.fixes.iter().map(template).collect::<Result<_, _>>()?,
    })
}

impl From<CategoryValue> for Category {
    fn from(category: CategoryValue) -> Category {
        match category {
            CategoryValue::Compilation => Category::Compilation,
            CategoryValue::Build => Category::Build,
            CategoryValue::Package => Category::Package,
            CategoryValue::Runtime => Category::Runtime,
            CategoryValue::Unknown => Category::Unknown,
        }
    }
}

fn pointers(text: &str, table: &PointersTable) -> Result<Pointers, ConfigError> {
    let pointer = |it: &Spanned<String>| read_value(text, it, Pointer::new);
    let optional = |it: &Option<Spanned<String>>| it.as_ref().map(pointer).transpose();
    Ok(Pointers {
        message: pointer(&table.message)?,
        code: optional(&table.code)?,
        severity: optional(&table.severity)?,
        file: optional(&table.file)?,
        line: optional(&table.line)?,
        column: optional(&table.column)?,
        raw: optional(&table.raw)?,
    })
}

/// Compiles an expression in which `^` and `$` match the start and the end of a line.
fn line_expression(text: &str, place: &Spanned<String>) -> Result<Regex, ConfigError> {
    line_pattern(text, place, place.get_ref())
}

fn line_pattern(text: &str, place: &Spanned<String>, pattern: &str) -> Result<Regex, ConfigError> {
    const BYTES_MAX: usize = 4 * 1024 * 1024;
    let mut builder = RegexBuilder::new(pattern);
    let built = builder.multi_line(true).size_limit(BYTES_MAX).build();
    built.map_err(|error| invalid_expression(text, place, &error))
}

/// Checks that all named groups of an expression are known.
fn check_group_names(
    text: &str,
    place: &Spanned<String>,
    pattern: &Regex,
    known: &[&str],
) -> Result<(), ConfigError> {
    let Some(wrong) = pattern.capture_names().flatten().find(|name| !known.contains(name)) else {
        return Ok(());
    };
    let message = format!("unknown group `{wrong}`");
    let hint = format!("the groups are {}; (?:...) is a group without a name", known.join(", "));
    Err(at(text, Some(place.span()), message, hint))
}
