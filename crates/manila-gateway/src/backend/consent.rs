//! Whether an answer is redacted: always, unless the operator says otherwise for the tool, or
//! the caller does for one call and the operator lets it (M12).

use manila::{Contract, Notes, RawJson, Warning};

use crate::backend::Backend;
use crate::config::UnsafeOutput;
use crate::protocol::own_meta;
use crate::telemetry::event::{Consent, Event};

/// What a caller asks for, in `_meta` or among the arguments.
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

impl Backend {
    /// Who wants a tool's answer with its secrets, if somebody does who may. The log tells it.
    pub(super) fn consent(&self, tool: &str, wish: Wish) -> Option<Consent> {
        let settings = self.settings();
        let hiding = &settings.hiding;
        let why = match (wish, hiding.unsafe_output) {
            _ if hiding.not_for.contains(tool) => Consent::Operator,
            (Wish::UnsafeOutput, UnsafeOutput::Allowed) => Consent::Caller,
            (Wish::UnsafeOutput, UnsafeOutput::Ignored) | (Wish::None, _) => return None,
        };
        self.tell(Event::Unredacted { tool: tool.to_owned(), why });
        Some(why)
    }
}

/// Warns a caller whose wish is not granted, where the contract has a place for warnings.
pub(super) fn tell_ignored(
    notes: &mut Notes,
    contract: Contract,
    wish: Wish,
    consent: Option<Consent>,
) {
    const CODE: &str = "UNSAFE_OUTPUT_IGNORED";
    let message = "unsafeOutput is not allowed here: what is secret stays hidden";
    match (wish, consent) {
        (Wish::None, _) | (_, Some(_)) => {}
        (Wish::UnsafeOutput, None) if contract.info().warns_in_metadata => {
            notes.metadata.push(("warning".to_owned(), format!("{CODE}: {message}")));
        }
        (Wish::UnsafeOutput, None) => notes.warnings.push(Warning::coded(CODE, message)),
    }
}
