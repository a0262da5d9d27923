//! How something is recognised in a program's output, and what is said of it.

use std::borrow::Cow;

use manila::{Category, Code, Failure, JsonObject, RawJson};
use regex::{Captures, Regex};

use super::found::Found;
use super::lines::{Search, Words};
use super::places::Places;

/// How something is recognised in a program's output, and what is said of it.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) source: Source,
    /// Codes that it is for; all, if nothing is said.
    pub(super) only: Option<Regex>,
    /// Messages that are none of it.
    pub(super) unless: Option<Regex>,
    /// Whether it is told only where no other rule finds an error.
    pub(super) is_last: bool,
    /// The message, where it is made of what was found.
    pub(super) message: Option<Sentence>,
    /// Its code, where the output names none.
    pub(super) code: String,
    /// How bad it is, where the output does not say it.
    pub(super) severity: Severity,
    /// Whether the output may say it.
    pub(super) has_severity: bool,
    pub(super) category: Category,
    pub(super) hint: Option<Sentence>,
    pub(super) explanation: Option<Sentence>,
    pub(super) link: Option<Sentence>,
    pub(super) fixes: Vec<Sentence>,
}

/// Where it is looked for.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// In the text, of which it may be several lines.
    Text(Search),
    /// In each line that is a JSON object, and has one of these words, if there are any.
    Json(Box<Places>, Words),
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Error,
    Warning,
}

impl Severity {
    /// How bad something is that begins with the word for it.
    pub(super) fn begins(text: &str) -> Option<Severity> {
        let is =
            |word: &str| text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        if is("error") || is("fatal") {
            Some(Severity::Error)
        } else {
            is("warn").then_some(Severity::Warning)
        }
    }
}

/// What a rule can name.
pub(super) const NAMES: [&str; 7] =
    ["file", "line", "column", "severity", "code", "subject", "message"];

/// A text in which `{code}` and the like stand for what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence(String);

impl Sentence {
    /// Reads such a text. An error is a name that nothing has.
    pub(super) fn new(text: &str) -> Result<Sentence, String> {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("`{text}` has a brace that is not closed"));
            };
            if !NAMES.contains(&name) {
                return Err(format!("there is no `{name}` to fill in"));
            }
            rest = after;
        }
        Ok(Sentence(text.to_owned()))
    }

    /// The text; `None` if something in it was not found.
    fn filled(&self, found: &Found<'_>) -> Option<String> {
        let mut whole = String::new();
        let mut rest = self.0.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            whole.push_str(before);
            whole.push_str(found.named(name)?);
            rest = after;
        }
        whole.push_str(rest);
        Some(whole)
    }
}

/// Something that a rule recognised. Its parts are looked at when they are needed: most of a long
/// output is only counted.
pub(super) enum Candidate<'a, 't> {
    Text(&'a Captures<'t>),
    Json(&'a Places, &'a RawJson, &'t str),
}

impl<'t> Candidate<'_, 't> {
    pub(super) fn severity(&self) -> Option<Cow<'t, str>> {
        match self {
            Candidate::Text(captures) => named(captures, "severity"),
            Candidate::Json(places, json, _) => places.severity(json),
        }
    }

    /// Whether it is a diagnostic at all.
    pub(super) fn has_message(&self) -> bool {
        match self {
            Candidate::Text(_) => true,
            Candidate::Json(places, json, _) => places.has_message(json),
        }
    }

    pub(super) fn code(&self) -> Option<Cow<'t, str>> {
        match self {
            Candidate::Text(captures) => named(captures, "code"),
            Candidate::Json(places, json, _) => places.code(json),
        }
    }

    pub(super) fn message(&self) -> Option<Cow<'t, str>> {
        match self {
            Candidate::Text(captures) => named(captures, "message"),
            Candidate::Json(places, json, _) => places.message(json),
        }
    }

    pub(super) fn found(&self) -> Found<'t> {
        match self {
            Candidate::Text(captures) => in_text(captures),
            Candidate::Json(places, json, line) => places.found(json, line),
        }
    }
}

impl Rule {
    /// Where it looks in JSON, if it does.
    pub(super) fn json(&self) -> Option<(&Rule, &Places, &Words)> {
        match &self.source {
            Source::Json(places, words) => Some((self, places, words)),
            Source::Text(_) => None,
        }
    }

    /// Whether it is for what has this code.
    pub(super) fn is_for(&self, candidate: &Candidate<'_, '_>) -> bool {
        let Some(only) = &self.only else { return true };
        candidate.code().is_some_and(|code| only.is_match(&code))
    }

    /// How bad it is; `None` if it is only a remark.
    pub(super) fn severity_of(&self, said: Option<&str>) -> Option<Severity> {
        let Some(said) = said else { return Some(self.severity) };
        let is = |word: &str| {
            said.as_bytes().windows(word.len()).any(|it| it.eq_ignore_ascii_case(word.as_bytes()))
        };
        if is("error") || is("fatal") {
            Some(Severity::Error)
        } else if is("warn") {
            Some(Severity::Warning)
        } else {
            None
        }
    }

    pub(super) fn failure(&self, mut found: Found<'_>) -> Failure {
        let raw = found.raw.trim();
        let message = found.message.as_deref().map_or(raw, str::trim).to_owned();
        let made = self.message.as_ref().and_then(|words| words.filled(&found));
        let message = made.map_or(message, |made| made.trim().to_owned());
        if found.code.is_none() {
            found.code = Some(Cow::Owned(self.code.clone()));
        }
        let filled = |words: &Option<Sentence>| words.as_ref().and_then(|it| it.filled(&found));
        let mut failure = Failure::new(Code::CommandFailed, message);
        failure.category = Some(self.category);
        failure.hint = filled(&self.hint).map(Cow::Owned);
        failure.explanation = filled(&self.explanation).map(Cow::Owned);
        failure.link = filled(&self.link).map(Cow::Owned);
        let fixes = self.fixes.iter().filter_map(|fix| fix.filled(&found));
        failure.fixes = fixes.map(Cow::Owned).collect();
        failure.details = JsonObject::build(|details| {
            details.member("file", &found.file);
            details.member("line", &number(found.line.as_deref()));
            details.member("column", &number(found.column.as_deref()));
        });
        failure.line = Some(raw.to_owned());
        failure.origin_code = found.code.map(Cow::into_owned);
        failure
    }
}

fn number(text: Option<&str>) -> Option<u64> {
    text?.parse().ok()
}

fn named<'t>(captures: &Captures<'t>, name: &str) -> Option<Cow<'t, str>> {
    captures.name(name).map(|it| Cow::Borrowed(it.as_str()))
}

fn in_text<'t>(captures: &Captures<'t>) -> Found<'t> {
    Found {
        file: named(captures, "file"),
        line: named(captures, "line"),
        column: named(captures, "column"),
        severity: named(captures, "severity"),
        code: named(captures, "code"),
        subject: named(captures, "subject"),
        message: named(captures, "message"),
        raw: captures.get(0).map_or("", |whole| whole.as_str()).into(),
    }
}
