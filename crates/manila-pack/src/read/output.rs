//! What a pack says about its program's output, and how to test that the program is there.

use manila::Category;
use regex::{Regex, RegexBuilder};
use toml::Spanned;

use super::super::lines::{Search, Words};
use super::super::places::{Places, Pointer};
use super::super::probe::{Probe, Version};
use super::super::rule::{NAMES, Rule, Sentence, Severity, Source};
use super::super::tables::{
    CategoryWord, DiagnosticTable, PlacesTable, ProbeTable, ProgressTable, SeverityWord,
};
use super::{not_an_expression, read_value};
use manila_files::{ConfigError, at};

pub(super) fn probe(text: &str, table: &ProbeTable) -> Result<Probe, ConfigError> {
    let ProbeTable { arguments, version, minimum } = table;
    let pattern = in_lines(text, version)?;
    if pattern.captures_len() < 2 {
        let hint = "put the version into parentheses, e.g. '^git version ([0-9.]+)'";
        return Err(at(text, Some(version.span()), "the pattern has no group", hint));
    }
    let minimum = minimum.as_ref().map(|it| read_value(text, it, Version::new));
    let (arguments, minimum) = (arguments.clone(), minimum.transpose()?);
    Ok(Probe { arguments, version: pattern, minimum })
}

pub(super) fn pass_env(text: &str, names: &[Spanned<String>]) -> Result<Vec<String>, ConfigError> {
    let is_good = |name: &str| {
        let name = name.strip_suffix('*').unwrap_or(name);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if let Some(wrong) = names.iter().find(|name| !is_good(name.get_ref())) {
        let message = format!("`{}` cannot be the name of a variable", wrong.get_ref());
        let hint = "e.g. CARGO_HOME, or CARGO_* for all that begin so";
        return Err(at(text, Some(wrong.span()), message, hint));
    }
    Ok(names.iter().map(|name| name.get_ref().clone()).collect())
}

pub(super) fn progress(text: &str, table: &ProgressTable) -> Result<Regex, ConfigError> {
    let pattern = in_lines(text, &table.pattern)?;
    named_only(text, &table.pattern, &pattern, &["message", "done", "total"])?;
    Ok(pattern)
}

/// The rules. `pack` is the pack's name, and the code of what has none.
pub(super) fn rules(
    text: &str,
    pack: &str,
    tables: &[Spanned<DiagnosticTable>],
) -> Result<Vec<Rule>, ConfigError> {
    let usual = pack.to_ascii_uppercase().replace('-', "_");
    tables.iter().map(|table| rule(text, &usual, table)).collect()
}

fn rule(text: &str, usual: &str, place: &Spanned<DiagnosticTable>) -> Result<Rule, ConfigError> {
    let table = place.get_ref();
    let in_no_line = |word: &&Spanned<String>| word.get_ref().contains('\n');
    let wrong = table.lines_with.iter().find(|word| word.get_ref().is_empty() || in_no_line(word));
    if let Some(wrong) = wrong {
        let message = "every line has nothing in it, and none has a line's end";
        return Err(at(text, Some(wrong.span()), message, "give words that the program prints"));
    }
    let lines_with = Words::new(table.lines_with.iter().map(|word| word.get_ref().as_str()));
    let source = match (&table.pattern, &table.json) {
        (Some(pattern), None) => {
            let built = in_lines(text, pattern)?;
            named_only(text, pattern, &built, &NAMES)?;
            if built.is_match("") {
                let hint = "let it begin with words that the program prints, e.g. '^error: '";
                return Err(at(text, Some(pattern.span()), "the pattern fits an empty text", hint));
            }
            Source::Text(if table.lines_with.is_empty() {
                Search::everywhere(built)
            } else {
                let anchored = format!(r"\A(?:{})", pattern.get_ref());
                Search::in_lines_with(lines_with, line_pattern(text, pattern, &anchored)?)
            })
        }
        (None, Some(json)) => Source::Json(Box::new(places(text, json)?), lines_with),
        (Some(_), Some(_)) | (None, None) => {
            let message = "a diagnostic has either a `pattern` or `json`";
            return Err(at(text, Some(place.span()), message, "give one of the two"));
        }
    };
    let is_word = |code: &str| {
        !code.is_empty() && !code.contains(|it: char| it.is_control() || it.is_whitespace())
    };
    if let Some(wrong) = table.code.as_ref().filter(|code| !is_word(code.get_ref())) {
        return Err(at(text, Some(wrong.span()), "the code is no word", "give one, e.g. LINT"));
    }
    let words = |it: &Spanned<String>| {
        Sentence::new(it.get_ref()).map_err(|message| {
            let hint = format!("these can be filled in: {}", NAMES.join(", "));
            at(text, Some(it.span()), message, hint)
        })
    };
    let address = |it: &Spanned<String>| {
        if it.get_ref().starts_with("https://") || it.get_ref().starts_with("http://") {
            return words(it);
        }
        let message = format!("`{}` is no address of a page", it.get_ref());
        Err(at(text, Some(it.span()), message, "e.g. https://example.org/{code}"))
    };
    let has_severity = match &source {
        Source::Text(search) => search.has_group("severity"),
        Source::Json(places, _) => places.severity.is_some(),
    };
    Ok(Rule {
        source,
        has_severity,
        only: table.only.as_ref().map(|it| in_lines(text, it)).transpose()?,
        is_last: table.otherwise,
        message: table.message.as_ref().map(words).transpose()?,
        unless: table.unless.as_ref().map(|it| in_lines(text, it)).transpose()?,
        code: table.code.as_ref().map_or_else(|| usual.to_owned(), |code| code.get_ref().clone()),
        severity: match table.severity {
            Some(SeverityWord::Warning) => Severity::Warning,
            Some(SeverityWord::Error) | None => Severity::Error,
        },
        category: table.category.into(),
        hint: table.hint.as_ref().map(words).transpose()?,
        explanation: table.explanation.as_ref().map(words).transpose()?,
        link: table.link.as_ref().map(address).transpose()?,
        fixes: table.fixes.iter().map(words).collect::<Result<_, _>>()?,
    })
}

impl From<CategoryWord> for Category {
    fn from(word: CategoryWord) -> Category {
        match word {
            CategoryWord::Compilation => Category::Compilation,
            CategoryWord::Build => Category::Build,
            CategoryWord::Package => Category::Package,
            CategoryWord::Runtime => Category::Runtime,
            CategoryWord::Unknown => Category::Unknown,
        }
    }
}

fn places(text: &str, table: &PlacesTable) -> Result<Places, ConfigError> {
    let pointer = |it: &Spanned<String>| read_value(text, it, Pointer::new);
    let optional = |it: &Option<Spanned<String>>| it.as_ref().map(pointer).transpose();
    Ok(Places {
        message: pointer(&table.message)?,
        code: optional(&table.code)?,
        severity: optional(&table.severity)?,
        file: optional(&table.file)?,
        line: optional(&table.line)?,
        column: optional(&table.column)?,
        raw: optional(&table.raw)?,
    })
}

/// An expression in which `^` and `$` are the start and the end of a line.
fn in_lines(text: &str, place: &Spanned<String>) -> Result<Regex, ConfigError> {
    line_pattern(text, place, place.get_ref())
}

fn line_pattern(text: &str, place: &Spanned<String>, pattern: &str) -> Result<Regex, ConfigError> {
    const BYTES_MAX: usize = 4 * 1024 * 1024;
    let mut builder = RegexBuilder::new(pattern);
    let built = builder.multi_line(true).size_limit(BYTES_MAX).build();
    built.map_err(|error| not_an_expression(text, place, &error))
}

/// An expression names only what is known.
fn named_only(
    text: &str,
    place: &Spanned<String>,
    pattern: &Regex,
    known: &[&str],
) -> Result<(), ConfigError> {
    let Some(wrong) = pattern.capture_names().flatten().find(|name| !known.contains(name)) else {
        return Ok(());
    };
    let message = format!("there is no part `{wrong}`");
    let hint = format!("the parts are {}; (?:...) is a group without a name", known.join(", "));
    Err(at(text, Some(place.span()), message, hint))
}
