//! The contracts: shapes for the same outcome.
//!
//! A contract may shape, and nothing else. Each module destructures the whole outcome, so
//! that every fact is either written or listed as lost; the compiler sees to it. The rest of the
//! crate uses a contract through its [`Row`].

use std::borrow::Cow;

use crate::catalogue::Code;
use crate::context::Context;
use crate::outcome::{Call, Content, Ended, IdSource, Loss, Losses, Outcome, Unwrapped, Verbatim};
use crate::prepared::attest::Attested;
use crate::raw_json::{RawJson, encoded_len};
pub(crate) use crate::subject::Contract;

mod code_lines;
mod content;
mod described;
mod envelope_v1;
mod facts;
mod loss;
mod machine_readable_v1;
mod mcp_envelope_v0_1;
mod output_schema;
mod read;
mod request_id;
mod response_v2;
mod row;
mod spelling;
mod told;

pub use described::describes_envelope;
pub use machine_readable_v1::plain_text;
pub(crate) use output_schema::Place;
pub use output_schema::{output_schema, schema_around};
pub use read::{Reading, read, recognise};
pub(crate) use read::{look_at, read_in, recognise_opened, unmarked};
pub use request_id::request_id;
use row::Row;
pub(crate) use spelling::code_from_type;
pub use spelling::{Spelling, code_from_spelling, spellings};

impl Contract {
    /// The functions and facts of this contract.
    fn row(self) -> &'static Row {
        match self {
            Contract::EnvelopeV1 => &envelope_v1::ROW,
            Contract::ResponseV2 => &response_v2::ROW,
            Contract::MachineReadableV1 => &machine_readable_v1::ROW,
            Contract::McpEnvelopeV01 => &mcp_envelope_v0_1::ROW,
        }
    }
}

/// What a caller gets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The envelope, compact.
    pub envelope: RawJson,
    /// Media blocks that stand beside the envelope in an MCP result.
    pub blocks: Vec<RawJson>,
    /// Whether the call failed.
    pub is_error: bool,
    /// What went wrong, canonically.
    pub code: Option<Code>,
    /// The request id that the envelope says, if it says one.
    pub request_id: Option<String>,
    /// What the contract could not carry.
    pub losses: Vec<Loss>,
}

/// Shapes an outcome as `contract` says.
///
/// Only what has been through every stage can be written. An outcome that was not redacted does
/// not compile here:
///
/// ```compile_fail,E0308
/// use manila::stage::classify::{Media, classify};
/// use manila::{Context, Contract, Observation, render};
///
/// let seen = Observation::from_json(r#"{"observed": {"said": "hello"}}"#).unwrap();
/// let context = Context::new([0; 16]);
/// let outcome = classify(seen, Media::Inline, None, &context);
/// render(&outcome, Contract::ResponseV2, &context);
/// ```
///
/// Nor does one that was redacted, but not fitted and attested:
///
/// ```compile_fail,E0308
/// use manila::stage::classify::{Media, classify};
/// use manila::stage::redact::{Redaction, redact};
/// use manila::{Context, Contract, Observation, render};
///
/// let seen = Observation::from_json(r#"{"observed": {"said": "hello"}}"#).unwrap();
/// let context = Context::new([0; 16]);
/// let redacted = redact(classify(seen, Media::Inline, None, &context), Redaction::Standard, None);
/// render(&redacted, Contract::ResponseV2, &context);
/// ```
#[must_use]
pub fn render(attested: &Attested, contract: Contract, context: &Context) -> Reply {
    let outcome = &*as_read_in(attested.outcome(), contract);
    let Shaped { envelope, request_id, losses } = match &outcome.verbatim {
        Some(own) if own.contract == contract => unchanged(own, &outcome.call),
        Some(_) | None => shape(outcome, contract.row(), context),
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

/// The outcome as it reads in `contract`, which may not be the one that it came in.
fn as_read_in(outcome: &Outcome, contract: Contract) -> Cow<'_, Outcome> {
    let is_foreign = outcome.came_in.is_some_and(|own| own != contract);
    match outcome.unwrapped.as_deref().filter(|_| is_foreign) {
        None => Cow::Borrowed(outcome),
        Some(Unwrapped { ended, unread }) => {
            let (ended, unread) = (ended.clone(), unread.clone());
            Cow::Owned(Outcome { ended, unread, ..outcome.clone() })
        }
    }
}

/// An envelope, the request id in it, and what is not in it.
struct Shaped {
    envelope: RawJson,
    request_id: Option<String>,
    losses: Losses,
}

/// An envelope that goes out unchanged.
fn unchanged(own: &Verbatim, call: &Call) -> Shaped {
    let Verbatim { contract: _, envelope, request_id } = own;
    let mut losses = Losses::default();
    if call.request_id.is_some() && call.id_source == IdSource::Caller {
        losses.add("request_id", "the envelope keeps its own");
    }
    Shaped { envelope: envelope.clone(), request_id: request_id.clone(), losses }
}

fn shape(outcome: &Outcome, row: &Row, context: &Context) -> Shaped {
    let mut out = Vec::with_capacity(size_estimate(outcome, row));
    let mut losses = Losses::default();
    let request_id = (row.render)(outcome, context, &mut out, &mut losses);
    let losses = Losses::from(outcome.unread.clone()).and(losses);
    Shaped { envelope: RawJson::written(out), request_id, losses }
}

/// How many bytes an envelope needs, so that a large one is not moved while it grows.
fn size_estimate(outcome: &Outcome, row: &Row) -> usize {
    let content = match outcome.content() {
        Content::Nothing => 0,
        Content::Text(text) => encoded_len(text.as_bytes()),
        Content::Json(json) if row.payload_is_text => encoded_len(json.as_bytes()),
        Content::Json(json) => json.as_bytes().len(),
    };
    let stderr = outcome.run.as_ref().map_or(0, |run| run.stderr.len());
    512 + content + stderr
}

#[cfg(test)]
mod tests;
