//! `mcp.envelope.v0.1`: the unchanged payload beside structured errors and provenance.

use std::borrow::Cow;
use std::time::Duration;

use super::content::{is_scalar, text_of};
use super::facts::{Facts, details_with_location};
use super::spec::{ContractSpec, Mark};
use super::{Losses, Place, response_v2};
use crate::context::Context;
use crate::outcome::{
    Call, Content, Ended, Failure, Notes, Outcome, Provenance, Receipt, Run, Tier, Warning,
};
use crate::raw_json::{Emit, JsonObject, Kind, OrNull, RawJson, shape};
use crate::truncate::cut;

/// The tool's schema applies unless there are errors or warnings.
const PAYLOAD: Place = Place {
    before: concat!(
        r#"{"if":{"not":{"anyOf":[{"required":["errors"]},{"required":["warnings"]}]}},"#,
        r#""then":{"properties":{"result":"#,
    ),
    after: "}}}",
    pointer: "#/allOf/0/then/properties/result",
};

mod code;
mod read;

/// The functions and facts of the contract.
pub(super) static SPEC: ContractSpec = ContractSpec {
    render: |outcome, _, out, losses| render(outcome, out, losses),
    read: read::read,
    format_request_id,
    spellings: code::spellings,
    shared_spellings: code::SHARED,
    code_from_group: |_| None,
    payload_schema_place: |_| Ok(PAYLOAD),
    mark: Mark::Text { path: &["schema_version"], text: VERSION },
    described_by: None,
    payload_is_text: false,
};

/// P1: the mark of an envelope.
const VERSION: &str = "mcp.envelope.v0.1";

/// The facts that the contract writes after a failure's own details.
const FACT_NAMES: [&str; 4] = ["retry_after_seconds", "exit_code", "remediation", "origin_code"];

/// P4: the code of a warning without a code of its own.
const PLAIN_WARNING: &str = "ADAPTER.WARNING";

/// P3: the code of the warning about redacted secrets.
const REDACTED: &str = "ADAPTER.REDACTED";

shape! {
    /// P1: these members and no others.
    struct Envelope<'a> {
        schema_version: &'static str,
        /// P2: the payload, unchanged.
        result: Content<'a>,
        errors: Option<Vec<Fault<'a>>>,
        warnings: Option<Vec<EnvelopeWarning<'a>>>,
        meta: Option<JsonObject>,
        /// P2: absent, `null`, or the record.
        provenance: Option<OrNull<&'a JsonObject>>,
    }
}

shape! {
    /// P4: one failure.
    struct Fault<'a> {
        code: &'a str,
        message: Cow<'a, str>,
        details: Option<JsonObject>,
        /// P4: written only if it is true.
        retryable: Option<bool>,
        evidence: Option<&'a [RawJson]>,
    }
}

shape! {
    struct EnvelopeWarning<'a> {
        code: &'a str,
        message: Cow<'a, str>,
        details: Option<JsonObject>,
    }
}

// The maximum lengths of the schema, in characters.
const CODE_CHARS_MAX: usize = 200;
const MESSAGE_CHARS_MAX: usize = 2000;
const REQUEST_ID_CHARS_MAX: usize = 200;
const ADAPTER_CHARS_MAX: usize = 100;

/// Writes the envelope, and returns its request id.
fn render(outcome: &Outcome, out: &mut Vec<u8>, losses: &mut Losses) -> Option<String> {
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
    let (errors, is_failed) = match ended {
        Ended::Done(_) => (None, false),
        Ended::Failed { failures, partial: _ } => {
            let faults = failures.iter().map(|failure| fault(failure, run.as_ref(), losses));
            (Some(faults.collect()), true)
        }
    };
    let mut warnings: Vec<EnvelopeWarning<'_>> =
        notes.warnings.iter().map(|warning| envelope_warning(warning, losses)).collect();
    warnings.extend(redaction_warning(receipt));
    let meta = meta(call, &notes.meta, losses);
    add_losses(call, notes, losses);
    losses.add_run(run.as_ref(), is_failed);
    losses.add_if(is_failed && *provenance == Provenance::Unavailable, "provenance");
    Envelope {
        schema_version: VERSION,
        result: outcome.content(),
        errors,
        warnings: (!warnings.is_empty()).then_some(warnings),
        meta: (!meta.is_empty()).then_some(meta),
        provenance: match provenance {
            Provenance::NotRequested => is_failed.then_some(OrNull(None)),
            Provenance::Unavailable => Some(OrNull(None)),
            Provenance::Record(record) => Some(OrNull(Some(record))),
        },
    }
    .emit(out);
    fitting_id(call.request_id.as_deref()).map(str::to_owned)
}

fn fault<'a>(failure: &'a Failure, run: Option<&Run>, losses: &mut Losses) -> Fault<'a> {
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
        evidence,
        retry_after: _,
        retryable: _,
        line: _,
    } = failure;
    let mut facts = Facts::of_failure(failure, &details_with_location(failure));
    facts.add_exit(run);
    facts.add_hint(hint.as_ref());
    losses.add_blank_hint(hint.as_ref());
    let own_code = origin_code.as_deref().filter(|own| fits(own, CODE_CHARS_MAX));
    if own_code.is_none() {
        facts.add("origin_code", origin_code);
    }
    losses.add_explanations(failure);
    losses.add_if(!alternatives.is_empty(), "alternatives");
    if !data.is_empty() {
        losses.add("data", "written among the details");
    }
    let word = own_code.unwrap_or(code::spell(*code));
    losses.add_code(*code, word, None);
    losses.add_clashes(&facts);
    losses.add_reserved_names(&failure.details, &FACT_NAMES);
    Fault {
        code: word,
        message: cut_message(message, losses),
        details: flatten_details(&facts, losses),
        retryable: failure.is_retryable().then_some(true),
        evidence: (!evidence.is_empty()).then_some(evidence),
    }
}

fn envelope_warning<'a>(warning: &'a Warning, losses: &mut Losses) -> EnvelopeWarning<'a> {
    let Warning { code, severity, message, context } = warning;
    losses.add_if(severity.is_some(), "warning severity");
    if message.is_empty() {
        losses.add("warning message", "the contract requires one, so the code is written instead");
    }
    let own_code = code.as_deref().filter(|own| !own.is_empty() && fits(own, CODE_CHARS_MAX));
    if code.is_some() && own_code.is_none() {
        losses.add("warning code", "the contract's codes have 1 to 200 characters");
    }
    let code = own_code.unwrap_or(PLAIN_WARNING);
    let mut facts = Facts::default();
    facts.add_all(context);
    losses.add_clashes(&facts);
    EnvelopeWarning {
        code,
        message: cut_message(if message.is_empty() { code } else { message }, losses),
        details: flatten_details(&facts, losses),
    }
}

/// P3: returns the warning about redacted secrets, with their number by rule.
fn redaction_warning(receipt: &Receipt) -> Option<EnvelopeWarning<'static>> {
    let details = JsonObject::build(|object| {
        object.member("count", &receipt.count());
        object.member("rules", &receipt.rules());
    });
    let message = receipt.sentence()?.into();
    Some(EnvelopeWarning { code: REDACTED, message, details: Some(details) })
}

fn cut_message<'a>(message: &'a str, losses: &mut Losses) -> Cow<'a, str> {
    let (short, is_cut) = cut(message, MESSAGE_CHARS_MAX);
    if is_cut {
        losses.add("message", "the contract's messages have at most 2000 characters");
    }
    short.into()
}

/// P4: returns details with only scalars; other values are written as JSON text.
fn flatten_details(facts: &Facts, losses: &mut Losses) -> Option<JsonObject> {
    if facts.is_empty() {
        return None;
    }
    Some(JsonObject::build(|object| {
        for (name, value) in facts.iter() {
            if is_scalar(value) {
                object.member(name, value);
            } else {
                object.member(name, &text_of(value));
                losses.add("details", "values that are not scalars are written as JSON text");
            }
        }
    }))
}

/// Returns the caller's id if it fits, else one in the form of `response-v2`.
fn format_request_id<'a>(
    id: Option<&'a str>,
    context: &Context,
    losses: &mut Losses,
) -> Cow<'a, str> {
    match (fitting_id(id), id) {
        (Some(id), _) => id.into(),
        (None, Some(too_long)) => response_v2::replacement_request_id(too_long),
        (None, None) => response_v2::format_request_id(None, context, losses),
    }
}

/// P1: returns the caller's id, unless it is too long.
fn fitting_id(given: Option<&str>) -> Option<&str> {
    given.filter(|id| fits(id, REQUEST_ID_CHARS_MAX))
}

/// P4, P6: returns `meta`: only facts from the caller, and the duration only if responses may vary.
fn meta(call: &Call, extra: &JsonObject, losses: &mut Losses) -> JsonObject {
    let request_id = fitting_id(call.request_id.as_deref());
    if call.request_id.is_some() && request_id.is_none() {
        losses.add("request_id", "the contract's ids have at most 200 characters");
    }
    let duration = call.duration.filter(|_| call.deterministic == Some(false));
    let duration_ms = duration.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
    if call.duration != duration_ms.map(Duration::from_millis) {
        let why = match duration {
            Some(_) => "rounded down to whole milliseconds",
            None => "left out unless `deterministic` is false",
        };
        losses.add("duration_ms", why);
    }
    let adapter = extra.get("adapter").filter(|name| is_text(name, ADAPTER_CHARS_MAX));
    let hints = extra.get("schema_hints").filter(are_schema_hints);
    let n_written = usize::from(adapter.is_some()) + usize::from(hints.is_some());
    losses.add_if(extra.members().count() > n_written, "meta");
    JsonObject::build(|object| {
        object.member("adapter", &adapter);
        object.member("request_id", &request_id);
        object.member("duration_ms", &duration_ms);
        object.member("schema_hints", &hints);
    })
}

fn are_schema_hints(hints: &RawJson) -> bool {
    hints.kind() == Kind::Object
        && hints.members().all(|member| is_text(&member.value(), CODE_CHARS_MAX))
}

fn is_text(value: &RawJson, chars_max: usize) -> bool {
    value.as_text().is_some_and(|text| fits(&text, chars_max))
}

fn fits(text: &str, chars_max: usize) -> bool {
    text.chars().count() <= chars_max
}

fn add_losses(call: &Call, notes: &Notes, losses: &mut Losses) {
    let Call {
        tool_id,
        tool_version,
        request_id: _,
        tier,
        duration: _,
        deterministic: _,
        capabilities,
        id_source: _,
    } = call;
    let Notes {
        warnings: _,
        pagination: _,
        rate_limit: _,
        telemetry: _,
        upgrade_hints,
        metadata,
        meta: _,
        fidelity: _,
    } = notes;
    losses.add_if(tool_id.is_some() || tool_version.is_some(), "tool");
    losses.add_if(capabilities.is_some(), "capabilities");
    losses.add_if(*tier != Tier::default(), "tier");
    losses.add_notes(notes);
    losses.add_if(!upgrade_hints.is_empty(), "upgrade_hints");
    losses.add_if(!metadata.is_empty(), "metadata");
}
