//! R2, R7: the member `data`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use super::code;
use crate::contract::Losses;
use crate::contract::facts::{Facts, details_with_location};
use crate::outcome::{Content, Failure, NonEmpty, Run, parse_seconds, seconds};
use crate::raw_json::{Emit, JsonObject, Kind, Member, ObjectWriter, RawJson};

/// R2: always an object.
pub(super) enum Data<'a> {
    /// The payload of a successful call.
    Done(Content<'a>),
    /// The facts about a failure.
    Error(Box<ErrorData<'a>>),
}

/// R7: the members that every error has, and those of the tool.
pub(super) struct ErrorData<'a> {
    error_code: String,
    error_type: String,
    remediation: Option<String>,
    details: Option<JsonObject>,
    retry_after_seconds: Option<RawJson>,
    tool: ToolMembers<'a>,
}

impl Emit for Data<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Data::Done(content) => emit_success(*content, out),
            Data::Error(error) => error.emit(out),
        }
    }
}

/// R2: writes `{}` if there is no payload, and `{"result": …}` for one that is not an object.
fn emit_success(content: Content<'_>, out: &mut Vec<u8>) {
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

/// Returns the payload of a successful call.
pub(super) fn success_data<'a>(content: Content<'a>, losses: &mut Losses) -> Data<'a> {
    let is_object = matches!(content, Content::Json(json) if json.kind() == Kind::Object);
    if matches!(content, Content::Json(json) if is_empty_object(json)) {
        losses.add("payload", "an empty object is read as no payload");
    }
    if !is_object && !matches!(content, Content::Nothing) {
        losses.add("payload", "written as `result` if it is not an object; null is omitted");
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
        for member in self.tool.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.end();
    }
}

/// Returns the facts about a failure, with the partial result of the call.
pub(super) fn error_data<'a>(
    failures: &'a NonEmpty<Failure>,
    partial: Content<'a>,
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
    let payload = failed_payload(partial);
    let tool = ToolMembers::of(data.as_raw(), payload);
    let mut misfits = Facts::default();

    let member_code =
        tool.text("error_code", code::is_screaming_snake_case, &mut misfits, "origin_code");
    let origin = origin_code.clone().filter(|word| code::is_screaming_snake_case(word));
    let tool_code = member_code.or(origin);
    if tool_code != *origin_code {
        misfits.add("origin_code", origin_code);
    }
    let error_code = tool_code.unwrap_or_else(|| code::spell(failures.first()).to_owned());
    // R8: a code that the contract defines has the contract's type, others the catalogue's.
    let known_type = code::known_type(&error_code);
    let agrees = |kind: &str| known_type.is_none_or(|known| code::is_type_allowed(kind, known));
    let error_type = tool
        .text("error_type", agrees, &mut misfits, "error_type")
        .unwrap_or_else(|| known_type.unwrap_or(code::row(*code).error_type).to_owned());
    let tool_remedy = tool.text("remediation", |_| true, &mut misfits, "remediation");
    if tool_remedy.is_some() && hint.is_some() && tool_remedy.as_deref() != hint.as_deref() {
        losses.add("remediation", "the one in the tool's data is written instead");
    }
    let remediation = tool_remedy.unwrap_or_else(|| failures.first().remedy().to_owned());
    let retry_after_seconds = tool.delay(*retry_after, &mut misfits);

    let mut facts = merge_details(&tool, &details_with_location(failures.first()), misfits);
    facts.add_exit(run);
    facts.add_alternatives(alternatives);
    facts.add_others(failures);
    if payload.is_none() && !matches!(partial, Content::Nothing) {
        // R11: a partial result that does not itself report a failure.
        let name = if facts.has("partial") { "partial_output" } else { "partial" };
        facts.add(name, &partial);
    }
    losses.add_code(*code, &error_code, Some(&error_type));
    losses.add_clashes(&facts);
    add_losses(failures, &tool, payload.is_some(), losses);
    Data::Error(Box::new(ErrorData {
        error_code,
        error_type,
        remediation: Some(remediation).filter(|text| !text.trim().is_empty()),
        details: (!facts.is_empty()).then(|| facts.into_object()),
        retry_after_seconds,
        tool,
    }))
}

/// Adds the facts about a failure that are lost or changed.
fn add_losses(
    failures: &NonEmpty<Failure>,
    tool: &ToolMembers<'_>,
    has_payload: bool,
    losses: &mut Losses,
) {
    let Failure { details, data, .. } = failures.first();
    losses.add_reserved_names(details, &FACT_NAMES);
    if has_payload && (!tool.reserved.is_empty() || !data.is_empty()) {
        losses.add("partial", "its members are mixed with those that the contract defines");
    }
    losses.add_reserved_names(data, &["success"]);
    if RESERVED.iter().any(|name| data.get(name).is_some()) {
        losses.add("data", "members with reserved names replace the contract's own");
    }
    if tool.has_clash {
        losses.add("data", "of members with the same name, only the first is written");
    }
    losses.add_failures(failures);
}

/// R7: merges details. The tool's own take precedence over the known ones; values that fit nowhere
/// else follow.
fn merge_details(tool: &ToolMembers<'_>, known: &JsonObject, mut misfits: Facts) -> Facts {
    let mut facts = Facts::default();
    match tool.get("details").map(|details| (details, JsonObject::new(details.clone()))) {
        Some((_, Some(details))) => facts.add_all(&details),
        Some((misfit, None)) => misfits.add("details", misfit),
        None => {}
    }
    facts.add_all(known);
    facts.append(&misfits);
    facts
}

/// R2: returns a payload with `success: false`, whose members are written directly into `data`.
fn failed_payload(partial: Content<'_>) -> Option<&RawJson> {
    match partial {
        Content::Json(json) => json.reports_failure().then_some(json),
        Content::Nothing | Content::Text(_) => None,
    }
}

/// The facts that the contract writes after a failure's own details.
const FACT_NAMES: [&str; 6] =
    ["origin_code", "exit_code", "alternatives", "errors", "partial", "partial_output"];

/// R7: the members that the contract defines, even if the tool wrote them.
pub(super) const RESERVED: [&str; 5] =
    ["error_code", "error_type", "remediation", "details", "retry_after_seconds"];

/// The tool's own members of `data`: those of the failure's `data`, then those of its payload.
pub(super) struct ToolMembers<'a> {
    data: &'a RawJson,
    payload: Option<&'a RawJson>,
    /// The names in `data`, if they could clash with those of a payload.
    data_names: BTreeSet<Cow<'a, str>>,
    /// The reserved members that are not null.
    reserved: Vec<(&'static str, RawJson)>,
    has_clash: bool,
}

impl<'a> ToolMembers<'a> {
    /// Collects the members in one pass over each source, because a payload may be large.
    fn of(data: &'a RawJson, payload: Option<&'a RawJson>) -> ToolMembers<'a> {
        let mut tool = ToolMembers {
            data,
            payload,
            data_names: BTreeSet::new(),
            reserved: Vec::new(),
            has_clash: false,
        };
        // The last one takes precedence, and `data` takes precedence over a payload.
        for member in payload.into_iter().flat_map(RawJson::members).chain(data.members()) {
            let Some(name) = RESERVED.into_iter().find(|name| member.is(name)) else { continue };
            let value = member.value();
            if !value.is_null() {
                tool.reserved.retain(|(known, _)| *known != name);
                tool.reserved.push((name, value));
            }
        }
        if let Some(payload) = payload {
            tool.data_names = data.members().map(|member| member.key()).collect();
            tool.has_clash =
                payload.members().any(|member| tool.data_names.contains(&member.key()));
        }
        tool
    }

    fn get(&self, name: &str) -> Option<&RawJson> {
        self.reserved.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// R9: returns the known delay, in the tool's own spelling if that has the same value.
    fn delay(&self, known: Option<Duration>, misfits: &mut Facts) -> Option<RawJson> {
        let own = self.get("retry_after_seconds");
        match (own, known) {
            (Some(own), Some(known)) if parse_seconds(own) != Some(known) => {
                misfits.add("retry_after_seconds", own);
                Some(seconds(known))
            }
            (Some(own), _) => Some(own.clone()),
            (None, known) => known.map(seconds),
        }
    }

    /// Returns the members that are not reserved, each name from only one source.
    fn members(&self) -> impl Iterator<Item = Member<'a>> {
        let payload = self.payload.into_iter().flat_map(RawJson::members);
        let payload = payload.filter(|member| {
            self.data_names.is_empty() || !self.data_names.contains(&member.key())
        });
        let all = self.data.members().chain(payload);
        all.filter(|member| !RESERVED.iter().any(|name| member.is(name)))
    }

    /// R7: returns the tool's own member, if it conforms to the contract. Otherwise its value is
    /// added to the details, so that nothing is lost and the envelope stays valid.
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
