//! Whether an answer is redacted: always, unless the operator says otherwise for the tool, or
//! the caller does for one call and the operator lets it (M12).

use manila::{RawJson, Warning};

use crate::event::{Consent, Event};
use crate::gateway::Gateway;
use crate::hiding::UnsafeOutput;
use crate::own_meta;

/// What a caller asks for in `_meta`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Nothing.
    None,
    /// The answer with its secrets.
    UnsafeOutput,
}

impl Wish {
    pub(super) fn of(meta: Option<&RawJson>) -> Wish {
        let asked = meta.and_then(|meta| meta.get(own_meta::UNSAFE_OUTPUT));
        let is_asked = asked.is_some_and(|asked| asked.as_bytes() == b"true");
        if is_asked { Wish::UnsafeOutput } else { Wish::None }
    }
}

impl Gateway {
    /// Who wants a tool's answer with its secrets, if somebody does who may. The log tells it.
    pub(super) fn consent(&self, tool: &str, wish: Wish) -> Option<Consent> {
        let hiding = &self.settings.hiding;
        let why = match (wish, hiding.unsafe_output) {
            _ if hiding.not_for.contains(tool) => Consent::Operator,
            (Wish::UnsafeOutput, UnsafeOutput::Allowed) => Consent::Caller,
            (Wish::UnsafeOutput, UnsafeOutput::Ignored) | (Wish::None, _) => return None,
        };
        self.tell(Event::Unredacted { tool: tool.to_owned(), why });
        Some(why)
    }
}

/// What a caller hears whose wish is not granted.
pub(super) fn ignored(wish: Wish, consent: Option<Consent>) -> Option<Warning> {
    let message = "unsafeOutput is not allowed here: what is secret stays hidden";
    let is_ignored = wish == Wish::UnsafeOutput && consent.is_none();
    is_ignored.then(|| Warning::coded("UNSAFE_OUTPUT_IGNORED", message))
}
