//! Reading `mcp.envelope.v0.1`.

use std::time::Duration;

use super::code::spell;
use super::{
    ADAPTER_CHARS_MAX, CODE_CHARS_MAX, MESSAGE_CHARS_MAX, PLAIN_WARNING, REDACTED,
    REQUEST_ID_CHARS_MAX, VERSION, fits, redaction_warning,
};
use crate::catalogue::Code;
use crate::contract::content::is_scalar;
use crate::contract::facts_read::{self, FactsRead};
use crate::contract::read::check_double_wrapping;
use crate::contract::response_v2::move_partial_to_stdout;
use crate::contract::{Contract, code_from_spelling};
use crate::outcome::{
    Call, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Provenance, Receipt, Run, Warning,
};
use crate::prov::{self, EnclosingEnvelope};
use crate::raw_json::{JsonObject, Kind, RawJson, TopLevel};
use crate::report::collect::Findings;
use crate::report::path::Path;

/// P1: reads at most six members, of which two are required.
pub(super) fn read(envelope: TopLevel<'_>, findings: &mut Findings) -> Outcome {
    let root = &Path::ROOT;
    let (mut call, mut notes) = (Call::default(), Notes::default());
    let (mut result, mut provenance, mut failures, mut exit) = (None, None, Vec::new(), None);
    let mut has_version = false;
    let is_object = findings.document(envelope, "P1", |findings, name, value, at| match name {
        "schema_version" => {
            has_version = true;
            findings.expect_text(&value, VERSION, at, "P1");
        }
        "result" => {
            check_double_wrapping(&value, Contract::McpEnvelopeV01, at, "P3", findings);
            result = Some(value);
        }
        "provenance" => provenance = Some(value),
        "errors" => (failures, exit) = errors(&value, at, findings),
        "warnings" => notes.warnings = warnings(&value, at, findings),
        "meta" => meta(&value, at, &mut call, &mut notes, findings),
        _ => findings.reject_unknown(at, "P1"),
    });
    if is_object {
        findings.require(has_version, root, "schema_version", "P1");
        findings.require(result.is_some(), root, "result", "P1");
    }
    let payload = result.filter(|it| !it.is_null()).map_or(Payload::Absent, Payload::Json);
    let run = exit.map(|exit| Run { exit: Some(exit), ..Run::default() });
    let has_errors = !failures.is_empty();
    let (ended, run) = match NonEmpty::from_vec(failures) {
        None => (Ended::Done(payload), run),
        Some(failures) => {
            let (partial, run) = move_partial_to_stdout(payload, run);
            (Ended::Failed { failures, partial }, run)
        }
    };
    let around = EnclosingEnvelope { has_errors, has_warnings: !notes.warnings.is_empty() };
    let provenance = read_provenance(provenance, around, findings);
    let receipt = take_receipt(&mut notes);
    Outcome { call, run, notes, receipt, provenance, ..Outcome::new(ended) }
}

/// P2: reads the provenance, which is absent, `null`, or a record.
fn read_provenance(
    value: Option<RawJson>,
    around: EnclosingEnvelope,
    findings: &mut Findings,
) -> Provenance {
    let at = &Path::ROOT.name("provenance");
    match value {
        None => Provenance::NotRequested,
        Some(value) if value.is_null() && around.has_errors => Provenance::NotRequested,
        Some(value) if value.is_null() => Provenance::Unavailable,
        Some(value) => {
            prov::check_record_in_envelope(&value, at, around, findings);
            JsonObject::new(value).map_or(Provenance::Unavailable, Provenance::Record)
        }
    }
}

/// An error or a warning.
#[derive(Default)]
struct Entry {
    code: String,
    message: String,
    details: Option<JsonObject>,
    retryable: Option<bool>,
    evidence: Vec<RawJson>,
}

fn entry(
    value: &RawJson,
    path: &Path<'_>,
    is_error: bool,
    findings: &mut Findings,
) -> Option<Entry> {
    let mut entry = Entry::default();
    let (mut has_code, mut has_message) = (false, false);
    let is_object = findings.object(value, path, "P4", |findings, name, value, at| match name {
        "code" => {
            has_code = true;
            let code = findings.text_within(&value, at, "P4", (1, CODE_CHARS_MAX));
            entry.code = code.unwrap_or_default();
        }
        "message" => {
            has_message = true;
            let message = findings.text_within(&value, at, "P4", (1, MESSAGE_CHARS_MAX));
            entry.message = message.unwrap_or_default();
        }
        "details" => entry.details = details(value, at, findings),
        "retryable" if is_error => entry.retryable = findings.bool(&value, at, "P4"),
        "evidence" => {
            prov::check_evidence(&value, at, findings);
            entry.evidence = value.items().collect();
        }
        _ => findings.reject_unknown(at, "P4"),
    });
    if is_object {
        findings.require(has_code, path, "code", "P4");
        findings.require(has_message, path, "message", "P4");
    }
    is_object.then_some(entry)
}

/// P4: reads details, which must be scalars.
fn details(value: RawJson, path: &Path<'_>, findings: &mut Findings) -> Option<JsonObject> {
    findings.object(&value, path, "P4", |findings, _, value, at| {
        if !is_scalar(&value) {
            findings.reject(at, "flat", "P4", "must be a string, a number, a boolean or null");
        }
    });
    JsonObject::new(value)
}

/// Returns the failures, and the exit code of the first one.
fn errors(
    value: &RawJson,
    path: &Path<'_>,
    findings: &mut Findings,
) -> (Vec<Failure>, Option<i64>) {
    let mut failures = Vec::new();
    let mut exit = None;
    findings.array(value, path, "P4", |findings, item, at| {
        let Some(entry) = entry(&item, at, true, findings) else { return };
        let is_first = failures.is_empty();
        let (failure, own_exit) = failure(entry, findings, |own| is_first || exit == Some(own));
        if is_first {
            exit = own_exit;
        }
        failures.push(failure);
    });
    (failures, exit)
}

fn failure(
    entry: Entry,
    findings: &Findings,
    is_exit: impl Fn(i64) -> bool,
) -> (Failure, Option<i64>) {
    let Entry { code: own, message, details, retryable, evidence } = entry;
    let code = code_from_spelling(&own).unwrap_or(Code::ToolFailed);
    let mut facts = FactsRead::of(details, findings);
    let long = |value: &RawJson| facts_read::text(value).filter(|own| !fits(own, CODE_CHARS_MAX));
    let misfit = facts.take("origin_code", long);
    let hint = facts.find("remediation", facts_read::text);
    let is_command = code == Code::CommandFailed;
    let integer = |value: &RawJson| facts_read::failed_exit(value).filter(|own| is_exit(*own));
    let exit = is_command.then(|| facts.find("exit_code", integer)).flatten();
    let mut failure = Failure::new(code, message);
    let retryable = retryable.unwrap_or_default();
    failure.retryable = (retryable != code.is_retryable()).then_some(retryable);
    failure.retry_after = facts.find("retry_after_seconds", facts_read::delay);
    failure.hint = hint.map(Into::into);
    failure.origin_code = misfit.or_else(|| (spell(code) != own).then_some(own));
    failure.details = facts.into_details();
    failure.evidence = evidence;
    (failure, exit)
}

fn warnings(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Vec<Warning> {
    let mut warnings = Vec::new();
    findings.array(value, path, "P4", |findings, item, at| {
        let Some(entry) = entry(&item, at, false, findings) else { return };
        let Entry { code, message, details, retryable: _, evidence } = entry;
        findings.losses.add_if(!evidence.is_empty(), "warning evidence");
        let code = Some(code).filter(|code| code != PLAIN_WARNING);
        let context = details.unwrap_or_default();
        warnings.push(Warning { code, severity: None, message, context });
    });
    warnings
}

/// Removes the last warning and returns its receipt, if it is about redacted secrets.
fn take_receipt(notes: &mut Notes) -> Receipt {
    let receipt = notes.warnings.last().and_then(|warning| {
        let rules = warning.context.get("rules")?;
        let receipt = facts_read::receipt_from_rules(&rules.as_text()?)?;
        let expected = redaction_warning(&receipt)?;
        let is_receipt = warning.code.as_deref() == Some(REDACTED)
            && warning.message == expected.message
            && Some(&warning.context) == expected.details.as_ref();
        is_receipt.then_some(receipt)
    });
    if receipt.is_some() {
        notes.warnings.pop();
    }
    receipt.unwrap_or_default()
}

/// P1: reads the facts about the adapter and the call.
fn meta(
    value: &RawJson,
    path: &Path<'_>,
    call: &mut Call,
    notes: &mut Notes,
    findings: &mut Findings,
) {
    let mut extra = Vec::new();
    findings.object(value, path, "P1", |findings, name, value, at| match name {
        "adapter" => {
            findings.text_within(&value, at, "P1", (0, ADAPTER_CHARS_MAX));
            extra.push(("adapter", value));
        }
        "request_id" => {
            call.request_id = findings.text_within(&value, at, "P1", (0, REQUEST_ID_CHARS_MAX));
        }
        "duration_ms" => {
            let ms = findings.integer(&value, at, "P6", Some(0.0));
            let ms = ms.and_then(|ms| u64::try_from(ms).ok());
            findings.losses.add_if(ms.is_none(), "duration_ms");
            call.duration = ms.map(Duration::from_millis);
            // P6: only a response that may vary has a duration.
            call.deterministic = call.duration.map(|_| false);
        }
        "schema_hints" => {
            findings.open_object(&value, at, "P1", |findings, _, value, at| {
                findings.text_within(&value, at, "P1", (0, CODE_CHARS_MAX));
            });
            extra.push(("schema_hints", value));
        }
        _ => findings.reject_unknown(at, "P1"),
    });
    let is_present = |(_, value): &(&str, RawJson)| value.kind() != Kind::Null;
    notes.meta = JsonObject::from_members(extra.into_iter().filter(is_present));
}
