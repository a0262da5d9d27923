//! `envelope-v1`: nine members in a fixed order.

use std::borrow::Cow;
use std::time::Duration;

use super::content::Hint;
use super::facts::{Facts, details_with_location};
use super::spec::{ContractSpec, Mark, Members};
use super::{Losses, Place};
use crate::context::Context;
use crate::outcome::{
    Call, Content, Ended, Failure, NonEmpty, Notes, Outcome, Provenance, Receipt, Run, Tier,
    non_blank,
};
use crate::raw_json::{Emit, JsonObject, OrNull, shape};

/// The tool's schema is included, but does not restrict a payload: the envelope cannot mark a
/// response to which it does not apply.
const PAYLOAD: Place = Place {
    before: r#"{"properties":{"data":{"anyOf":["#,
    after: ",{}]}}}",
    pointer: "#/allOf/0/properties/data/anyOf/0",
};

mod code;
mod message;
mod read;

/// The functions and facts of the contract.
pub(super) static SPEC: ContractSpec = ContractSpec {
    render: |outcome, context, out, losses| Some(render(outcome, context, out, losses)),
    read: read::read,
    format_request_id,
    spellings: code::spellings,
    shared_spellings: code::SHARED,
    code_from_group: |_| None,
    payload_schema_place: |_| Ok(PAYLOAD),
    // E5: only the duration may be absent.
    mark: Mark::Members(Members { names: MEMBERS, optional: Some("duration_ms") }),
    described_by: None,
    payload_is_text: false,
};

/// E4: the capability of every invocation.
const CAPABILITY: &str = "envelope-v1";

/// The facts that the contract writes after a failure's own details.
const FACT_NAMES: [&str; 5] =
    ["retry_after_seconds", "origin_code", "remediation", "alternatives", "errors"];

/// E1: the nine members.
const MEMBERS: &[&str] = Envelope::MEMBERS;

shape! {
    /// E1: exactly these nine members, all of them always present.
    struct Envelope<'a> {
        /// E2: the lowest tier if the caller's is unknown.
        tier: &'static str,
        tool_version: &'a str,
        tool_id: &'a str,
        /// E3: the caller's id, or 32 hex digits.
        request_id: Cow<'a, str>,
        /// E4: the capabilities of this invocation.
        capabilities: Vec<&'a str>,
        /// E5: whole milliseconds.
        duration_ms: OrNull<u64>,
        error: OrNull<Fault>,
        /// E9: `[]` if the tier withheld nothing.
        upgrade_hints: Vec<Hint<'a>>,
        /// E8: the tool's payload, unchanged.
        data: Content<'a>,
    }
}

shape! {
    /// E6: the error model.
    struct Fault {
        error: String,
        error_code: &'static str,
        error_details: OrNull<JsonObject>,
    }
}

/// Writes the envelope, and returns its request id.
fn render(outcome: &Outcome, context: &Context, out: &mut Vec<u8>, losses: &mut Losses) -> String {
    let Outcome {
        call,
        ended,
        run,
        blocks: _,
        notes,
        receipt,
        provenance,
        source_contract: _,
        verbatim: _,
        unread: _,
        unwrapped: _,
    } = outcome;
    let Call {
        tool_id,
        tool_version,
        request_id,
        tier,
        duration: _,
        deterministic: _,
        capabilities,
        id_source: _,
    } = call;
    let error = match ended {
        Ended::Done(_) => None,
        Ended::Failed { failures, partial: _ } => Some(fault(failures, run.as_ref(), losses)),
    };
    add_losses(notes, receipt, provenance, run.as_ref(), losses);
    let envelope = Envelope {
        tier: tier.name(),
        tool_version: non_blank(tool_version.as_deref()).unwrap_or("0.0.0"),
        tool_id: non_blank(tool_id.as_deref()).unwrap_or("unknown"),
        request_id: format_request_id(request_id.as_deref(), context, losses),
        capabilities: capabilities
            .as_ref()
            .map_or_else(|| vec![CAPABILITY], |names| names.iter().map(String::as_str).collect()),
        duration_ms: OrNull(duration_ms(call, losses)),
        error: OrNull(error),
        upgrade_hints: notes.upgrade_hints.iter().map(Hint).collect(),
        data: outcome.content(),
    };
    envelope.emit(out);
    envelope.request_id.into_owned()
}

/// E3: returns the caller's id, or generates one.
fn format_request_id<'a>(
    id: Option<&'a str>,
    context: &Context,
    losses: &mut Losses,
) -> Cow<'a, str> {
    non_blank(id).map_or_else(
        || {
            losses.add_generated_id();
            context.fresh_hex().into()
        },
        Cow::Borrowed,
    )
}

/// E5: returns the duration, for failures too. Paid tiers require a number, so an unknown duration
/// is 0 there.
fn duration_ms(call: &Call, losses: &mut Losses) -> Option<u64> {
    let known = call.duration.filter(|_| call.deterministic != Some(true));
    let millis = known.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
    if call.duration != millis.map(Duration::from_millis) {
        let why = match known {
            Some(_) => "rounded down to whole milliseconds",
            None => "left out of deterministic responses",
        };
        losses.add("duration_ms", why);
    }
    match (millis, call.tier) {
        (Some(_), _) => millis,
        (None, Tier::Pro | Tier::Enterprise) => {
            losses.add("duration_ms", "paid tiers require a number, so an unknown one is 0");
            Some(0)
        }
        (None, Tier::Community) => None,
    }
}

fn fault(failures: &NonEmpty<Failure>, run: Option<&Run>, losses: &mut Losses) -> Fault {
    let Failure {
        code,
        origin_code,
        message,
        category: _,
        hint,
        explanation: _,
        link: _,
        fixes: _,
        alternatives,
        details: _,
        data,
        evidence: _,
        retry_after: _,
        retryable: _,
        line: _,
    } = failures.first();
    let mut facts = Facts::of_failure(failures.first(), &details_with_location(failures.first()));
    facts.add("origin_code", origin_code);
    facts.add_exit(run);
    facts.add_hint(hint.as_ref());
    losses.add_blank_hint(hint.as_ref());
    facts.add_alternatives(alternatives);
    facts.add_others(failures);
    let source = message::choose_message(message, origin_code.as_deref(), run);
    let error = message::first_line(source).unwrap_or_else(|| code.entry().message.to_owned());
    if error != message.as_ref() {
        losses.add("message", "it is cut to one line without code, of at most 500 characters");
    }
    let error_code = code::spell(*code, run);
    losses.add_code(*code, error_code, None);
    losses.add_clashes(&facts);
    losses.add_reserved_names(&failures.first().details, &FACT_NAMES);
    if !data.is_empty() {
        losses.add("data", "written among the details");
    }
    losses.add_failures(failures);
    Fault {
        error,
        error_code,
        error_details: OrNull((!facts.is_empty()).then(|| facts.into_object())),
    }
}

fn add_losses(
    notes: &Notes,
    receipt: &Receipt,
    provenance: &Provenance,
    run: Option<&Run>,
    losses: &mut Losses,
) {
    let Notes {
        warnings,
        pagination: _,
        rate_limit: _,
        telemetry: _,
        upgrade_hints: _,
        metadata,
        meta,
        fidelity: _,
    } = notes;
    losses.add_if(!warnings.is_empty(), "warnings");
    losses.add_notes(notes);
    losses.add_if(!metadata.is_empty(), "metadata");
    losses.add_if(!meta.is_empty(), "meta");
    losses.add_receipt_and_provenance(receipt, provenance);
    losses.add_run(run, false);
}
