//! Answers in JSON: a payload, unless it says of itself that it failed.

use std::borrow::Cow;
use std::time::Duration;

use super::failed;
use super::naming::code_from_text;
use crate::contract::{code_from_spelling, code_from_type};
use crate::outcome::{Ended, Failure, Payload};
use crate::raw_json::{JsonObject, Kind, RawJson};

/// An answer is done, unless it is an object with `success: false`.
pub(super) fn answered(json: RawJson) -> Ended {
    let says_failed = json.get("success").is_some_and(|value| value.as_bytes() == b"false");
    if !says_failed {
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
    failure
}

/// What a failed payload says about its failure, in the words that tools use.
#[derive(Default)]
struct Own {
    code: Option<String>,
    kind: Option<String>,
    message: Option<String>,
    remediation: Option<String>,
    details: Option<JsonObject>,
    retry_after: Option<Duration>,
}

impl Own {
    fn read(payload: &RawJson) -> Own {
        let error = payload.get("error");
        let inner = error.as_ref().filter(|error| error.kind() == Kind::Object);
        let own = |name: &str| payload.get(name);
        let nested = |name: &str| inner.and_then(|inner| inner.get(name));
        Own {
            code: text(own("error_code"))
                .or_else(|| text(own("code")))
                .or_else(|| text(nested("code"))),
            kind: text(own("error_type")).or_else(|| text(own("category"))),
            message: text(error.clone())
                .or_else(|| text(nested("message")))
                .or_else(|| text(own("message"))),
            remediation: text(own("remediation")),
            details: own("details").or_else(|| nested("details")).and_then(JsonObject::new),
            retry_after: own("retry_after_seconds")
                .and_then(|value| Duration::try_from_secs_f64(value.as_str().parse().ok()?).ok()),
        }
    }
}

/// The text of a string that says something.
fn text(value: Option<RawJson>) -> Option<String> {
    let text = value?.as_text()?.into_owned();
    (!text.trim().is_empty()).then_some(text)
}
