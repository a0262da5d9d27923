//! Reading `mcp.envelope.v0.1`.

use std::time::Duration;

use super::code::word;
use super::{
    ADAPTER_CHARS_MAX, CODE_CHARS_MAX, MESSAGE_CHARS_MAX, PLAIN_WARNING, REDACTED,
    REQUEST_ID_CHARS_MAX, VERSION, fits, hidden,
};
use crate::catalogue::Code;
use crate::contract::content::is_scalar;
use crate::contract::read::double_wrapped;
use crate::contract::response_v2::stdout_of;
use crate::contract::told::{self, Told};
use crate::contract::{Contract, code_from_spelling};
use crate::outcome::{
    Call, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Provenance, Receipt, Run, Warning,
};
use crate::prov::{self, Around};
use crate::raw_json::{JsonObject, Kind, Opened, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;

/// P1: six members at most, of which two are required.
pub(super) fn read(envelope: Opened<'_>, look: &mut Look) -> Outcome {
    let root = &Path::ROOT;
    let (mut call, mut notes) = (Call::default(), Notes::default());
    let (mut result, mut given, mut failures, mut exit) = (None, None, Vec::new(), None);
    let mut has_version = false;
    let is_object = look.document(envelope, "P1", |look, name, value, at| match name {
        "schema_version" => {
            has_version = true;
            look.this_text(&value, VERSION, at, "P1");
        }
        "result" => {
            double_wrapped(&value, Contract::McpEnvelopeV01, at, "P3", look);
            result = Some(value);
        }
        "provenance" => given = Some(value),
        "errors" => (failures, exit) = errors(&value, at, look),
        "warnings" => notes.warnings = warnings(&value, at, look),
        "meta" => meta(&value, at, &mut call, &mut notes, look),
        _ => look.unknown(at, "P1"),
    });
    if is_object {
        look.need(has_version, root, "schema_version", "P1");
        look.need(result.is_some(), root, "result", "P1");
    }
    let payload = result.filter(|it| !it.is_null()).map_or(Payload::Absent, Payload::Json);
    let run = exit.map(|exit| Run { exit: Some(exit), ..Run::default() });
    let has_errors = !failures.is_empty();
    let (ended, run) = match NonEmpty::from_vec(failures) {
        None => (Ended::Done(payload), run),
        Some(failures) => {
            let (partial, run) = stdout_of(payload, run);
            (Ended::Failed { failures, partial }, run)
        }
    };
    let around = Around { has_errors, has_warnings: !notes.warnings.is_empty() };
    let provenance = record(given, around, look);
    let receipt = take_receipt(&mut notes);
    Outcome { call, run, notes, receipt, provenance, ..Outcome::new(ended) }
}

/// P2: absent, `null`, or the record.
fn record(given: Option<RawJson>, around: Around, look: &mut Look) -> Provenance {
    let at = &Path::ROOT.name("provenance");
    match given {
        None => Provenance::NotAsked,
        Some(value) if value.is_null() && around.has_errors => Provenance::NotAsked,
        Some(value) if value.is_null() => Provenance::Unavailable,
        Some(value) => {
            prov::record_in(&value, at, around, look);
            JsonObject::new(value).map_or(Provenance::Unavailable, Provenance::Record)
        }
    }
}

/// What errors and warnings have in common.
#[derive(Default)]
struct Entry {
    code: String,
    message: String,
    details: Option<JsonObject>,
    retryable: Option<bool>,
    evidence: Vec<RawJson>,
}

fn entry(value: &RawJson, path: &Path<'_>, is_error: bool, look: &mut Look) -> Option<Entry> {
    let mut entry = Entry::default();
    let (mut has_code, mut has_message) = (false, false);
    let is_object = look.object(value, path, "P4", |look, name, value, at| match name {
        "code" => {
            has_code = true;
            let code = look.text_within(&value, at, "P4", (1, CODE_CHARS_MAX));
            entry.code = code.unwrap_or_default();
        }
        "message" => {
            has_message = true;
            let message = look.text_within(&value, at, "P4", (1, MESSAGE_CHARS_MAX));
            entry.message = message.unwrap_or_default();
        }
        "details" => entry.details = details(value, at, look),
        "retryable" if is_error => entry.retryable = look.bool(&value, at, "P4"),
        "evidence" => {
            prov::evidence(&value, at, look);
            entry.evidence = value.items().collect();
        }
        _ => look.unknown(at, "P4"),
    });
    if is_object {
        look.need(has_code, path, "code", "P4");
        look.need(has_message, path, "message", "P4");
    }
    is_object.then_some(entry)
}

/// P4: flat scalars.
fn details(value: RawJson, path: &Path<'_>, look: &mut Look) -> Option<JsonObject> {
    look.object(&value, path, "P4", |look, _, value, at| {
        if !is_scalar(&value) {
            look.refuse(at, "flat", "P4", "must be a string, a number, a boolean or null");
        }
    });
    JsonObject::new(value)
}

/// The failures, and the exit code that the first tells of.
fn errors(value: &RawJson, path: &Path<'_>, look: &mut Look) -> (Vec<Failure>, Option<i64>) {
    let mut failures = Vec::new();
    let mut exit = None;
    look.array(value, path, "P4", |look, item, at| {
        let Some(entry) = entry(&item, at, true, look) else { return };
        let is_first = failures.is_empty();
        let (failure, own_exit) = failure(entry, look, |own| is_first || exit == Some(own));
        if is_first {
            exit = own_exit;
        }
        failures.push(failure);
    });
    (failures, exit)
}

fn failure(entry: Entry, look: &Look, is_exit: impl Fn(i64) -> bool) -> (Failure, Option<i64>) {
    let Entry { code: own, message, details, retryable, evidence } = entry;
    let code = code_from_spelling(&own).unwrap_or(Code::ToolFailed);
    let mut told = Told::of(details, look);
    let long = |value: &RawJson| told::text(value).filter(|own| !fits(own, CODE_CHARS_MAX));
    let misfit = told.take("origin_code", long);
    let hint = told.find("remediation", told::text);
    let is_command = code == Code::CommandFailed;
    let integer = |value: &RawJson| told::failed_exit(value).filter(|own| is_exit(*own));
    let exit = is_command.then(|| told.find("exit_code", integer)).flatten();
    let mut failure = Failure::new(code, message);
    let retryable = retryable.unwrap_or_default();
    failure.retryable = (retryable != code.is_retryable()).then_some(retryable);
    failure.retry_after = told.find("retry_after_seconds", told::delay);
    failure.hint = hint.map(Into::into);
    failure.origin_code = misfit.or_else(|| (word(code) != own).then_some(own));
    failure.details = told.into_details();
    failure.evidence = evidence;
    (failure, exit)
}

fn warnings(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Vec<Warning> {
    let mut warnings = Vec::new();
    look.array(value, path, "P4", |look, item, at| {
        let Some(entry) = entry(&item, at, false, look) else { return };
        let Entry { code, message, details, retryable: _, evidence } = entry;
        look.losses.add_if(!evidence.is_empty(), "warning evidence");
        let code = Some(code).filter(|code| code != PLAIN_WARNING);
        let context = details.unwrap_or_default();
        warnings.push(Warning { code, severity: None, message, context });
    });
    warnings
}

/// The last warning, if it tells what was hidden.
fn take_receipt(notes: &mut Notes) -> Receipt {
    let receipt = notes.warnings.last().and_then(|warning| {
        let rules = warning.context.get("rules")?;
        let receipt = told::receipt_from_rules(&rules.as_text()?)?;
        let again = hidden(&receipt)?;
        let is_one = warning.code.as_deref() == Some(REDACTED)
            && warning.message == again.message
            && Some(&warning.context) == again.details.as_ref();
        is_one.then_some(receipt)
    });
    if receipt.is_some() {
        notes.warnings.pop();
    }
    receipt.unwrap_or_default()
}

/// P1: what is known about the adapter and the call.
fn meta(value: &RawJson, path: &Path<'_>, call: &mut Call, notes: &mut Notes, look: &mut Look) {
    let mut extra = Vec::new();
    look.object(value, path, "P1", |look, name, value, at| match name {
        "adapter" => {
            look.text_within(&value, at, "P1", (0, ADAPTER_CHARS_MAX));
            extra.push(("adapter", value));
        }
        "request_id" => {
            call.request_id = look.text_within(&value, at, "P1", (0, REQUEST_ID_CHARS_MAX));
        }
        "duration_ms" => {
            let ms = look.integer(&value, at, "P6", Some(0.0));
            let ms = ms.and_then(|ms| u64::try_from(ms).ok());
            look.losses.add_if(ms.is_none(), "duration_ms");
            call.duration = ms.map(Duration::from_millis);
            // P6: only an answer that may vary tells it.
            call.deterministic = call.duration.map(|_| false);
        }
        "schema_hints" => {
            look.open_object(&value, at, "P1", |look, _, value, at| {
                look.text_within(&value, at, "P1", (0, CODE_CHARS_MAX));
            });
            extra.push(("schema_hints", value));
        }
        _ => look.unknown(at, "P1"),
    });
    let is_whole = |(_, value): &(&str, RawJson)| value.kind() != Kind::Null;
    notes.meta = JsonObject::from_members(extra.into_iter().filter(is_whole));
}
