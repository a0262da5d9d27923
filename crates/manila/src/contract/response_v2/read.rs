//! Reading `response-v2`.

use super::read_meta::{self, ParsedMeta};
use super::{code, data};
use crate::catalogue::Code;
use crate::contract::facts_read::{self, FactsRead};
use crate::contract::read::check_double_wrapping;
use crate::contract::{Contract, code_from_spelling, code_from_type};
use crate::outcome::{Ended, Failure, NonEmpty, Outcome, Payload, Run, parse_seconds};
use crate::raw_json::{JsonObject, Kind, RawJson, TopLevel};
use crate::report::collect::Findings;
use crate::report::path::Path;

/// R1: reads exactly four members.
pub(super) fn read(envelope: TopLevel<'_>, findings: &mut Findings) -> Outcome {
    let root = &Path::ROOT;
    let (mut success, mut data, mut error, mut meta) = (None, None, None, None);
    let is_object = findings.document(envelope, "R1", |findings, name, value, at| match name {
        "success" => success = Some(findings.bool(&value, at, "R1")),
        "data" => data = Some(findings.json_object(value, at, "R2")),
        "error" => error = Some(value),
        "meta" => meta = Some(read_meta::meta(&value, at, findings)),
        _ => findings.reject_unknown(at, "R1"),
    });
    if is_object {
        findings.require(success.is_some(), root, "success", "R1");
        findings.require(data.is_some(), root, "data", "R1");
        findings.require(error.is_some(), root, "error", "R1");
        findings.require(meta.is_some(), root, "meta", "R1");
    }
    let (success, data) = (success.flatten(), data.flatten().unwrap_or_default());
    let ParsedMeta { call, notes, run, receipt } = meta.unwrap_or_default();
    let message = read_message(error.as_ref(), success, findings);
    let (ended, run) = if success == Some(false) {
        let limits = notes.rate_limit.as_ref().and_then(|limits| limits.get("retry_after"));
        read_failure(&data, message.unwrap_or_default(), run, limits.as_ref(), findings)
    } else {
        let at = &root.name("data");
        check_double_wrapping(data.as_raw(), Contract::ResponseV2, at, "R2", findings);
        if data.as_raw().reports_failure() {
            let message = "should not report `success: false` if the envelope reports true";
            findings.advise(&at.name("success"), "success-agrees", "R2", message);
        }
        let run = run.map(|run| Run { exit: Some(0), ..run });
        (Ended::Done(read_payload(data)), run)
    };
    Outcome { call, run, notes, receipt, ..Outcome::new(ended) }
}

/// R2: reads the payload. `{}` is no payload, and `{"result": …}` is never unwrapped.
fn read_payload(data: JsonObject) -> Payload {
    if data.is_empty() { Payload::Absent } else { Payload::Json(data.into()) }
}

/// R3: reads the error message, which is `null` if and only if `success` is true.
fn read_message(
    error: Option<&RawJson>,
    success: Option<bool>,
    findings: &mut Findings,
) -> Option<String> {
    let at = &Path::ROOT.name("error");
    let error = error?;
    match (success, error.kind()) {
        (Some(true), Kind::Null) | (None, Kind::Null | Kind::String) => None,
        (Some(true), _) => {
            findings.reject(at, "null-on-success", "R3", "must be null when success is true");
            None
        }
        (Some(false), Kind::Null) => {
            findings.reject(
                at,
                "sentence-on-failure",
                "R3",
                "must be a sentence when success is false",
            );
            None
        }
        (Some(false) | None, _) => {
            let text = findings.text(error, at, "R3")?;
            if text.trim().is_empty() {
                findings.reject(at, "minLength", "R3", "must not be empty");
            }
            Some(text)
        }
    }
}

/// R7: the members of an error that the contract defines.
#[derive(Default)]
struct ParsedError {
    code: Option<String>,
    kind: Option<String>,
    remediation: Option<String>,
    details: Option<JsonObject>,
    delay: Option<RawJson>,
    reports_failure: bool,
    /// Whether there are members that the contract does not name.
    has_others: bool,
    /// The members that are present, even if invalid: one bit each, in the order of the names.
    present: u32,
}

impl ParsedError {
    /// Records that a member is present. Returns false if it was recorded before.
    fn mark_present(&mut self, name: &str) -> bool {
        let bit = reserved_bit(name);
        let is_new = self.present & bit == 0;
        self.present |= bit;
        is_new
    }

    fn has(&self, name: &str) -> bool {
        self.present & reserved_bit(name) != 0
    }
}

/// Returns the bit of a reserved name, or 0 for any other name.
fn reserved_bit(name: &str) -> u32 {
    let place = data::RESERVED.iter().position(|known| *known == name);
    place.map_or(0, |place| 1 << place)
}

/// Reads the members of an error, and checks them.
fn error_members(data: &JsonObject, findings: &mut Findings) -> ParsedError {
    let mut read = ParsedError::default();
    let at = &Path::ROOT.name("data");
    findings.open_object(data.as_raw(), at, "R7", |findings, name, value, at| {
        if !read.mark_present(name) {
            return findings.reject(at, "unique", "R7", "is given twice");
        }
        match name {
            "error_code" => read.code = findings.text(&value, at, "R7"),
            "error_type" => read.kind = findings.text(&value, at, "R7"),
            "remediation" => read.remediation = findings.text(&value, at, "R7"),
            "details" => read.details = findings.json_object(value, at, "R7"),
            "retry_after_seconds" => read.delay = Some(value),
            "success" => {
                read.has_others = true;
                read.reports_failure = value.as_bytes() == b"false";
            }
            _ => read.has_others = true,
        }
    });
    check_error(&read, data, at, findings);
    read
}

/// R7, R8: checks the form of the code, its type, and the presence of recommended members.
fn check_error(read: &ParsedError, data: &JsonObject, at: &Path<'_>, findings: &mut Findings) {
    if data.is_empty() {
        let message = "should describe the failure for programs: error_code, error_type, details";
        findings.advise(at, "error-without-details", "R7", message);
        return;
    }
    let shoulds = ["error_code", "error_type", "remediation"].into_iter();
    for name in shoulds.filter(|name| !read.has(name)) {
        findings.advise(&at.name(name), "recommended", "R7", "should be present for a failure");
    }
    let Some(word) = read.code.as_deref() else { return };
    if !code::is_screaming_snake_case(word) {
        let message = "must be in SCREAMING_SNAKE_CASE";
        findings.reject(&at.name("error_code"), "screaming-snake", "R7", message);
    }
    if let Some((kind, known)) = read.kind.as_deref().zip(code::known_type(word))
        && !code::is_type_allowed(kind, known)
    {
        let message = format!("must be `{known}`, the type of this error_code");
        findings.reject(&at.name("error_type"), "code-type", "R8", message);
    }
}

/// Reads a failure from `data`.
fn read_failure(
    data: &JsonObject,
    message: String,
    run: Option<Run>,
    limits: Option<&RawJson>,
    findings: &mut Findings,
) -> (Ended, Option<Run>) {
    let read = error_members(data, findings);
    let by_spelling = read.code.as_deref().and_then(code_from_spelling);
    let by_type = || read.kind.as_deref().and_then(code_from_type);
    // R8: a failure without a code is internal.
    let unnamed = if read.code.is_some() { Code::ToolFailed } else { Code::InternalError };
    let code = by_spelling.or_else(by_type).unwrap_or(unnamed);

    findings.losses.add_absence(!read.has("error_code"), "error_code");
    findings.losses.add_absence(!read.has("error_type"), "error_type");
    let mut facts = FactsRead::of(read.details.clone(), findings);
    let partial = if read.reports_failure { None } else { take_partial(&mut facts) };
    let others = facts.take("errors", facts_read::others).unwrap_or_default();
    let alternatives = facts.find("alternatives", facts_read::texts).unwrap_or_default();
    let is_command = code == Code::CommandFailed;
    let exit = is_command.then(|| facts.find("exit_code", facts_read::failed_exit)).flatten();
    let is_misfit = |own: &String| !code::is_screaming_snake_case(own);
    let misfit = facts.take("origin_code", |value| facts_read::text(value).filter(is_misfit));

    let mut failure = Failure::new(code, message);
    failure.alternatives = alternatives;
    failure.details = facts.into_details();
    failure.hint = match &read.remediation {
        Some(text) if text == code.entry().remedy => None,
        text => Some(text.clone().unwrap_or_default().into()),
    };
    // R9: both members are read.
    let limits = limits.filter(|_| code == Code::RateLimited);
    failure.retry_after = read.delay.as_ref().or(limits).and_then(parse_seconds);
    let usual = code::spell(&failure);
    let word = read.code.as_deref().unwrap_or(usual);
    let is_usual_word = word == usual;
    failure.origin_code = misfit.or_else(|| (!is_usual_word).then(|| word.to_owned()));

    let own_names = unusual_members(&read, &failure, word, is_usual_word);
    let is_own = |name: &str| !data::RESERVED.contains(&name) || own_names.contains(&name);
    // Most errors have no members of their own, which saves another pass over them.
    let has_own = read.has_others || !own_names.is_empty();
    let tool_members = JsonObject::build(|object| {
        for member in data.members().take_while(|_| has_own).filter(|member| is_own(&member.key()))
        {
            object.token_member(member.key_token(), &member.value());
        }
    });
    let partial = if read.reports_failure {
        // R2: the members of a payload that itself reports the failure are in `data`.
        failure.data = own_names.iter().fold(JsonObject::default(), |kept, name| {
            let value = data.get(name);
            kept.with_defaults(&JsonObject::build(|object| object.member(name, &value)))
        });
        let payload = own_names.iter().fold(tool_members, |rest, name| rest.without(name));
        Payload::Json(payload.into())
    } else {
        failure.data = tool_members;
        partial.map_or(Payload::Absent, Payload::Json)
    };
    let (partial, run) = move_partial_to_stdout(partial, with_exit(run, exit));
    strip_stderr_reason(&mut failure, run.as_ref());
    (Ended::Failed { failures: NonEmpty::new(failure, others), partial }, run)
}

/// R11: removes the partial result, which is the last of the details.
fn take_partial(facts: &mut FactsRead) -> Option<RawJson> {
    let name = if facts.has("partial_output") { "partial_output" } else { "partial" };
    let is_second = name == "partial" || facts.has("partial");
    is_second.then(|| facts.take(name, |value| Some(value.clone()))).flatten()
}

/// Returns the reserved members that Manila would write differently. They stay the tool's own, so
/// that they are written unchanged.
fn unusual_members(
    read: &ParsedError,
    failure: &Failure,
    word: &str,
    is_usual_word: bool,
) -> Vec<&'static str> {
    let written = failure.origin_code.as_deref().filter(|own| code::is_screaming_snake_case(own));
    let usual_type = code::known_type(word).unwrap_or(code::row(failure.code).error_type);
    let is_unusual_type = read.kind.as_deref().is_some_and(|kind| kind != usual_type);
    let is_unusual_delay = read.delay.as_ref().is_some_and(|it| facts_read::delay(it).is_none());
    let is_other_word = !is_usual_word && written != Some(word);
    let names = [
        ("error_code", is_other_word),
        ("error_type", is_unusual_type),
        ("retry_after_seconds", is_unusual_delay),
    ];
    names.into_iter().filter(|(_, is_unusual)| *is_unusual).map(|(name, _)| name).collect()
}

fn with_exit(run: Option<Run>, exit: Option<i64>) -> Option<Run> {
    match exit {
        Some(_) => Some(Run { exit, ..run.unwrap_or_default() }),
        None => run,
    }
}

/// Moves the partial result of a program into its standard output, if it is text.
pub(in crate::contract) fn move_partial_to_stdout(
    partial: Payload,
    run: Option<Run>,
) -> (Payload, Option<Run>) {
    let (Some(run), Payload::Json(json)) = (&run, &partial) else { return (partial, run) };
    match facts_read::plain(json).filter(|text| !text.is_empty()) {
        Some(stdout) => (Payload::Absent, Some(Run { stdout, ..run.clone() })),
        None => (partial, Some(run.clone())),
    }
}

/// Removes the reason from stderr that was appended to the message.
fn strip_stderr_reason(failure: &mut Failure, run: Option<&Run>) {
    let is_plain_exit = failure.code == Code::CommandFailed && failure.origin_code.is_none();
    let Some(reason) = run.filter(|_| is_plain_exit).and_then(super::stderr_reason) else { return };
    if let Some(message) = failure.message.strip_suffix(&format!(": {reason}")) {
        failure.message = format!("{message}.").into();
    }
}
