//! Answers in JSON: a payload, unless it says of itself that it failed.

use std::borrow::Cow;
use std::time::Duration;

use super::failed;
use super::naming::code_from_text;
use crate::contract::{code_from_spelling, code_from_type};
use crate::diagnostics;
use crate::outcome::{Ended, Failure, Payload, as_delay};
use crate::raw_json::{JsonObject, RawJson};

/// An answer is done, unless it is an object with `success: false`.
pub(crate) fn answered(json: RawJson) -> Ended {
    if !json.says_failed() {
        return Ended::Done(Payload::Json(json));
    }
    let failure = failure(&json, None);
    failed(failure, Payload::Json(json))
}

/// The failure that a payload tells of; `text` is what the tool said beside it.
pub(super) fn failure(payload: &RawJson, text: Option<&str>) -> Failure {
    let own = Own::read(payload);
    let message = own.message.as_deref().or(text).unwrap_or_default().to_owned();
    let known = own.code.as_deref().and_then(code_from_spelling);
    let code = known
        .or_else(|| own.kind.as_deref().and_then(code_from_type))
        .unwrap_or_else(|| code_from_text(&message));
    let mut failure = Failure::new(code, message);
    failure.origin_code = own.code;
    failure.hint = own.remediation.map(Cow::Owned);
    failure.details = own.details.unwrap_or_default();
    failure.retry_after = own.retry_after;
    diagnostics::explain(&mut failure);
    failure
}

/// What a failed payload says about its failure, in the words that tools use.
struct Own {
    code: Option<String>,
    kind: Option<String>,
    message: Option<String>,
    remediation: Option<String>,
    details: Option<JsonObject>,
    retry_after: Option<Duration>,
}

impl Own {
    /// One walk over the payload, which may be large. The order of its members means nothing,
    /// so what is preferred is chosen afterwards.
    fn read(payload: &RawJson) -> Own {
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
                "retry_after_seconds" => delays[0] = as_delay(&member.value()),
                "retry_after" => delays[1] = as_delay(&member.value()),
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
        Own {
            code: codes.into_iter().flatten().next(),
            kind: kinds.into_iter().flatten().next(),
            message: messages.into_iter().flatten().next(),
            remediation,
            details: details.into_iter().flatten().next(),
            retry_after: delays.into_iter().flatten().next(),
        }
    }
}

/// The text of a string that says something.
fn text(value: &RawJson) -> Option<String> {
    let text = value.as_text()?.into_owned();
    (!text.trim().is_empty()).then_some(text)
}
