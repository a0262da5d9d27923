//! The redaction rules that hold now, for what is written down.

use std::sync::Arc;

use arc_swap::ArcSwap;
use manila_redact::Redactor;

use super::event::{Event, Events};

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
        self.now().hide_in_text(text)
    }
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
            Event::Disconnected(what) => Event::Disconnected(hide(what)),
            Event::Unredacted { tool, why } => Event::Unredacted { tool: hide(tool), why },
        });
    })
}
