//! JSON results: a payload, unless it reports a failure itself.

use std::borrow::Cow;
use std::time::Duration;

use super::fail;
use super::naming::code_from_text;
use crate::contract::{code_from_spelling, code_from_type};
use crate::diagnostics;
use crate::outcome::{Ended, Failure, Payload, parse_seconds};
use crate::raw_json::{JsonObject, RawJson};

/// Classifies a JSON result as successful, unless it is an object with `success: false`.
pub(crate) fn classify_answer(json: RawJson) -> Ended {
    if !json.reports_failure() {
        return Ended::Done(Payload::Json(json));
    }
    let failure = failure(&json, None);
    fail(failure, Payload::Json(json))
}

/// Returns the failure that a payload reports; `text` is the text that the tool returned beside it.
pub(super) fn failure(payload: &RawJson, text: Option<&str>) -> Failure {
    let reported = ReportedFailure::read(payload);
    let message = reported.message.as_deref().or(text).unwrap_or_default().to_owned();
    let known = reported.code.as_deref().and_then(code_from_spelling);
    let code = known
        .or_else(|| reported.kind.as_deref().and_then(code_from_type))
        .unwrap_or_else(|| code_from_text(&message));
    let mut failure = Failure::new(code, message);
    failure.origin_code = reported.code;
    failure.hint = reported.remediation.map(Cow::Owned);
    failure.details = reported.details.unwrap_or_default();
    failure.retry_after = reported.retry_after;
    diagnostics::explain(&mut failure);
    failure
}

/// The facts about a failure in a payload, under the names that tools use.
struct ReportedFailure {
    code: Option<String>,
    kind: Option<String>,
    message: Option<String>,
    remediation: Option<String>,
    details: Option<JsonObject>,
    retry_after: Option<Duration>,
}

impl ReportedFailure {
    /// Reads the facts in one pass, because the payload may be large. The order of its members has
    /// no meaning, so the preferred member is chosen afterwards.
    fn read(payload: &RawJson) -> ReportedFailure {
        let mut codes = [const { None }; 3];
        let mut kinds = [const { None }; 2];
        let mut messages = [const { None }; 3];
        let mut details = [const { None }; 2];
        let mut delays = [None; 2];
        let mut remediation = None;
        for member in payload.members() {
            match member.key().as_ref() {
                "error_code" => codes[0] = text(&member.value()),
                "code" => codes[1] = text(&member.value()),
                "error_type" => kinds[0] = text(&member.value()),
                "category" => kinds[1] = text(&member.value()),
                "message" => messages[2] = text(&member.value()),
                "remediation" => remediation = text(&member.value()),
                "details" => details[0] = JsonObject::new(member.value()),
                "retry_after_seconds" => delays[0] = parse_seconds(&member.value()),
                "retry_after" => delays[1] = parse_seconds(&member.value()),
                "error" => {
                    let error = member.value();
                    messages[0] = text(&error);
                    codes[2] = error.get("code").as_ref().and_then(text);
                    messages[1] = error.get("message").as_ref().and_then(text);
                    details[1] = error.get("details").and_then(JsonObject::new);
                }
                _ => {}
            }
        }
        ReportedFailure {
            code: codes.into_iter().flatten().next(),
            kind: kinds.into_iter().flatten().next(),
            message: messages.into_iter().flatten().next(),
            remediation,
            details: details.into_iter().flatten().next(),
            retry_after: delays.into_iter().flatten().next(),
        }
    }
}

/// Returns the text of a string that is not blank.
fn text(value: &RawJson) -> Option<String> {
    let text = value.as_text()?.into_owned();
    (!text.trim().is_empty()).then_some(text)
}
