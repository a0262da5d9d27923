//! The current redactor, for logs and the journal.

use std::sync::Arc;

use arc_swap::ArcSwap;
use manila_redact::Redactor;

use super::event::{Event, Events};

/// The current redactor. A reload may replace it, so every use loads it again.
#[derive(Debug, Clone)]
pub(crate) struct LiveRedactor(Arc<ArcSwap<Redactor>>);

impl LiveRedactor {
    pub(crate) fn new(redactor: Arc<Redactor>) -> LiveRedactor {
        LiveRedactor(Arc::new(ArcSwap::new(redactor)))
    }

    pub(crate) fn current(&self) -> Arc<Redactor> {
        self.0.load_full()
    }

    pub(crate) fn set(&self, redactor: Arc<Redactor>) {
        self.0.store(redactor);
    }

    /// Redacts the secrets in a text.
    pub(crate) fn redact_text(&self, text: String) -> String {
        self.current().redact_text(text)
    }
}

/// Wraps a callback so that the texts of its events are redacted, because logs are stored. Names
/// are shortened as well, because callers can invent them.
pub(crate) fn redact_events(events: Events, redactor: LiveRedactor) -> Events {
    Arc::new(move |event| {
        let redact = |text: String| redactor.redact_text(text);
        // A name is redacted before it is cut, so that no part of a secret remains.
        let redact_name = |name: String| shorten(redact(name));
        events(match event {
            // stderr was redacted when it was read, because a secret may span several lines.
            event @ (Event::Stderr(_) | Event::Started { .. } | Event::Stopping { .. }) => event,
            Event::Redacted { place, findings } => {
                Event::Redacted { place: redact_name(place), findings }
            }
            Event::Called { tool, failure, duration } => {
                Event::Called { tool: redact_name(tool), failure, duration }
            }
            Event::Ended { reason, next_start } => {
                Event::Ended { reason: redact(reason), next_start }
            }
            Event::Unusable(what) => Event::Unusable(redact(what)),
            Event::SchemaUnusable { tool, reason } => {
                Event::SchemaUnusable { tool: redact_name(tool), reason: redact(reason) }
            }
            Event::LeftOut { method, name, reason } => {
                Event::LeftOut { method, name: redact_name(name), reason }
            }
            Event::Refused(what) => Event::Refused(redact(what)),
            Event::Disconnected(what) => Event::Disconnected(redact(what)),
            Event::Unredacted { tool, why } => Event::Unredacted { tool: redact_name(tool), why },
        });
    })
}

/// Cuts a name that is too long for a line of the log.
fn shorten(mut name: String) -> String {
    const CHARS_MAX: usize = 300;
    if let Some((end, _)) = name.char_indices().nth(CHARS_MAX) {
        name.truncate(end);
        name.push_str("...");
    }
    name
}
