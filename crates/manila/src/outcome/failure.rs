//! One thing that went wrong.

use std::time::Duration;

use super::Text;
use crate::catalogue::Code;
use crate::raw_json::{JsonObject, RawJson};

/// One thing that went wrong. Its texts are whole: only a contract cuts them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// What it is, canonically.
    pub code: Code,
    /// What the tool itself called it.
    pub origin_code: Option<String>,
    /// What happened. Never blank.
    pub message: Text,
    /// What kind of program text it is about, where a diagnostic says so.
    pub category: Option<Category>,
    /// What to do about it, where that is more specific than the catalogue's remedy.
    pub hint: Option<Text>,
    /// What it means.
    pub explanation: Option<Text>,
    /// Where to read more.
    pub link: Option<Text>,
    /// Steps that may mend it.
    pub fixes: Vec<Text>,
    /// What can be used instead.
    pub alternatives: Vec<String>,
    /// Facts about it.
    pub details: JsonObject,
    /// Facts that `response-v2` puts directly into its `data`.
    pub data: JsonObject,
    /// Evidence anchors (P4).
    pub evidence: Vec<RawJson>,
    /// How long to wait before the next try.
    pub retry_after: Option<Duration>,
    /// Whether trying again may help, where somebody says otherwise than the catalogue.
    pub retryable: Option<bool>,
    /// The line of output from which it was read.
    pub line: Option<String>,
}

/// What a diagnostic is about (M3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The compiler refused the source.
    Compilation,
    /// The build system failed.
    Build,
    /// A package could not be used.
    Package,
    /// The SDK, host or runtime failed.
    Runtime,
    /// A code of a family that is not known.
    Unknown,
}

/// P4: what is said of a command that failed.
pub(crate) fn exit_message(code: i64) -> String {
    format!("Tool execution failed with exit code {code}.")
}

impl Failure {
    /// A failure with this message, or with the catalogue's if it is blank.
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

    /// Whether the same call may succeed when it is made again.
    pub(crate) fn is_retryable(&self) -> bool {
        self.retryable.unwrap_or(self.code.is_retryable())
    }

    /// What to do about it: the failure's own hint, else the catalogue's remedy.
    pub(crate) fn remedy(&self) -> &str {
        self.hint.as_deref().unwrap_or(self.code.entry().remedy)
    }
}
