//! The parts that a rule reads from a program's output.

use std::borrow::Cow;

/// The parts of a diagnostic, as a program wrote them.
#[derive(Default)]
pub(super) struct DiagnosticParts<'a> {
    pub(super) file: Option<Cow<'a, str>>,
    pub(super) line: Option<Cow<'a, str>>,
    pub(super) column: Option<Cow<'a, str>>,
    pub(super) severity: Option<Cow<'a, str>>,
    pub(super) code: Option<Cow<'a, str>>,
    /// What the diagnostic is about, such as a test.
    pub(super) subject: Option<Cow<'a, str>>,
    pub(super) message: Option<Cow<'a, str>>,
    /// The output from which the diagnostic was read.
    pub(super) raw: Cow<'a, str>,
}

impl DiagnosticParts<'_> {
    /// Returns the part that patterns and templates call `name`.
    pub(super) fn part(&self, name: &str) -> Option<&str> {
        let found = match name {
            "file" => &self.file,
            "line" => &self.line,
            "column" => &self.column,
            "severity" => &self.severity,
            "code" => &self.code,
            "subject" => &self.subject,
            "message" => &self.message,
            _ => return None,
        };
        found.as_deref().map(str::trim)
    }
}
