//! `mcp.envelope.v0.1`: the payload as it is, beside structured errors and provenance.

use std::borrow::Cow;
use std::time::Duration;

use super::content::{is_scalar, text_of};
use super::facts::{Facts, located};
use super::row::{Mark, Row};
use super::{Losses, Place, response_v2};
use crate::context::Context;
use crate::outcome::{
    Call, Content, Ended, Failure, Notes, Outcome, Provenance, Receipt, Run, Tier, Warning,
};
use crate::raw_json::{Emit, JsonObject, Kind, OrNull, RawJson, shape};
use crate::truncate::cut;

/// The tool's own schema binds unless there are errors or warnings.
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

/// What the contract offers.
pub(super) static ROW: Row = Row {
    render: |outcome, _, out, losses| render(outcome, out, losses),
    read: read::read,
    spell_id,
    spellings: code::spellings,
    shared_words: code::SHARED,
    code_of_group: |_| None,
    place_of: |_| Ok(PAYLOAD),
    mark: Mark::Text { path: &["schema_version"], text: VERSION },
    described_by: None,
    payload_is_text: false,
};

/// P1: the mark of an envelope.
const VERSION: &str = "mcp.envelope.v0.1";

/// What is told of a failure behind its own details.
const TOLD_NAMES: [&str; 4] = ["retry_after_seconds", "exit_code", "remediation", "origin_code"];

/// P4: the code of a warning that has none.
const PLAIN_WARNING: &str = "ADAPTER.WARNING";

/// P3: the code of the warning about what was hidden.
const REDACTED: &str = "ADAPTER.REDACTED";

shape! {
    /// P1: nothing else stands beside these.
    struct Envelope<'a> {
        schema_version: &'static str,
        /// P2: the payload as it is.
        result: Content<'a>,
        errors: Option<Vec<Fault<'a>>>,
        warnings: Option<Vec<Caution<'a>>>,
        meta: Option<JsonObject>,
        /// P2: left out, `null`, or the record.
        provenance: Option<OrNull<&'a JsonObject>>,
    }
}

shape! {
    /// P4: one failure.
    struct Fault<'a> {
        code: &'a str,
        message: Cow<'a, str>,
        details: Option<JsonObject>,
        /// P4: written only when it is true.
        retryable: Option<bool>,
        evidence: Option<&'a [RawJson]>,
    }
}

shape! {
    struct Caution<'a> {
        code: &'a str,
        message: Cow<'a, str>,
        details: Option<JsonObject>,
    }
}

/// How many characters the schema allows.
const CODE_CHARS_MAX: usize = 200;
const MESSAGE_CHARS_MAX: usize = 2000;
const REQUEST_ID_CHARS_MAX: usize = 200;
const ADAPTER_CHARS_MAX: usize = 100;

/// Writes the envelope; returns its request id.
fn render(outcome: &Outcome, out: &mut Vec<u8>, losses: &mut Losses) -> Option<String> {
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
    let (errors, is_failed) = match ended {
        Ended::Done(_) => (None, false),
        Ended::Failed { failures, partial: _ } => {
            let faults = failures.iter().map(|failure| fault(failure, run.as_ref(), losses));
            (Some(faults.collect()), true)
        }
    };
    let mut warnings: Vec<Caution<'_>> =
        notes.warnings.iter().map(|warning| caution(warning, losses)).collect();
    warnings.extend(hidden(receipt));
    let meta = meta(call, &notes.meta, losses);
    lose(call, notes, losses);
    losses.add_run(run.as_ref(), is_failed);
    losses.add_if(is_failed && *provenance == Provenance::Unavailable, "provenance");
    Envelope {
        schema_version: VERSION,
        result: outcome.content(),
        errors,
        warnings: (!warnings.is_empty()).then_some(warnings),
        meta: (!meta.is_empty()).then_some(meta),
        provenance: match provenance {
            Provenance::NotAsked => is_failed.then_some(OrNull(None)),
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
    let mut facts = Facts::of_failure(failure, &located(failure));
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
        losses.add("data", "it is told among the details");
    }
    let word = own_code.unwrap_or(code::word(*code));
    losses.add_code(*code, word, None);
    losses.add_clashes(&facts);
    losses.add_own_names(&failure.details, &TOLD_NAMES);
    Fault {
        code: word,
        message: within(message, losses),
        details: flat(&facts, losses),
        retryable: failure.is_retryable().then_some(true),
        evidence: (!evidence.is_empty()).then_some(evidence),
    }
}

fn caution<'a>(warning: &'a Warning, losses: &mut Losses) -> Caution<'a> {
    let Warning { code, severity, message, context } = warning;
    losses.add_if(severity.is_some(), "warning severity");
    if message.is_empty() {
        losses.add("warning message", "the contract needs one, so the code stands for it");
    }
    let own_code = code.as_deref().filter(|own| !own.is_empty() && fits(own, CODE_CHARS_MAX));
    if code.is_some() && own_code.is_none() {
        losses.add("warning code", "the contract's codes have 1 to 200 characters");
    }
    let code = own_code.unwrap_or(PLAIN_WARNING);
    let mut facts = Facts::default();
    facts.add_all(context);
    losses.add_clashes(&facts);
    Caution {
        code,
        message: within(if message.is_empty() { code } else { message }, losses),
        details: flat(&facts, losses),
    }
}

/// P3: that something was hidden, and by which rules.
fn hidden(receipt: &Receipt) -> Option<Caution<'static>> {
    let details = JsonObject::build(|object| {
        object.member("count", &receipt.count());
        object.member("rules", &receipt.rules());
    });
    let message = receipt.sentence()?.into();
    Some(Caution { code: REDACTED, message, details: Some(details) })
}

fn within<'a>(message: &'a str, losses: &mut Losses) -> Cow<'a, str> {
    let (short, is_cut) = cut(message, MESSAGE_CHARS_MAX);
    if is_cut {
        losses.add("message", "the contract's messages have at most 2000 characters");
    }
    short.into()
}

/// P4: details are flat scalars; anything else is told as its JSON text.
fn flat(facts: &Facts, losses: &mut Losses) -> Option<JsonObject> {
    if facts.is_empty() {
        return None;
    }
    Some(JsonObject::build(|object| {
        for (name, value) in facts.iter() {
            if is_scalar(value) {
                object.member(name, value);
            } else {
                object.member(name, &text_of(value));
                losses.add("details", "what is no scalar is told as JSON text");
            }
        }
    }))
}

/// The caller's id where it fits, else one in `response-v2`'s form.
fn spell_id<'a>(id: Option<&'a str>, context: &Context, losses: &mut Losses) -> Cow<'a, str> {
    match (fitting_id(id), id) {
        (Some(id), _) => id.into(),
        (None, Some(too_long)) => response_v2::digest_id(too_long),
        (None, None) => response_v2::spell_id(None, context, losses),
    }
}

/// P1: the caller's id, unless it is too long.
fn fitting_id(given: Option<&str>) -> Option<&str> {
    given.filter(|id| fits(id, REQUEST_ID_CHARS_MAX))
}

/// P4, P6: only what the caller gave, and no duration unless answers may vary.
fn meta(call: &Call, extra: &JsonObject, losses: &mut Losses) -> JsonObject {
    let request_id = fitting_id(call.request_id.as_deref());
    if call.request_id.is_some() && request_id.is_none() {
        losses.add("request_id", "the contract's ids have at most 200 characters");
    }
    let duration = call.duration.filter(|_| call.deterministic == Some(false));
    let duration_ms = duration.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
    if call.duration != duration_ms.map(Duration::from_millis) {
        losses.add("duration_ms", "whole milliseconds are told, and none if answers must not vary");
    }
    let adapter = extra.get("adapter").filter(|name| is_text(name, ADAPTER_CHARS_MAX));
    let hints = extra.get("schema_hints").filter(are_schema_hints);
    let n_told = usize::from(adapter.is_some()) + usize::from(hints.is_some());
    losses.add_if(extra.members().count() > n_told, "meta");
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

fn lose(call: &Call, notes: &Notes, losses: &mut Losses) {
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
