//! The contracts: formats for the same outcome.
//!
//! A contract may lay out members, and nothing else. Each module destructures the whole outcome, so
//! the compiler checks that every fact is either written or listed as lost. The rest of the crate
//! uses a contract through its [`ContractSpec`].

use std::borrow::Cow;

use crate::catalogue::Code;
use crate::context::Context;
pub(crate) use crate::document_kind::Contract;
use crate::outcome::{Call, Content, Ended, IdSource, Loss, Losses, Outcome, Unwrapped, Verbatim};
use crate::prepared::attest::Attested;
use crate::raw_json::{RawJson, encoded_len};

mod code_lines;
mod content;
mod envelope_schema;
mod envelope_v1;
mod facts;
mod facts_read;
mod loss;
mod machine_readable_v1;
mod mcp_envelope_v0_1;
mod output_schema;
mod read;
mod request_id;
mod response_v2;
mod spec;
mod spelling;

pub use envelope_schema::describes_envelope;
pub use machine_readable_v1::render_plain_text;
pub(crate) use output_schema::Place;
pub use output_schema::{output_schema, try_output_schema};
pub use read::{Reading, read, recognise};
pub(crate) use read::{read_in, read_with_findings, recognise_top_level, wrap_if_marked};
pub use request_id::format_request_id;
use spec::ContractSpec;
pub(crate) use spelling::code_from_type;
pub use spelling::{Spelling, code_from_spelling, spellings};

impl Contract {
    /// Returns the functions and facts of this contract.
    fn spec(self) -> &'static ContractSpec {
        match self {
            Contract::EnvelopeV1 => &envelope_v1::SPEC,
            Contract::ResponseV2 => &response_v2::SPEC,
            Contract::MachineReadableV1 => &machine_readable_v1::SPEC,
            Contract::McpEnvelopeV01 => &mcp_envelope_v0_1::SPEC,
        }
    }
}

/// The envelope for a caller, with facts about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The envelope. It is compact, unless it is a tool's own envelope that is passed through.
    pub envelope: RawJson,
    /// Media blocks, which are written beside the envelope in an MCP result.
    pub blocks: Vec<RawJson>,
    /// Whether the call failed.
    pub is_error: bool,
    /// The canonical code of the first failure.
    pub code: Option<Code>,
    /// The request id in the envelope, if it has one.
    pub request_id: Option<String>,
    /// The facts that the contract could not carry.
    pub losses: Vec<Loss>,
}

/// Writes an outcome as an envelope of `contract`.
///
/// Only an outcome that has passed every stage can be written. Writing one that was not redacted
/// does not compile:
///
/// ```compile_fail,E0308
/// use manila::stage::classify::{Media, classify};
/// use manila::{Context, Contract, Observation, render};
///
/// let observation = Observation::from_json(r#"{"observed": {"said": "hello"}}"#).unwrap();
/// let context = Context::new([0; 16]);
/// let outcome = classify(observation, Media::Inline, None, &context);
/// render(&outcome, Contract::ResponseV2, &context);
/// ```
///
/// Nor does writing one that was redacted, but not fitted and attested:
///
/// ```compile_fail,E0308
/// use manila::stage::classify::{Media, classify};
/// use manila::stage::redact::{Redaction, redact};
/// use manila::{Context, Contract, Observation, render};
///
/// let observation = Observation::from_json(r#"{"observed": {"said": "hello"}}"#).unwrap();
/// let context = Context::new([0; 16]);
/// let outcome = classify(observation, Media::Inline, None, &context);
/// let redacted = redact(outcome, Redaction::Standard, None);
/// render(&redacted, Contract::ResponseV2, &context);
/// ```
#[must_use]
pub fn render(attested: &Attested, contract: Contract, context: &Context) -> Reply {
    let outcome = &*outcome_for(attested.outcome(), contract);
    let Shaped { envelope, request_id, losses } = match &outcome.verbatim {
        Some(verbatim) if verbatim.contract == contract => pass_through(verbatim, &outcome.call),
        Some(_) | None => shape(outcome, contract.spec(), context),
    };
    let code = match &outcome.ended {
        Ended::Done(_) => None,
        Ended::Failed { failures, .. } => Some(failures.first().code),
    };
    Reply {
        envelope,
        blocks: outcome.blocks.clone(),
        is_error: code.is_some(),
        code,
        request_id,
        losses: losses.into_vec(),
    }
}

/// Returns the outcome as seen by `contract`, which may differ from the envelope's own contract.
fn outcome_for(outcome: &Outcome, contract: Contract) -> Cow<'_, Outcome> {
    let is_foreign = outcome.source_contract.is_some_and(|source| source != contract);
    match outcome.unwrapped.as_deref().filter(|_| is_foreign) {
        None => Cow::Borrowed(outcome),
        Some(Unwrapped { ended, unread }) => {
            let (ended, unread) = (ended.clone(), unread.clone());
            Cow::Owned(Outcome { ended, unread, ..outcome.clone() })
        }
    }
}

/// An envelope, its request id, and the facts that it lacks.
struct Shaped {
    envelope: RawJson,
    request_id: Option<String>,
    losses: Losses,
}

/// Returns an envelope unchanged.
fn pass_through(verbatim: &Verbatim, call: &Call) -> Shaped {
    let Verbatim { contract: _, envelope, request_id } = verbatim;
    let mut losses = Losses::default();
    if call.request_id.is_some() && call.id_source == IdSource::Caller {
        losses.add("request_id", "the envelope keeps its own id");
    }
    Shaped { envelope: envelope.clone(), request_id: request_id.clone(), losses }
}

fn shape(outcome: &Outcome, spec: &ContractSpec, context: &Context) -> Shaped {
    let mut out = Vec::with_capacity(size_estimate(outcome, spec));
    let mut losses = Losses::default();
    let request_id = (spec.render)(outcome, context, &mut out, &mut losses);
    let losses = Losses::from(outcome.unread.clone()).and(losses);
    Shaped { envelope: RawJson::from_compact(out), request_id, losses }
}

/// Estimates the size of an envelope in bytes, so that the buffer of a large one need not grow.
fn size_estimate(outcome: &Outcome, spec: &ContractSpec) -> usize {
    let content = match outcome.content() {
        Content::Nothing => 0,
        Content::Text(text) => encoded_len(text.as_bytes()),
        Content::Json(json) if spec.payload_is_text => encoded_len(json.as_bytes()),
        Content::Json(json) => json.as_bytes().len(),
    };
    let stderr = outcome.run.as_ref().map_or(0, |run| run.stderr.len());
    let message = match &outcome.ended {
        Ended::Done(_) => 0,
        Ended::Failed { failures, .. } => encoded_len(failures.first().message.as_bytes()),
    };
    512 + content + stderr + message
}

#[cfg(test)]
mod tests;
