//! Decides whether a result is redacted: always, unless the operator disables redaction for the
//! tool, or the caller requests `unsafeOutput` and the operator allows it (M12).

use manila::{Contract, Notes, RawJson, Warning};

use crate::backend::Backend;
use crate::config::UnsafeOutput;
use crate::protocol::meta_keys;
use crate::telemetry::event::{Consent, Event};

/// The output that a caller requests, in `_meta` or as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedOutput {
    /// The redacted result, which is the default.
    None,
    /// The result without redaction.
    UnsafeOutput,
}

impl RequestedOutput {
    pub(super) fn of(meta: Option<&RawJson>) -> RequestedOutput {
        let value = meta.and_then(|meta| meta.get(meta_keys::UNSAFE_OUTPUT));
        let is_requested = value.is_some_and(|value| value.as_bytes() == b"true");
        if is_requested { RequestedOutput::UnsafeOutput } else { RequestedOutput::None }
    }
}

impl Backend {
    /// Returns the consent to a result without redaction, if there is one, and reports it.
    pub(super) fn find_consent(&self, tool: &str, requested: RequestedOutput) -> Option<Consent> {
        let settings = self.settings();
        let policy = &settings.redaction;
        let why = match (requested, policy.unsafe_output) {
            _ if policy.excluded_tools.contains(tool) => Consent::Operator,
            (RequestedOutput::UnsafeOutput, UnsafeOutput::Allowed) => Consent::Caller,
            (RequestedOutput::UnsafeOutput, UnsafeOutput::Ignored) | (RequestedOutput::None, _) => {
                return None;
            }
        };
        self.report(Event::Unredacted { tool: tool.to_owned(), why });
        Some(why)
    }
}

/// Warns a caller whose `unsafeOutput` is ignored, if the contract has a place for warnings.
pub(super) fn warn_ignored(
    notes: &mut Notes,
    contract: Contract,
    requested: RequestedOutput,
    consent: Option<Consent>,
) {
    const CODE: &str = "UNSAFE_OUTPUT_IGNORED";
    let message = "unsafeOutput is not allowed: secrets are redacted";
    match (requested, consent) {
        (RequestedOutput::None, _) | (_, Some(_)) => {}
        (RequestedOutput::UnsafeOutput, None) if contract.info().warnings_in_metadata => {
            notes.metadata.push(("warning".to_owned(), format!("{CODE}: {message}")));
        }
        (RequestedOutput::UnsafeOutput, None) => {
            notes.warnings.push(Warning::with_code(CODE, message));
        }
    }
}
