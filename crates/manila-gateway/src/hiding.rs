//! Secrets in whatever passes through that has no envelope: messages, errors, what a server says
//! on its own, and what is told to people.

use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use manila::request_envelope::{Message, Response};
use manila::{JsonObject, RawJson};
use manila_redact::{Redactor, Tally, apply};

use crate::event::{Event, Events};

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
        text_without_secrets(&self.redactor, text)
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

/// The rules that hold now: a new configuration may bring others, so whoever writes something down
/// looks each time.
#[derive(Debug, Clone)]
pub(crate) struct Rules(Arc<ArcSwap<Redactor>>);

impl Rules {
    pub(crate) fn new(redactor: Arc<Redactor>) -> Rules {
        Rules(Arc::new(ArcSwap::new(redactor)))
    }

    pub(crate) fn now(&self) -> Arc<Redactor> {
        self.0.load_full()
    }

    pub(crate) fn set(&self, redactor: Arc<Redactor>) {
        self.0.store(redactor);
    }

    /// A text without its secrets.
    pub(crate) fn text(&self, text: String) -> String {
        text_without_secrets(&self.now(), text)
    }
}

pub(crate) fn text_without_secrets(redactor: &Redactor, text: String) -> String {
    let edits = redactor.text(text.as_bytes());
    if edits.is_empty() {
        return text;
    }
    String::from_utf8_lossy(&apply(text.as_bytes(), &edits)).into_owned()
}

/// Events without secrets: what people are told is written down, too.
pub(crate) fn events_without_secrets(events: Events, rules: Rules) -> Events {
    Arc::new(move |event| {
        let hide = |text: String| rules.text(text);
        events(match event {
            // Its lines were redacted when they were read, all together.
            event @ (Event::Stderr(_) | Event::Started { .. } | Event::Stopping { .. }) => event,
            Event::Redacted { place, findings } => Event::Redacted { place: hide(place), findings },
            Event::Called { tool, failure, duration } => {
                Event::Called { tool: hide(tool), failure, duration }
            }
            Event::Ended { reason, next_start } => {
                Event::Ended { reason: hide(reason), next_start }
            }
            Event::Unusable(what) => Event::Unusable(hide(what)),
            Event::SchemaUnusable { tool, reason } => {
                Event::SchemaUnusable { tool: hide(tool), reason: hide(reason) }
            }
            Event::Refused(what) => Event::Refused(hide(what)),
            Event::Unredacted { tool, why } => Event::Unredacted { tool: hide(tool), why },
        });
    })
}
