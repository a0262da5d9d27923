//! R2, R7: what stands in `data`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use super::code;
use crate::contract::Losses;
use crate::contract::facts::{Facts, located};
use crate::outcome::{Content, Failure, NonEmpty, Run, as_delay, seconds};
use crate::raw_json::{Emit, JsonObject, Kind, Member, ObjectWriter, RawJson};

/// R2: always an object.
pub(super) enum Data<'a> {
    /// The payload of a call that is done.
    Done(Content<'a>),
    /// What is known about a failure.
    Error(Box<ErrorData<'a>>),
}

/// R7: the members that every error has, and those of the tool itself.
pub(super) struct ErrorData<'a> {
    error_code: String,
    error_type: String,
    remediation: Option<String>,
    details: Option<JsonObject>,
    retry_after_seconds: Option<RawJson>,
    own: Own<'a>,
}

impl Emit for Data<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Data::Done(content) => emit_done(*content, out),
            Data::Error(error) => error.emit(out),
        }
    }
}

/// R2: `{}` for nothing; whatever is no object is `{"result": …}`.
fn emit_done(content: Content<'_>, out: &mut Vec<u8>) {
    match content {
        Content::Json(json) if json.kind() == Kind::Object => json.emit(out),
        Content::Json(json) if json.is_null() => out.extend_from_slice(b"{}"),
        Content::Nothing => out.extend_from_slice(b"{}"),
        Content::Json(_) | Content::Text(_) => {
            let mut object = ObjectWriter::begin(out);
            object.member("result", &content);
            object.end();
        }
    }
}

/// The payload of a call that is done.
pub(super) fn done<'a>(content: Content<'a>, losses: &mut Losses) -> Data<'a> {
    let is_object = matches!(content, Content::Json(json) if json.kind() == Kind::Object);
    if matches!(content, Content::Json(json) if is_empty_object(json)) {
        losses.add("payload", "an empty object is read as nothing");
    }
    if !is_object && !matches!(content, Content::Nothing) {
        losses.add("payload", "what is no object is told as `result`, and null as nothing");
    }
    Data::Done(content)
}

fn is_empty_object(json: &RawJson) -> bool {
    JsonObject::new(json.clone()).is_some_and(|object| object.is_empty())
}

impl Emit for ErrorData<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.member("error_code", &self.error_code);
        object.member("error_type", &self.error_type);
        object.member("remediation", &self.remediation);
        object.member("details", &self.details);
        object.member("retry_after_seconds", &self.retry_after_seconds);
        for member in self.own.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.end();
    }
}

/// What is known about a failure, with what the call left behind.
pub(super) fn error<'a>(
    failures: &'a NonEmpty<Failure>,
    left: Content<'a>,
    run: Option<&Run>,
    losses: &mut Losses,
) -> Data<'a> {
    let Failure {
        code,
        origin_code,
        message: _,
        category: _,
        hint,
        explanation: _,
        link: _,
        fixes: _,
        alternatives,
        details: _,
        data,
        evidence: _,
        retry_after,
        retryable: _,
        line: _,
    } = failures.first();
    let payload = payload_that_says_failed(left);
    let own = Own::of(data.as_raw(), payload);
    let mut misfits = Facts::default();

    let own_code = own.text("error_code", code::is_screaming, &mut misfits, "origin_code");
    let origin = origin_code.clone().filter(|word| code::is_screaming(word));
    let tools_code = own_code.or(origin);
    if tools_code != *origin_code {
        misfits.add("origin_code", origin_code);
    }
    let error_code = tools_code.unwrap_or_else(|| code::word(failures.first()).to_owned());
    // R8: a code that the contract names has the contract's type; else the catalogue's holds.
    let known_type = code::known_type(&error_code);
    let agrees = |kind: &str| known_type.is_none_or(|known| code::agrees(kind, known));
    let error_type = own
        .text("error_type", agrees, &mut misfits, "error_type")
        .unwrap_or_else(|| known_type.unwrap_or(code::row(*code).error_type).to_owned());
    let own_remediation = own.text("remediation", |_| true, &mut misfits, "remediation");
    if own_remediation.is_some() && hint.is_some() && own_remediation.as_deref() != hint.as_deref()
    {
        losses.add("remediation", "the tool's own, in its data, is told");
    }
    let remediation = own_remediation.unwrap_or_else(|| failures.first().remedy().to_owned());
    let retry_after_seconds = own.delay(*retry_after, &mut misfits);

    let mut facts = own_details(&own, &located(failures.first()), misfits);
    facts.add_exit(run);
    facts.add_alternatives(alternatives);
    facts.add_others(failures);
    if payload.is_none() && !matches!(left, Content::Nothing) {
        // R11: what a call left that did not say of itself that it failed.
        let name = if facts.has("partial") { "partial_output" } else { "partial" };
        facts.add(name, &left);
    }
    losses.add_code(*code, &error_code, Some(&error_type));
    losses.add_clashes(&facts);
    lose(failures, &own, payload.is_some(), losses);
    Data::Error(Box::new(ErrorData {
        error_code,
        error_type,
        remediation: Some(remediation).filter(|text| !text.trim().is_empty()),
        details: (!facts.is_empty()).then(|| facts.into_object()),
        retry_after_seconds,
        own,
    }))
}

/// What is not told as it is.
fn lose(failures: &NonEmpty<Failure>, own: &Own<'_>, has_payload: bool, losses: &mut Losses) {
    let Failure { details, data, .. } = failures.first();
    losses.add_own_names(details, &TOLD_NAMES);
    if has_payload && (!own.reserved.is_empty() || !data.is_empty()) {
        losses.add("partial", "its members stand among those that the contract names");
    }
    losses.add_own_names(data, &["success"]);
    if RESERVED.iter().any(|name| data.get(name).is_some()) {
        losses.add("data", "its members of the contract's names are told as the contract's");
    }
    if own.has_clash {
        losses.add("data", "of members with the same name only the first is told");
    }
    losses.add_failures(failures);
}

/// R7: the tool's own details win over what is known otherwise; what fits nowhere else follows.
fn own_details(own: &Own<'_>, known: &JsonObject, mut misfits: Facts) -> Facts {
    let mut facts = Facts::default();
    match own.get("details").map(|details| (details, JsonObject::new(details.clone()))) {
        Some((_, Some(details))) => facts.add_all(&details),
        Some((misfit, None)) => misfits.add("details", misfit),
        None => {}
    }
    facts.add_all(known);
    facts.append(&misfits);
    facts
}

/// R2: the members of a `success: false` payload are kept in `data` itself.
fn payload_that_says_failed(left: Content<'_>) -> Option<&RawJson> {
    match left {
        Content::Json(json) => json.says_failed().then_some(json),
        Content::Nothing | Content::Text(_) => None,
    }
}

/// What is told of a failure behind its own details.
const TOLD_NAMES: [&str; 6] =
    ["origin_code", "exit_code", "alternatives", "errors", "partial", "partial_output"];

/// R7: the members that mean something here, whoever wrote them.
pub(super) const RESERVED: [&str; 5] =
    ["error_code", "error_type", "remediation", "details", "retry_after_seconds"];

/// The members that a tool put there itself, first by way of `data`, then in its payload.
pub(super) struct Own<'a> {
    given: &'a RawJson,
    payload: Option<&'a RawJson>,
    /// The names in `given`, where they could clash with those of a payload.
    given_names: BTreeSet<Cow<'a, str>>,
    /// The reserved members that say something.
    reserved: Vec<(&'static str, RawJson)>,
    has_clash: bool,
}

impl<'a> Own<'a> {
    /// One walk over each of them: a payload may be large.
    fn of(given: &'a RawJson, payload: Option<&'a RawJson>) -> Own<'a> {
        let mut own = Own {
            given,
            payload,
            given_names: BTreeSet::new(),
            reserved: Vec::new(),
            has_clash: false,
        };
        // The last of several counts, and what was given counts more than a payload.
        for member in payload.into_iter().flat_map(RawJson::members).chain(given.members()) {
            let Some(name) = RESERVED.into_iter().find(|name| member.is(name)) else { continue };
            let value = member.value();
            if !value.is_null() {
                own.reserved.retain(|(known, _)| *known != name);
                own.reserved.push((name, value));
            }
        }
        if let Some(payload) = payload {
            own.given_names = given.members().map(|member| member.key()).collect();
            own.has_clash = payload.members().any(|member| own.given_names.contains(&member.key()));
        }
        own
    }

    fn get(&self, name: &str) -> Option<&RawJson> {
        self.reserved.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// R9: the delay that is known, in the tool's own spelling where it says the same.
    fn delay(&self, known: Option<Duration>, misfits: &mut Facts) -> Option<RawJson> {
        let own = self.get("retry_after_seconds");
        match (own, known) {
            (Some(own), Some(known)) if as_delay(own) != Some(known) => {
                misfits.add("retry_after_seconds", own);
                Some(seconds(known))
            }
            (Some(own), _) => Some(own.clone()),
            (None, known) => known.map(seconds),
        }
    }

    /// The members that are not reserved, each name from one source only.
    fn members(&self) -> impl Iterator<Item = Member<'a>> {
        let payload = self.payload.into_iter().flat_map(RawJson::members);
        let payload = payload.filter(|member| {
            self.given_names.is_empty() || !self.given_names.contains(&member.key())
        });
        let all = self.given.members().chain(payload);
        all.filter(|member| !RESERVED.iter().any(|name| member.is(name)))
    }

    /// R7: the tool's own member wins, if it is what the contract needs; what is not goes
    /// to the details, so that nothing is lost and the envelope stays valid.
    fn text(
        &self,
        name: &str,
        fits: impl Fn(&str) -> bool,
        misfits: &mut Facts,
        misfit_name: &str,
    ) -> Option<String> {
        let value = self.get(name)?;
        match value.as_exact_text() {
            Some(text) if text.trim().is_empty() => None,
            Some(text) if fits(&text) => Some(text.into_owned()),
            _ => {
                misfits.add(misfit_name, value);
                None
            }
        }
    }
}
