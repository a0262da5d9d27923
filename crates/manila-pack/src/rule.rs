//! Rules that recognise a diagnostic in a program's output and turn it into a failure.

use std::borrow::Cow;

use manila::{Category, Code, Failure, JsonObject, RawJson};
use regex::{Captures, Regex};

use super::diagnostic_parts::DiagnosticParts;
use super::lines::{Keywords, Search};
use super::pointers::Pointers;

/// A rule that recognises a diagnostic in a program's output and turns it into a failure.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) source: Source,
    /// Codes to which the rule applies; `None` means all.
    pub(super) only: Option<Regex>,
    /// Messages that are not diagnostics.
    pub(super) unless: Option<Regex>,
    /// Whether matches are reported only if no other rule finds an error.
    pub(super) is_fallback: bool,
    /// Template of the message, if it is not the matched text.
    pub(super) message: Option<MessageTemplate>,
    /// Code to use if the output has none.
    pub(super) code: String,
    /// Severity to use if the output has none.
    pub(super) severity: Severity,
    /// Whether the output can contain the severity.
    pub(super) has_severity: bool,
    pub(super) category: Category,
    pub(super) hint: Option<MessageTemplate>,
    pub(super) explanation: Option<MessageTemplate>,
    pub(super) link: Option<MessageTemplate>,
    pub(super) fixes: Vec<MessageTemplate>,
}

/// The output that a rule searches.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// The text; a match may span several lines.
    Text(Search),
    /// Each line that is a JSON object and matches the keywords.
    Json(Box<Pointers>, Keywords),
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Error,
    Warning,
}

impl Severity {
    /// Reads the severity at the start of a text.
    pub(super) fn from_prefix(text: &str) -> Option<Severity> {
        let starts_with =
            |name: &str| text.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        if starts_with("error") || starts_with("fatal") {
            Some(Severity::Error)
        } else {
            starts_with("warn").then_some(Severity::Warning)
        }
    }
}

/// The names of the parts of a diagnostic, for patterns and templates.
pub(super) const NAMES: [&str; 7] =
    ["file", "line", "column", "severity", "code", "subject", "message"];

/// A text with placeholders such as `{code}` for the parts of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MessageTemplate(String);

impl MessageTemplate {
    /// Parses a template. Fails if a placeholder is unknown or has no `}`.
    pub(super) fn new(text: &str) -> Result<MessageTemplate, String> {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("`{text}` has `{{` without `}}`"));
            };
            if !NAMES.contains(&name) {
                return Err(format!("unknown placeholder `{name}`"));
            }
            rest = after;
        }
        Ok(MessageTemplate(text.to_owned()))
    }

    /// Fills in the parts; returns `None` if a part was not found.
    fn fill(&self, found: &DiagnosticParts<'_>) -> Option<String> {
        let mut filled = String::new();
        let mut rest = self.0.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(found.part(name)?);
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }
}

/// A match of a rule. Its parts are read only when needed, because most matches in a long output
/// are only counted.
pub(super) enum Candidate<'a, 't> {
    Text(&'a Captures<'t>),
    Json(&'a Pointers, &'a RawJson, &'t str),
}

impl<'t> Candidate<'_, 't> {
    pub(super) fn severity(&self) -> Option<Cow<'t, str>> {
        match self {
            Candidate::Text(captures) => capture(captures, "severity"),
            Candidate::Json(pointers, json, _) => pointers.severity(json),
        }
    }

    /// Returns whether the match is a diagnostic at all.
    pub(super) fn has_message(&self) -> bool {
        match self {
            Candidate::Text(_) => true,
            Candidate::Json(pointers, json, _) => pointers.has_message(json),
        }
    }

    pub(super) fn code(&self) -> Option<Cow<'t, str>> {
        match self {
            Candidate::Text(captures) => capture(captures, "code"),
            Candidate::Json(pointers, json, _) => pointers.code(json),
        }
    }

    pub(super) fn message(&self) -> Option<Cow<'t, str>> {
        match self {
            Candidate::Text(captures) => capture(captures, "message"),
            Candidate::Json(pointers, json, _) => pointers.message(json),
        }
    }

    pub(super) fn parts(&self) -> DiagnosticParts<'t> {
        match self {
            Candidate::Text(captures) => parts_of_captures(captures),
            Candidate::Json(pointers, json, line) => pointers.parts(json, line),
        }
    }
}

impl Rule {
    /// Returns the pointers and keywords of a rule for JSON.
    pub(super) fn json(&self) -> Option<(&Rule, &Pointers, &Keywords)> {
        match &self.source {
            Source::Json(pointers, keywords) => Some((self, pointers, keywords)),
            Source::Text(_) => None,
        }
    }

    /// Returns whether the rule applies to the code of a match.
    pub(super) fn applies_to(&self, candidate: &Candidate<'_, '_>) -> bool {
        let Some(only) = &self.only else { return true };
        candidate.code().is_some_and(|code| only.is_match(&code))
    }

    /// Returns the severity of a match, given its severity in the output; `None` means neither an
    /// error nor a warning.
    pub(super) fn severity_of(&self, written: Option<&str>) -> Option<Severity> {
        let Some(written) = written else { return Some(self.severity) };
        let contains = |name: &str| {
            let mut windows = written.as_bytes().windows(name.len());
            windows.any(|it| it.eq_ignore_ascii_case(name.as_bytes()))
        };
        if contains("error") || contains("fatal") {
            Some(Severity::Error)
        } else if contains("warn") {
            Some(Severity::Warning)
        } else {
            None
        }
    }

    /// Creates the failure for a match with these parts.
    pub(super) fn failure(&self, mut found: DiagnosticParts<'_>) -> Failure {
        let raw = found.raw.trim();
        let message = found.message.as_deref().map_or(raw, str::trim).to_owned();
        let filled = self.message.as_ref().and_then(|template| template.fill(&found));
        let message = filled.map_or(message, |filled| filled.trim().to_owned());
        if found.code.is_none() {
            found.code = Some(Cow::Owned(self.code.clone()));
        }
        let fill =
            |template: &Option<MessageTemplate>| template.as_ref().and_then(|it| it.fill(&found));
        let mut failure = Failure::new(Code::CommandFailed, message);
        failure.category = Some(self.category);
        failure.hint = fill(&self.hint).map(Cow::Owned);
        failure.explanation = fill(&self.explanation).map(Cow::Owned);
        failure.link = fill(&self.link).map(Cow::Owned);
        let fixes = self.fixes.iter().filter_map(|fix| fix.fill(&found));
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

fn capture<'t>(captures: &Captures<'t>, name: &str) -> Option<Cow<'t, str>> {
    captures.name(name).map(|it| Cow::Borrowed(it.as_str()))
}

fn parts_of_captures<'t>(captures: &Captures<'t>) -> DiagnosticParts<'t> {
    DiagnosticParts {
        file: capture(captures, "file"),
        line: capture(captures, "line"),
        column: capture(captures, "column"),
        severity: capture(captures, "severity"),
        code: capture(captures, "code"),
        subject: capture(captures, "subject"),
        message: capture(captures, "message"),
        raw: captures.get(0).map_or("", |found| found.as_str()).into(),
    }
}
