//! Reading `response-v2`.

use super::read_meta::{self, MetaRead};
use super::{code, data};
use crate::catalogue::Code;
use crate::contract::read::double_wrapped;
use crate::contract::told::{self, Told};
use crate::contract::{Contract, code_from_spelling, code_from_type};
use crate::outcome::{Ended, Failure, NonEmpty, Outcome, Payload, Run, as_delay};
use crate::raw_json::{JsonObject, Kind, Opened, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;

/// R1: exactly four members.
pub(super) fn read(envelope: Opened<'_>, look: &mut Look) -> Outcome {
    let root = &Path::ROOT;
    let (mut success, mut data, mut error, mut meta) = (None, None, None, None);
    let is_object = look.document(envelope, "R1", |look, name, value, at| match name {
        "success" => success = Some(look.bool(&value, at, "R1")),
        "data" => data = Some(look.json_object(value, at, "R2")),
        "error" => error = Some(value),
        "meta" => meta = Some(read_meta::meta(&value, at, look)),
        _ => look.unknown(at, "R1"),
    });
    if is_object {
        look.need(success.is_some(), root, "success", "R1");
        look.need(data.is_some(), root, "data", "R1");
        look.need(error.is_some(), root, "error", "R1");
        look.need(meta.is_some(), root, "meta", "R1");
    }
    let (success, data) = (success.flatten(), data.flatten().unwrap_or_default());
    let MetaRead { call, notes, run, receipt } = meta.unwrap_or_default();
    let message = sentence(error.as_ref(), success, look);
    let (ended, run) = if success == Some(false) {
        let limits = notes.rate_limit.as_ref().and_then(|limits| limits.get("retry_after"));
        failed(&data, message.unwrap_or_default(), run, limits.as_ref(), look)
    } else {
        let at = &root.name("data");
        double_wrapped(data.as_raw(), Contract::ResponseV2, at, "R2", look);
        if data.as_raw().says_failed() {
            let message = "should not say `success: false` where the envelope says true";
            look.advise(&at.name("success"), "success-agrees", "R2", message);
        }
        let run = run.map(|run| Run { exit: Some(0), ..run });
        (Ended::Done(done(data)), run)
    };
    Outcome { call, run, notes, receipt, ..Outcome::new(ended) }
}

/// R2: `{}` is nothing, and `{"result": …}` is never unwrapped.
fn done(data: JsonObject) -> Payload {
    if data.is_empty() { Payload::Absent } else { Payload::Json(data.into()) }
}

/// R3: `null` exactly when `success` is true; else a sentence.
fn sentence(error: Option<&RawJson>, success: Option<bool>, look: &mut Look) -> Option<String> {
    let at = &Path::ROOT.name("error");
    let error = error?;
    match (success, error.kind()) {
        (Some(true), Kind::Null) | (None, Kind::Null | Kind::String) => None,
        (Some(true), _) => {
            look.refuse(at, "null-on-success", "R3", "must be null when success is true");
            None
        }
        (Some(false), Kind::Null) => {
            look.refuse(
                at,
                "sentence-on-failure",
                "R3",
                "must be a sentence when success is false",
            );
            None
        }
        (Some(false) | None, _) => {
            let text = look.text(error, at, "R3")?;
            if text.trim().is_empty() {
                look.refuse(at, "minLength", "R3", "must not be empty");
            }
            Some(text)
        }
    }
}

/// R7: the members that mean something here.
#[derive(Default)]
struct ErrorRead {
    code: Option<String>,
    kind: Option<String>,
    remediation: Option<String>,
    details: Option<JsonObject>,
    delay: Option<RawJson>,
    says_failed: bool,
    /// Whether there are members that the contract does not name.
    has_others: bool,
    /// Those that are there, whatever they are: one bit each, in the order of the names.
    given: u32,
}

impl ErrorRead {
    /// Notes that a member is there. False if it was there before.
    fn give(&mut self, name: &str) -> bool {
        let bit = bit_of(name);
        let is_new = self.given & bit == 0;
        self.given |= bit;
        is_new
    }

    fn has(&self, name: &str) -> bool {
        self.given & bit_of(name) != 0
    }
}

/// The bit of a name that means something here; none for any other.
fn bit_of(name: &str) -> u32 {
    let place = data::RESERVED.iter().position(|known| *known == name);
    place.map_or(0, |place| 1 << place)
}

fn error_members(data: &JsonObject, look: &mut Look) -> ErrorRead {
    let mut read = ErrorRead::default();
    let at = &Path::ROOT.name("data");
    look.open_object(data.as_raw(), at, "R7", |look, name, value, at| {
        if !read.give(name) {
            return look.refuse(at, "unique", "R7", "is given twice");
        }
        match name {
            "error_code" => read.code = look.text(&value, at, "R7"),
            "error_type" => read.kind = look.text(&value, at, "R7"),
            "remediation" => read.remediation = look.text(&value, at, "R7"),
            "details" => read.details = look.json_object(value, at, "R7"),
            "retry_after_seconds" => read.delay = Some(value),
            "success" => {
                read.has_others = true;
                read.says_failed = value.as_bytes() == b"false";
            }
            _ => read.has_others = true,
        }
    });
    judge(&read, data, at, look);
    read
}

/// R7, R8: what a code must look like, which type it has, and what an error should tell.
fn judge(read: &ErrorRead, data: &JsonObject, at: &Path<'_>, look: &mut Look) {
    if data.is_empty() {
        let message = "should say what went wrong for programs: error_code, error_type, details";
        look.advise(at, "error-without-details", "R7", message);
        return;
    }
    let shoulds = ["error_code", "error_type", "remediation"].into_iter();
    for name in shoulds.filter(|name| !read.has(name)) {
        look.advise(&at.name(name), "recommended", "R7", "should be there on a failure");
    }
    let Some(word) = read.code.as_deref() else { return };
    if !code::is_screaming(word) {
        let message = "must be in SCREAMING_SNAKE_CASE";
        look.refuse(&at.name("error_code"), "screaming-snake", "R7", message);
    }
    if let Some((kind, known)) = read.kind.as_deref().zip(code::known_type(word))
        && !code::agrees(kind, known)
    {
        let message = format!("must be `{known}`, the type of this error_code");
        look.refuse(&at.name("error_type"), "code-type", "R8", message);
    }
}

fn failed(
    data: &JsonObject,
    message: String,
    run: Option<Run>,
    limits: Option<&RawJson>,
    look: &mut Look,
) -> (Ended, Option<Run>) {
    let read = error_members(data, look);
    let by_word = read.code.as_deref().and_then(code_from_spelling);
    let by_type = || read.kind.as_deref().and_then(code_from_type);
    // R8: without a word of its own a failure is internal.
    let unnamed = if read.code.is_some() { Code::ToolFailed } else { Code::InternalError };
    let code = by_word.or_else(by_type).unwrap_or(unnamed);

    look.losses.add_absence(!read.has("error_code"), "error_code");
    look.losses.add_absence(!read.has("error_type"), "error_type");
    let mut told = Told::of(read.details.clone(), look);
    let partial = if read.says_failed { None } else { take_partial(&mut told) };
    let others = told.take("errors", told::others).unwrap_or_default();
    let alternatives = told.find("alternatives", told::texts).unwrap_or_default();
    let is_command = code == Code::CommandFailed;
    let exit = is_command.then(|| told.find("exit_code", told::failed_exit)).flatten();
    let is_misfit = |own: &String| !code::is_screaming(own);
    let misfit = told.take("origin_code", |value| told::text(value).filter(is_misfit));

    let mut failure = Failure::new(code, message);
    failure.alternatives = alternatives;
    failure.details = told.into_details();
    failure.hint = match &read.remediation {
        Some(text) if text == code.entry().remedy => None,
        text => Some(text.clone().unwrap_or_default().into()),
    };
    // R9: both spellings are read.
    let limits = limits.filter(|_| code == Code::RateLimited);
    failure.retry_after = read.delay.as_ref().or(limits).and_then(as_delay);
    let usual = code::word(&failure);
    let word = read.code.as_deref().unwrap_or(usual);
    let is_usual_word = word == usual;
    failure.origin_code = misfit.or_else(|| (!is_usual_word).then(|| word.to_owned()));

    let own_names = unusual(&read, &failure, word, is_usual_word);
    let is_own = |name: &str| !data::RESERVED.contains(&name) || own_names.contains(&name);
    // Most errors have nothing of their own, and then nobody need walk over them again.
    let has_own = read.has_others || !own_names.is_empty();
    let own = JsonObject::build(|object| {
        for member in data.members().take_while(|_| has_own).filter(|member| is_own(&member.key()))
        {
            object.token_member(member.key_token(), &member.value());
        }
    });
    let partial = if read.says_failed {
        // R2: the members of a payload that said so itself stand in `data`.
        failure.data = own_names.iter().fold(JsonObject::default(), |kept, name| {
            let value = data.get(name);
            kept.with_defaults(&JsonObject::build(|object| object.member(name, &value)))
        });
        Payload::Json(own_names.iter().fold(own, |own, name| own.without(name)).into())
    } else {
        failure.data = own;
        partial.map_or(Payload::Absent, Payload::Json)
    };
    let (partial, run) = stdout_of(partial, with_exit(run, exit));
    unsay_stderr(&mut failure, run.as_ref());
    (Ended::Failed { failures: NonEmpty::new(failure, others), partial }, run)
}

/// R11: what a call left is the last of the details.
fn take_partial(told: &mut Told) -> Option<RawJson> {
    let name = if told.has("partial_output") { "partial_output" } else { "partial" };
    let is_second = name == "partial" || told.has("partial");
    is_second.then(|| told.take(name, |value| Some(value.clone()))).flatten()
}

/// The reserved members that would not be written as they are, unless they stay the tool's own.
fn unusual(
    read: &ErrorRead,
    failure: &Failure,
    word: &str,
    is_usual_word: bool,
) -> Vec<&'static str> {
    let written = failure.origin_code.as_deref().filter(|own| code::is_screaming(own));
    let usual_type = code::known_type(word).unwrap_or(code::row(failure.code).error_type);
    let is_unusual_type = read.kind.as_deref().is_some_and(|kind| kind != usual_type);
    let is_unusual_delay = read.delay.as_ref().is_some_and(|it| told::delay(it).is_none());
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

/// What a program left is its standard output.
pub(in crate::contract) fn stdout_of(partial: Payload, run: Option<Run>) -> (Payload, Option<Run>) {
    let (Some(run), Payload::Json(json)) = (&run, &partial) else { return (partial, run) };
    match told::plain(json).filter(|text| !text.is_empty()) {
        Some(stdout) => (Payload::Absent, Some(Run { stdout, ..run.clone() })),
        None => (partial, Some(run.clone())),
    }
}

/// Takes from the message what was added to it: the line on stderr that says most.
fn unsay_stderr(failure: &mut Failure, run: Option<&Run>) {
    let is_plain_exit = failure.code == Code::CommandFailed && failure.origin_code.is_none();
    let Some(reason) = run.filter(|_| is_plain_exit).and_then(super::reason) else { return };
    if let Some(message) = failure.message.strip_suffix(&format!(": {reason}")) {
        failure.message = format!("{message}.").into();
    }
}
