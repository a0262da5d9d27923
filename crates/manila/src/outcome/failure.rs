//! A single failure of a call.

use std::time::Duration;

use super::Text;
use crate::catalogue::Code;
use crate::raw_json::{JsonObject, RawJson};

/// A single failure. Its texts are complete: only a contract truncates them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The canonical code.
    pub code: Code,
    /// The tool's own code.
    pub origin_code: Option<String>,
    /// The message. Never blank.
    pub message: Text,
    /// The category of the diagnostic, if it has one.
    pub category: Option<Category>,
    /// How to fix it, if that is more specific than the catalogue's remedy.
    pub hint: Option<Text>,
    /// The meaning of the failure.
    pub explanation: Option<Text>,
    /// A link to further documentation.
    pub link: Option<Text>,
    /// Steps that may fix it.
    pub fixes: Vec<Text>,
    /// Alternatives that can be used instead.
    pub alternatives: Vec<String>,
    /// Further facts.
    pub details: JsonObject,
    /// Facts that `response-v2` puts directly into its `data`.
    pub data: JsonObject,
    /// Evidence anchors (P4).
    pub evidence: Vec<RawJson>,
    /// How long to wait before a retry.
    pub retry_after: Option<Duration>,
    /// Whether a retry may help, if that differs from the catalogue.
    pub retryable: Option<bool>,
    /// The line of output that reported it.
    pub line: Option<String>,
}

/// The category of a diagnostic (M3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The compiler rejected the source.
    Compilation,
    /// The build system failed.
    Build,
    /// A package could not be used.
    Package,
    /// The SDK, host or runtime failed.
    Runtime,
    /// A code of an unknown family.
    Unknown,
}

/// P4: the message for a command that failed.
pub(crate) fn exit_message(code: i64) -> String {
    format!("Tool execution failed with exit code {code}.")
}

impl Failure {
    /// Creates a failure with this message, or with the catalogue's if it is blank.
    #[must_use]
    pub fn new(code: Code, message: impl Into<Text>) -> Failure {
        let message = message.into();
        let is_blank = message.trim().is_empty();
        Failure {
            code,
            origin_code: None,
            message: if is_blank { code.entry().message.into() } else { message },
            category: None,
            hint: None,
            explanation: None,
            link: None,
            fixes: Vec::new(),
            alternatives: Vec::new(),
            details: JsonObject::default(),
            data: JsonObject::default(),
            evidence: Vec::new(),
            retry_after: None,
            retryable: None,
            line: None,
        }
    }

    /// Returns whether a retry of the same call may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        self.retryable.unwrap_or(self.code.is_retryable())
    }

    /// Returns how to fix it: the failure's own hint, else the catalogue's remedy.
    pub(crate) fn remedy(&self) -> &str {
        self.hint.as_deref().unwrap_or(self.code.entry().remedy)
    }
}
