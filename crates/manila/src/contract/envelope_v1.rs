//! `envelope-v1`: nine members, always, in one order.

use std::borrow::Cow;
use std::time::Duration;

use super::content::Hint;
use super::facts::{Facts, located};
use super::row::{Mark, Members, Row};
use super::{Losses, Place};
use crate::context::Context;
use crate::outcome::{
    Call, Content, Ended, Failure, NonEmpty, Notes, Outcome, Provenance, Receipt, Run, Tier, said,
};
use crate::raw_json::{Emit, JsonObject, OrNull, shape};

/// The tool's own schema is told, but nothing marks an answer that it does not bind.
const PAYLOAD: Place = Place {
    before: r#"{"properties":{"data":{"anyOf":["#,
    after: ",{}]}}}",
    pointer: "#/allOf/0/properties/data/anyOf/0",
};

mod code;
mod message;
mod read;

/// What the contract offers.
pub(super) static ROW: Row = Row {
    render: |outcome, context, out, losses| Some(render(outcome, context, out, losses)),
    read: read::read,
    spell_id,
    spellings: code::spellings,
    shared_words: code::SHARED,
    code_of_group: |_| None,
    place_of: |_| Ok(PAYLOAD),
    // E5: the duration is the only one that may be absent.
    mark: Mark::Members(Members { names: MEMBERS, optional: Some("duration_ms") }),
    described_by: None,
    payload_is_text: false,
};

/// E4: what every invocation supports.
const CAPABILITY: &str = "envelope-v1";

/// What is told of a failure behind its own details.
const TOLD_NAMES: [&str; 5] =
    ["retry_after_seconds", "origin_code", "remediation", "alternatives", "errors"];

/// E1: the nine members.
const MEMBERS: &[&str] = Envelope::MEMBERS;

shape! {
    /// E1: these nine members and no others; none is ever left out.
    struct Envelope<'a> {
        /// E2: the least privilege when nothing else is known.
        tier: &'static str,
        tool_version: &'a str,
        tool_id: &'a str,
        /// E3: the caller's id, or 32 hex digits.
        request_id: Cow<'a, str>,
        /// E4: what this invocation supports.
        capabilities: Vec<&'a str>,
        /// E5: whole milliseconds.
        duration_ms: OrNull<u64>,
        error: OrNull<Fault>,
        /// E9: `[]` when nothing was withheld.
        upgrade_hints: Vec<Hint<'a>>,
        /// E8: the tool's own payload, untouched.
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

/// Writes the envelope; returns its request id.
fn render(outcome: &Outcome, context: &Context, out: &mut Vec<u8>, losses: &mut Losses) -> String {
    let Outcome {
        call,
        ended,
        run,
        blocks: _,
        notes,
        receipt,
        provenance,
        came_in: _,
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
    lose(notes, receipt, provenance, run.as_ref(), losses);
    let envelope = Envelope {
        tier: tier.name(),
        tool_version: said(tool_version.as_deref()).unwrap_or("0.0.0"),
        tool_id: said(tool_id.as_deref()).unwrap_or("unknown"),
        request_id: spell_id(request_id.as_deref(), context, losses),
        capabilities: capabilities
            .as_ref()
            .map_or_else(|| vec![CAPABILITY], |own| own.iter().map(String::as_str).collect()),
        duration_ms: OrNull(duration_ms(call, losses)),
        error: OrNull(error),
        upgrade_hints: notes.upgrade_hints.iter().map(Hint).collect(),
        data: outcome.content(),
    };
    envelope.emit(out);
    envelope.request_id.into_owned()
}

/// E3: the caller's, or one that is made for the call.
fn spell_id<'a>(id: Option<&'a str>, context: &Context, losses: &mut Losses) -> Cow<'a, str> {
    said(id).map_or_else(
        || {
            losses.add_made_id();
            context.fresh_hex().into()
        },
        Cow::Borrowed,
    )
}

/// E5: on failures too. The paid tiers need a number, so there an unknown one is 0.
fn duration_ms(call: &Call, losses: &mut Losses) -> Option<u64> {
    let known = call.duration.filter(|_| call.deterministic != Some(true));
    let told = known.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
    if call.duration != told.map(Duration::from_millis) {
        losses.add("duration_ms", "whole milliseconds are told, and none if answers must not vary");
    }
    match (told, call.tier) {
        (Some(_), _) => told,
        (None, Tier::Pro | Tier::Enterprise) => {
            losses.add("duration_ms", "the paid tiers need a number, so an unknown one is 0");
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
    let mut facts = Facts::of_failure(failures.first(), &located(failures.first()));
    facts.add("origin_code", origin_code);
    facts.add_exit(run);
    facts.add_hint(hint.as_ref());
    losses.add_blank_hint(hint.as_ref());
    facts.add_alternatives(alternatives);
    facts.add_others(failures);
    let told = message::told(message, origin_code.as_deref(), run);
    let error = message::first_line(told).unwrap_or_else(|| code.entry().message.to_owned());
    if error != message.as_ref() {
        losses.add("message", "one line of it is told, without code, of at most 500 characters");
    }
    let error_code = code::word(*code, run);
    losses.add_code(*code, error_code, None);
    losses.add_clashes(&facts);
    losses.add_own_names(&failures.first().details, &TOLD_NAMES);
    if !data.is_empty() {
        losses.add("data", "it is told among the details");
    }
    losses.add_failures(failures);
    Fault {
        error,
        error_code,
        error_details: OrNull((!facts.is_empty()).then(|| facts.into_object())),
    }
}

fn lose(
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
    losses.add_origin(receipt, provenance);
    losses.add_run(run, false);
}
