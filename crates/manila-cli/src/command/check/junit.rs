//! The report as JUnit XML: a suite with one test for each file, written file by file.
//!
//! A suite starts with its number of failures, so the findings of a file are buffered until its
//! end.

use std::fmt::Write;

use manila::check::Grade;

use super::document::{Document, Tally};
use super::files::Source;
use super::report::{Report, Total};
use crate::output::Output;
use crate::plural::pluralize;
use crate::refusal::visible;

/// Buffers the findings of a file, then writes its suite.
#[derive(Default)]
pub(super) struct Junit {
    violations: String,
    advice: String,
}

impl Report for Junit {
    fn begin(&mut self, out: &mut Output) -> anyhow::Result<()> {
        out.line(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"manila check\">")
    }

    fn document(
        &mut self,
        _source: &Source,
        document: &Document,
        _out: &mut Output,
    ) -> anyhow::Result<()> {
        for row in &document.rows {
            let text = match row.grade {
                Grade::Violation => &mut self.violations,
                Grade::Advice => &mut self.advice,
            };
            writeln!(text, "{}:{}: {}", row.line, row.column, row.describe(document.kind))?;
        }
        Ok(())
    }

    fn end_of_file(
        &mut self,
        source: &Source,
        tally: &Tally,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        let failure = (tally.n_broken > 0).then(|| {
            let violations = pluralize(tally.n_violations, "violation", "violations");
            let documents = pluralize(tally.n_documents, "document", "documents");
            format!("{violations} in {} of {documents}", tally.n_broken)
        });
        self.suite(&source.label, failure.as_deref(), None, out)
    }

    fn unreadable(&mut self, label: &str, why: &str, out: &mut Output) -> anyhow::Result<()> {
        let failure = (!self.violations.is_empty())
            .then_some("the part read does not conform to its contract");
        self.suite(label, failure, Some(why), out)
    }

    fn finish(&mut self, _total: &Total, out: &mut Output) -> anyhow::Result<()> {
        out.line(b"</testsuites>")
    }
}

impl Junit {
    /// Writes the buffered results of a file as a suite.
    fn suite(
        &mut self,
        label: &str,
        failure: Option<&str>,
        error: Option<&str>,
        out: &mut Output,
    ) -> anyhow::Result<()> {
        let Junit { violations, advice } = std::mem::take(self);
        let name = escape(&visible(label));
        let (n_failures, n_errors) = (u8::from(failure.is_some()), u8::from(error.is_some()));
        let counts = format!("tests=\"1\" failures=\"{n_failures}\" errors=\"{n_errors}\"");
        let mut text = format!("  <testsuite name=\"{name}\" {counts}>\n");
        write!(text, "    <testcase classname=\"manila.check\" name=\"{name}\">")?;
        if let Some(why) = error {
            write!(text, "<error type=\"unreadable\" message=\"{}\"/>", escape(&visible(why)))?;
        }
        if let Some(message) = failure {
            let (message, lines) = (escape(message), escape(&violations));
            write!(text, "<failure type=\"contract\" message=\"{message}\">{lines}</failure>")?;
        }
        if !advice.is_empty() {
            write!(text, "<system-out>{}</system-out>", escape(&advice))?;
        }
        text.push_str("</testcase>\n  </testsuite>\n");
        out.raw(text.as_bytes())
    }
}

/// Escapes a text for XML content and attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            // XML 1.0 cannot represent these.
            '\u{FFFE}' | '\u{FFFF}' => escaped.extend(letter.escape_unicode()),
            _ if letter.is_control() => escaped.extend(letter.escape_unicode()),
            _ => escaped.push(letter),
        }
    }
    escaped
}
