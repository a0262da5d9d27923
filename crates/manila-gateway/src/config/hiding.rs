//! Secrets in whatever passes through that has no envelope: messages, errors, what a server says
//! on its own, and what is told to people.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::{Message, Response};
use manila::{JsonObject, RawJson};
use manila_redact::{Redactor, Tally, apply};

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

/// A message in which something was hidden.
pub(crate) struct Hidden {
    pub(crate) frame: Bytes,
    pub(crate) tally: Tally,
}

impl Hiding {
    /// A text without its secrets.
    pub(crate) fn text(&self, text: String) -> String {
        self.redactor.hide_in_text(text)
    }

    /// A message or a part of one without its secrets; `None` if it has none.
    pub(crate) fn message(&self, message: &RawJson) -> Option<Hidden> {
        let edits = self.redactor.mcp(message.as_bytes());
        if edits.is_empty() {
            return None;
        }
        let mut tally = Tally::default();
        tally.add(&edits);
        Some(Hidden { frame: apply(message.as_bytes(), &edits).into(), tally })
    }

    /// A server's answer without its secrets, and what was hidden.
    pub(crate) fn response(&self, response: Response) -> (Response, Tally) {
        let Some(Hidden { frame, tally }) = self.message(&response.frame) else {
            return (response, Tally::default());
        };
        match Message::from_json(frame) {
            Ok(Message::Response(hidden)) => (hidden, tally),
            // Only strings were changed, so it is still a response. If it were not, nothing of it
            // may be told.
            Ok(Message::Request(_) | Message::Notification(_)) | Err(_) => {
                let error = JsonObject::build(|error| {
                    error.member("code", &-32603i64);
                    error.member("message", "The answer could not be redacted");
                });
                let error = RawJson::from(error);
                (Response { id: None, answer: Err(error.clone()), frame: error }, tally)
            }
        }
    }

    /// A part of a message without its secrets; nothing of it if it cannot be read afterwards.
    pub(crate) fn part(&self, part: RawJson) -> RawJson {
        match self.message(&part) {
            Some(Hidden { frame, .. }) => {
                RawJson::parse(frame).unwrap_or_else(|_| JsonObject::default().into())
            }
            None => part,
        }
    }
}
