//! Redaction of everything that has no envelope: messages, errors, server notifications and log
//! messages.

use bytes::Bytes;
use manila::request_envelope::{Message, Response};
use manila::{JsonObject, RawJson};
use manila_redact::{Tally, apply};

use super::redact::RedactionPolicy;
use crate::protocol::era::Era;
use crate::protocol::verbatim::VerbatimParts;

/// A redacted message, and the count of its secrets by rule.
pub(crate) struct RedactedMessage {
    pub(crate) frame: Bytes,
    pub(crate) tally: Tally,
}

impl RedactionPolicy {
    /// Redacts a text.
    pub(crate) fn redact_text(&self, text: String) -> String {
        self.redactor.redact_text(text)
    }

    /// Redacts a message or a part of one, except the parts that `verbatim` returns. Returns `None`
    /// if nothing changes.
    pub(crate) fn redact_message<'a>(
        &self,
        message: &RawJson,
        verbatim: impl FnOnce() -> VerbatimParts<'a>,
    ) -> Option<RedactedMessage> {
        let mut edits = self.redactor.mcp(message.as_bytes());
        if edits.is_empty() {
            return None;
        }
        let verbatim = verbatim();
        edits.retain(|edit| !verbatim.contain(&edit.range));
        if edits.is_empty() {
            return None;
        }
        let mut tally = Tally::default();
        tally.add(&edits);
        Some(RedactedMessage { frame: apply(message.as_bytes(), &edits).into(), tally })
    }

    /// Redacts the response of a server of this era. Also returns the count of its secrets by rule.
    pub(crate) fn redact_response(&self, response: Response, era: Era) -> (Response, Tally) {
        let verbatim = || VerbatimParts::of_response(&response, era);
        let redacted = self.redact_message(&response.frame, verbatim);
        let Some(RedactedMessage { frame, tally }) = redacted else {
            return (response, Tally::default());
        };
        match Message::from_json(frame) {
            Ok(Message::Response(redacted)) => (redacted, tally),
            // Redaction only changes strings, so this is still a response. If it were not, it must
            // not be forwarded.
            Ok(Message::Request(_) | Message::Notification(_)) | Err(_) => {
                let error = JsonObject::build(|error| {
                    error.member("code", &-32603i64);
                    error.member("message", "The response could not be redacted");
                });
                let error = RawJson::from(error);
                (Response { id: None, answer: Err(error.clone()), frame: error }, tally)
            }
        }
    }

    /// Redacts a part of a message. Returns an empty object if the result is not valid JSON.
    pub(crate) fn redact_part(&self, part: RawJson) -> RawJson {
        match self.redact_message(&part, || VerbatimParts::none(&part)) {
            Some(RedactedMessage { frame, .. }) => {
                RawJson::parse(frame).unwrap_or_else(|_| JsonObject::default().into())
            }
            None => part,
        }
    }
}
