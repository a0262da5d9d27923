//! M3, M6: the codes, categories and numbers of `machine-readable-v1`.

use crate::catalogue::Code;
use crate::contract::content::text_of;
use crate::contract::spelling::When;
use crate::diagnostics;
use crate::outcome::{Category, Failure, Run};
use crate::raw_json::{Kind, RawJson};

/// The word for a code. A command's failure has a parsed code or `EXIT_n` in its place.
pub(in crate::contract) fn word(code: Code) -> &'static str {
    match code {
        Code::ParseError
        | Code::MethodNotFound
        | Code::InvalidEnvelope
        | Code::InvalidToolInput
        | Code::InvalidPath
        | Code::ToolNotFound
        | Code::TooLarge => "INVALID_PARAMS",
        Code::NotFound => "NOT_FOUND",
        Code::Unauthenticated => "UNAUTHORIZED",
        Code::Forbidden => "FORBIDDEN",
        Code::FeatureDisabled
        | Code::UpgradeRequired
        | Code::CapabilityNotAvailable
        | Code::UpstreamUnavailable => "CAPABILITY_NOT_AVAILABLE",
        Code::Conflict => "CONCURRENCY_CONFLICT",
        Code::RateLimited => "RATE_LIMIT_EXCEEDED",
        Code::Cancelled => "OPERATION_CANCELLED",
        Code::Timeout => "OPERATION_TIMEOUT",
        Code::InvalidToolOutput => "INVALID_OUTPUT",
        Code::CommandFailed => "EXIT_n",
        Code::ToolFailed => "TOOL_FAILED",
        Code::InternalError => "INTERNAL_ERROR",
    }
}

/// M3: the category of a code.
pub(in crate::contract) fn category(code: Code) -> &'static str {
    match code {
        Code::ParseError
        | Code::MethodNotFound
        | Code::InvalidEnvelope
        | Code::InvalidToolInput
        | Code::InvalidPath
        | Code::ToolNotFound
        | Code::TooLarge => "Validation",
        Code::Unauthenticated
        | Code::Forbidden
        | Code::FeatureDisabled
        | Code::UpgradeRequired
        | Code::CapabilityNotAvailable
        | Code::UpstreamUnavailable => "Capability",
        Code::Conflict | Code::RateLimited => "Concurrency",
        Code::Cancelled | Code::Timeout => "Cancellation",
        Code::NotFound
        | Code::InvalidToolOutput
        | Code::CommandFailed
        | Code::ToolFailed
        | Code::InternalError => "Unknown",
    }
}

/// M3: what a diagnostic is about decides; else the code does.
pub(super) fn category_of(failure: &Failure) -> &'static str {
    match failure.category {
        Some(Category::Compilation) => "Compilation",
        Some(Category::Build) => "Build",
        Some(Category::Package) => "Package",
        Some(Category::Runtime) => "Runtime",
        Some(Category::Unknown) => "Unknown",
        None => category(failure.code),
    }
}

/// The code that a category stands for when nothing else is known.
pub(in crate::contract) fn code_of_category(category: &str) -> Option<Code> {
    match category {
        "Validation" => Some(Code::InvalidToolInput),
        "Compilation" | "Build" | "Package" | "Runtime" | "SDK" => Some(Code::CommandFailed),
        "Capability" => Some(Code::CapabilityNotAvailable),
        "Concurrency" => Some(Code::Conflict),
        "Cancellation" => Some(Code::Cancelled),
        _ => None,
    }
}

/// What to do about a failure. A diagnostic that nobody explained has no hint.
pub(super) fn hint(failure: &Failure) -> Option<&str> {
    let usual = match (word(failure.code), &failure.origin_code) {
        // M10
        ("OPERATION_CANCELLED", _) => "The command was terminated before completion",
        ("EXIT_n", Some(_)) if failure.category.is_some() => "",
        // M7
        ("INVALID_PARAMS", _) => Code::InvalidToolInput.entry().remedy,
        _ => failure.code.entry().remedy,
    };
    Some(failure.hint.as_deref().unwrap_or(usual)).filter(|hint| !hint.trim().is_empty())
}

/// M8, M10: what the contract calls a fact that it names itself, and its text where that is
/// not the fact's own.
pub(super) fn fact<'a>(
    failure: &Failure,
    name: &'a str,
    value: &RawJson,
) -> (&'a str, Option<String>) {
    let is_action = || {
        let parameter = failure.details.get("parameter");
        parameter.is_some_and(|it| it.as_text().as_deref() == Some("action"))
    };
    match (failure.code, name) {
        (Code::Conflict, "operation") => ("operationType", None),
        (Code::Conflict, "conflicting") => ("conflictingOperation", None),
        (Code::InvalidToolInput, "provided") if is_action() => ("providedValue", None),
        (Code::InvalidToolInput, "allowed") if value.kind() == Kind::Array && is_action() => {
            let actions: Vec<String> = value.items().map(|item| text_of(&item)).collect();
            ("validActions", Some(actions.join(", ")))
        }
        _ => (name, None),
    }
}

const INTERNAL: i64 = -32603;
const INVALID_PARAMS: i64 = -32602;
const NOT_FOUND: i64 = -32002;
const NOT_AVAILABLE: i64 = -32001;

/// The `mcpErrorCode`s of a code, the usual one first. It is payload, and keeps the
/// contract's own numbers whatever a transport uses.
pub(in crate::contract) fn numbers(code: Code) -> &'static [When<i64>] {
    match code {
        Code::ParseError
        | Code::MethodNotFound
        | Code::InvalidEnvelope
        | Code::InvalidToolInput
        | Code::InvalidPath
        | Code::ToolNotFound
        | Code::TooLarge => &[(INVALID_PARAMS, None)],
        Code::NotFound => &[(NOT_FOUND, None)],
        // M9
        Code::CapabilityNotAvailable => {
            &[(INTERNAL, Some("with a reason")), (NOT_AVAILABLE, Some("with a command"))]
        }
        // M6
        Code::CommandFailed => &[(INTERNAL, Some("unless a diagnostic was found"))],
        Code::Unauthenticated
        | Code::Forbidden
        | Code::FeatureDisabled
        | Code::UpgradeRequired
        | Code::Conflict
        | Code::RateLimited
        | Code::Cancelled
        | Code::Timeout
        | Code::UpstreamUnavailable
        | Code::InvalidToolOutput
        | Code::ToolFailed
        | Code::InternalError => &[(INTERNAL, None)],
    }
}

/// M6, for parsed codes; the catalogue's column for all others.
pub(super) fn mcp_error_code(failure: &Failure, run: Option<&Run>) -> Option<i64> {
    match (failure.code, failure.origin_code.as_deref()) {
        (Code::CommandFailed, Some(parsed)) => match parsed {
            "NU1101" | "NU1102" | "MSB1003" | "NETSDK1004" | "MSB4236" => Some(NOT_FOUND),
            "NETSDK1045" | "CS1001" | "CS1513" => Some(INVALID_PARAMS),
            other if diagnostics::category(other) == Category::Unknown => Some(INTERNAL),
            _ => None,
        },
        (_, Some("INVALID_PARAMS")) => Some(INVALID_PARAMS),
        // M9: with a command.
        (Code::CapabilityNotAvailable, _) if run.is_some() => Some(NOT_AVAILABLE),
        (code, _) => numbers(code).first().map(|(number, _)| *number),
    }
}
