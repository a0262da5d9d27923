//! Secrets in whatever passes through that has no envelope: messages, errors, what a server says
//! on its own, and what is told to people.

use bytes::Bytes;
use manila::request_envelope::{Message, Response};
use manila::{JsonObject, RawJson};
use manila_redact::{Tally, apply};

use super::redact::Hiding;

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
