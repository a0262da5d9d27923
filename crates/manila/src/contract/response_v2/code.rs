//! R7, R8: the codes and types of `response-v2`.

use crate::catalogue::Code;
use crate::contract::Contract;
use crate::contract::spelling::{Conditional, Spelling};
use crate::outcome::Failure;
use crate::raw_json::{JsonObject, RawJson};

/// R8: the codes that the contract defines, with their types.
const KNOWN: [(&str, &str); 14] = [
    ("VALIDATION_ERROR", "validation"),
    ("INVALID_FORMAT", "validation"),
    ("MISSING_REQUIRED", "validation"),
    ("NOT_FOUND", "not_found"),
    ("SPEC_NOT_FOUND", "not_found"),
    ("TASK_NOT_FOUND", "not_found"),
    ("DUPLICATE_ENTRY", "conflict"),
    ("CONFLICT", "conflict"),
    ("UNAUTHORIZED", "authentication"),
    ("FORBIDDEN", "authorization"),
    ("FEATURE_DISABLED", "feature_flag"),
    ("RATE_LIMIT_EXCEEDED", "rate_limit"),
    ("INTERNAL_ERROR", "internal"),
    ("UNAVAILABLE", "unavailable"),
];

/// R8: returns the type of a code that the contract defines.
pub(in crate::contract) fn known_type(word: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == word).map(|(_, group)| *group)
}

/// R8: returns whether an error may have this type if its code has the type `known`. Types that the
/// contract does not define are allowed.
pub(super) fn is_type_allowed(kind: &str, known: &str) -> bool {
    kind == known || code_from_type_name(kind).is_none()
}

/// The contract's entries for a code: its spellings, the default one first, and its type (R7).
pub(super) struct Row {
    words: &'static [Conditional<&'static str>],
    pub(super) error_type: &'static str,
}

/// Spellings that several codes share, each with the code that it is read as.
pub(super) const SHARED: &[(&str, Code)] = &[
    ("VALIDATION_ERROR", Code::InvalidToolInput),
    ("INVALID_FORMAT", Code::InvalidToolInput),
    ("MISSING_REQUIRED", Code::InvalidToolInput),
    ("UNAVAILABLE", Code::UpstreamUnavailable),
];

/// Returns the spellings of a code, the default one first.
pub(super) fn spellings(code: Code) -> Vec<Spelling> {
    let Row { words, error_type } = row(code);
    let usual = |word| Spelling {
        group: Some(error_type),
        ..Spelling::plain(Contract::ResponseV2, code, word)
    };
    words.iter().map(|(word, when)| Spelling { when: *when, ..usual(word) }).collect()
}

pub(super) fn row(code: Code) -> Row {
    let row = |words, error_type| Row { words, error_type };
    match code {
        Code::ParseError | Code::MethodNotFound | Code::InvalidEnvelope => {
            row(&[("INVALID_FORMAT", None)], "validation")
        }
        Code::InvalidToolInput => row(
            &[
                ("VALIDATION_ERROR", None),
                ("MISSING_REQUIRED", Some("a required member is absent")),
                ("INVALID_FORMAT", Some("a type or format is wrong")),
            ],
            "validation",
        ),
        Code::InvalidPath | Code::TooLarge => row(&[("VALIDATION_ERROR", None)], "validation"),
        Code::ToolNotFound | Code::NotFound => row(&[("NOT_FOUND", None)], "not_found"),
        Code::Unauthenticated => row(&[("UNAUTHORIZED", None)], "authentication"),
        Code::Forbidden => row(&[("FORBIDDEN", None)], "authorization"),
        Code::FeatureDisabled => row(&[("FEATURE_DISABLED", None)], "feature_flag"),
        Code::UpgradeRequired => row(&[("UPGRADE_REQUIRED", None)], "authorization"),
        Code::Conflict => row(&[("CONFLICT", None)], "conflict"),
        Code::RateLimited => row(&[("RATE_LIMIT_EXCEEDED", None)], "rate_limit"),
        Code::Cancelled | Code::Timeout | Code::UpstreamUnavailable => {
            row(&[("UNAVAILABLE", None)], "unavailable")
        }
        Code::CapabilityNotAvailable => row(&[("CAPABILITY_NOT_AVAILABLE", None)], "feature_flag"),
        Code::CommandFailed => row(&[("OPERATION_FAILED", None)], "internal"),
        Code::InvalidToolOutput | Code::ToolFailed | Code::InternalError => {
            row(&[("INTERNAL_ERROR", None)], "internal")
        }
    }
}

/// Returns the code for a type if nothing else is known.
pub(super) fn code_from_type_name(group: &str) -> Option<Code> {
    match group {
        "validation" => Some(Code::InvalidToolInput),
        "authentication" => Some(Code::Unauthenticated),
        "authorization" => Some(Code::Forbidden),
        "not_found" => Some(Code::NotFound),
        "conflict" => Some(Code::Conflict),
        "rate_limit" => Some(Code::RateLimited),
        "feature_flag" => Some(Code::FeatureDisabled),
        "internal" => Some(Code::InternalError),
        "unavailable" => Some(Code::UpstreamUnavailable),
        _ => None,
    }
}

/// Returns the spelling for a failure without a code of its own.
pub(super) fn spell(failure: &Failure) -> &'static str {
    let special = match (failure.code, broken_rule(&failure.details).as_deref()) {
        (
            Code::InvalidToolInput,
            Some("required" | "at least one required" | "required for safety"),
        ) => Some("MISSING_REQUIRED"),
        (Code::InvalidToolInput, Some("invalid format" | "type")) => Some("INVALID_FORMAT"),
        _ => None,
    };
    let usual = row(failure.code).words.first().map(|(word, _)| *word);
    special.or(usual).unwrap_or("INTERNAL_ERROR")
}

/// Returns the rule that an argument breaks: M7's reason, or a schema's constraint.
fn broken_rule(details: &JsonObject) -> Option<String> {
    let rule = details.get("reason").or_else(|| details.get("constraint"));
    rule.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned)
}

/// R7: returns whether a code is in `SCREAMING_SNAKE_CASE`.
pub(super) fn is_screaming_snake_case(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.split('_').all(|part| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        })
}
