//! R2, R7: what stands in `data`.

use super::code;
use crate::contract::Losses;
use crate::contract::facts::Facts;
use crate::outcome::{Content, Failure, NonEmpty, Run, seconds};
use crate::raw_json::{Emit, JsonObject, Kind, ObjectWriter, RawJson};

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
    /// Members that the tool put there itself, first by way of `data`, then in its payload.
    own: [Option<&'a RawJson>; 2],
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

/// R7: the members that mean something here, whoever wrote them.
const RESERVED: [&str; 5] =
    ["error_code", "error_type", "remediation", "details", "retry_after_seconds"];

impl Emit for ErrorData<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.member("error_code", &self.error_code);
        object.member("error_type", &self.error_type);
        object.member("remediation", &self.remediation);
        object.member("details", &self.details);
        object.member("retry_after_seconds", &self.retry_after_seconds);
        let [given, payload] = self.own;
        for member in given.into_iter().flat_map(RawJson::members) {
            if !RESERVED.iter().any(|name| member.is(name)) {
                object.token_member(member.key_token(), &member.value());
            }
        }
        for member in payload.into_iter().flat_map(RawJson::members) {
            let is_given = || given.is_some_and(|given| given.get(&member.key()).is_some());
            if !RESERVED.iter().any(|name| member.is(name)) && !is_given() {
                object.token_member(member.key_token(), &member.value());
            }
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
        hint: _,
        explanation: _,
        link: _,
        fixes: _,
        alternatives,
        details,
        data,
        evidence,
        retry_after,
        line: _,
    } = failures.first();
    let payload = payload_that_says_failed(left);
    let own = Own([Some(data.as_raw()).filter(|_| !data.is_empty()), payload]);
    let mut facts = Facts::default();

    let own_code = own.text("error_code", code::is_screaming, &mut facts, "origin_code");
    let origin = origin_code.clone().filter(|word| code::is_screaming(word));
    if origin.is_none() {
        facts.add("origin_code", origin_code);
    }
    let known = own_code.is_some() || origin.is_some();
    let error_code = own_code.or(origin).unwrap_or_else(|| code::word(failures.first()).to_owned());
    // R8: a code that the contract names has the contract's type; else the catalogue's holds.
    let usual_type = code::known_type(&error_code).filter(|_| known);
    let error_type = own
        .text("error_type", |_| true, &mut facts, "error_type")
        .unwrap_or_else(|| usual_type.unwrap_or(code::error_type(*code)).to_owned());
    let remediation = own
        .text("remediation", |_| true, &mut facts, "remediation")
        .unwrap_or_else(|| failures.first().remedy().to_owned());

    let mut all = Facts::default();
    match own.get("details") {
        Some(own_details) if own_details.kind() == Kind::Object => {
            all.add_all(&JsonObject::new(own_details).unwrap_or_default());
        }
        Some(other) => facts.add("details", &other),
        None => {}
    }
    all.add_all(details);
    all.add_all(&facts.into_object());
    all.add_exit(run);
    all.add_alternatives(alternatives);
    all.add_others(failures);
    if payload.is_none() {
        // R11: what a call left that did not say of itself that it failed.
        all.add("partial", &(!matches!(left, Content::Nothing)).then_some(left));
    }
    if !failures.rest().is_empty() {
        losses.add("failures", "only the first is an error of its own; the others are details");
    }
    losses.add_explanations(failures.first());
    losses.add_if(!evidence.is_empty(), "evidence");
    Data::Error(Box::new(ErrorData {
        error_code,
        error_type,
        remediation: Some(remediation).filter(|text| !text.trim().is_empty()),
        details: (!all.is_empty()).then(|| all.into_object()),
        // R9: when it is known.
        retry_after_seconds: own.get("retry_after_seconds").or(retry_after.map(seconds)),
        own: own.0,
    }))
}

/// R2: the members of a `success: false` payload are kept in `data` itself.
fn payload_that_says_failed(left: Content<'_>) -> Option<&RawJson> {
    match left {
        Content::Json(json) => {
            let success = json.get("success")?;
            (success.as_bytes() == b"false").then_some(json)
        }
        Content::Nothing | Content::Text(_) => None,
    }
}

/// The objects in which a tool put members itself.
struct Own<'a>([Option<&'a RawJson>; 2]);

impl Own<'_> {
    fn get(&self, name: &str) -> Option<RawJson> {
        self.0.iter().flatten().find_map(|object| object.get(name))
    }

    /// R7: the tool's own member wins, if it is what the contract needs; what is not goes
    /// to the details, so that nothing is lost and the envelope stays valid.
    fn text(
        &self,
        name: &str,
        fits: fn(&str) -> bool,
        facts: &mut Facts,
        misfit_name: &str,
    ) -> Option<String> {
        let value = self.get(name)?;
        match value.as_exact_text() {
            Some(text) if fits(&text) => Some(text.into_owned()),
            _ => {
                facts.add(misfit_name, &value);
                None
            }
        }
    }
}
