//! M3, M6: the codes, categories and numbers of `machine-readable-v1`.

use super::NO_EXIT;
use crate::catalogue::Code;
use crate::contract::Contract;
use crate::contract::content::text_of;
use crate::contract::spelling::{Conditional, Spelling};
use crate::diagnostics;
use crate::outcome::{Category, Failure, Run};
use crate::raw_json::{JsonObject, Kind, RawJson};

const INTERNAL: i64 = -32603;
const INVALID_PARAMS: i64 = -32602;
pub(super) const NOT_FOUND: i64 = -32002;
/// M9: the number for a missing command.
pub(super) const NOT_AVAILABLE: i64 = -32001;

/// M3: every category, and `SDK`, which the reference implementation writes for `Runtime`.
pub(super) const CATEGORIES: [&str; 10] = [
    "Validation",
    "Compilation",
    "Build",
    "Package",
    "Runtime",
    "Capability",
    "Concurrency",
    "Cancellation",
    "Unknown",
    "SDK",
];

/// The contract's entries for a code: its spelling, its category (M3) and its `mcpErrorCode`s, the
/// default one first. The numbers are payload, and do not depend on the transport.
pub(super) struct Row {
    pub(super) word: &'static str,
    pub(super) category: &'static str,
    pub(super) numbers: &'static [Conditional<i64>],
}

/// Spellings that several codes share, each with the code that it is read as.
pub(super) const SHARED: &[(&str, Code)] = &[("INVALID_PARAMS", Code::InvalidToolInput)];

/// Returns the spelling of a code with each of its numbers, the default one first.
pub(super) fn spellings(code: Code) -> Vec<Spelling> {
    let Row { word, category, numbers } = row(code);
    let usual = || Spelling {
        group: Some(category),
        ..Spelling::plain(Contract::MachineReadableV1, code, word)
    };
    let numbered = |(number, when): &Conditional<i64>| Spelling {
        number: Some(*number),
        when: *when,
        ..usual()
    };
    numbers.iter().map(numbered).collect()
}

pub(super) fn row(code: Code) -> Row {
    let row = |word, category, numbers| Row { word, category, numbers };
    let internal = &[(INTERNAL, None)];
    match code {
        Code::ParseError
        | Code::MethodNotFound
        | Code::InvalidEnvelope
        | Code::InvalidToolInput
        | Code::InvalidPath
        | Code::ToolNotFound
        | Code::TooLarge => row("INVALID_PARAMS", "Validation", &[(INVALID_PARAMS, None)]),
        Code::NotFound => row("NOT_FOUND", "Unknown", &[(NOT_FOUND, None)]),
        Code::Unauthenticated => row("UNAUTHORIZED", "Capability", internal),
        Code::Forbidden => row("FORBIDDEN", "Capability", internal),
        Code::FeatureDisabled | Code::UpgradeRequired | Code::UpstreamUnavailable => {
            row("CAPABILITY_NOT_AVAILABLE", "Capability", internal)
        }
        // M9
        Code::CapabilityNotAvailable => row(
            "CAPABILITY_NOT_AVAILABLE",
            "Capability",
            &[(INTERNAL, Some("with a reason")), (NOT_AVAILABLE, Some("with a command"))],
        ),
        Code::Conflict => row("CONCURRENCY_CONFLICT", "Concurrency", internal),
        Code::RateLimited => row("RATE_LIMIT_EXCEEDED", "Concurrency", internal),
        Code::Cancelled => row("OPERATION_CANCELLED", "Cancellation", internal),
        Code::Timeout => row("OPERATION_TIMEOUT", "Cancellation", internal),
        Code::InvalidToolOutput => row("INVALID_OUTPUT", "Unknown", internal),
        // M4, M6: a parsed code, or `EXIT_` and the exit code.
        Code::CommandFailed => {
            row("EXIT_n", "Unknown", &[(INTERNAL, Some("unless a diagnostic was found"))])
        }
        Code::ToolFailed => row("TOOL_FAILED", "Unknown", internal),
        Code::InternalError => row("INTERNAL_ERROR", "Unknown", internal),
    }
}

/// M3: returns the category of a failure's diagnostic, or that of its code.
pub(super) fn category_of(failure: &Failure) -> &'static str {
    let parsed = failure.origin_code.as_deref().filter(|own| diagnostics::is_diagnostic(own));
    let category = failure.category.or_else(|| parsed.map(diagnostics::category));
    let named = failure.origin_code.as_deref().and_then(named_category);
    category.map(category_name).or(named).unwrap_or(row(failure.code).category)
}

/// M4, M7, M9, M10: returns the category of a code that the contract defines.
pub(super) fn named_category(word: &str) -> Option<&'static str> {
    match word {
        "INVALID_PARAMS" => Some("Validation"),
        "CAPABILITY_NOT_AVAILABLE" => Some("Capability"),
        "CONCURRENCY_CONFLICT" => Some("Concurrency"),
        "OPERATION_CANCELLED" => Some("Cancellation"),
        _ => None,
    }
}

pub(super) fn category_name(category: Category) -> &'static str {
    match category {
        Category::Compilation => "Compilation",
        Category::Build => "Build",
        Category::Package => "Package",
        Category::Runtime => "Runtime",
        Category::Unknown => "Unknown",
    }
}

/// Returns the code for a category if nothing else is known.
pub(super) fn code_from_category(category: &str) -> Option<Code> {
    match category {
        "Validation" => Some(Code::InvalidToolInput),
        "Compilation" | "Build" | "Package" | "Runtime" | "SDK" => Some(Code::CommandFailed),
        "Capability" => Some(Code::CapabilityNotAvailable),
        "Concurrency" => Some(Code::Conflict),
        "Cancellation" => Some(Code::Cancelled),
        _ => None,
    }
}

/// M4: returns whether a code is consistent with this exit code. If a command exited, `EXIT_n` must
/// contain its exit code.
pub(super) fn fits_exit_code(word: &str, exit_code: i64) -> bool {
    let named = word.strip_prefix("EXIT_").and_then(|exit| exit.parse().ok());
    exit_code == NO_EXIT || named.is_none_or(|named: i64| named == exit_code)
}

/// Returns the hint for a failure. A diagnostic without an explanation has no hint.
pub(super) fn hint(failure: &Failure) -> Option<&str> {
    let usual = match (row(failure.code).word, &failure.origin_code) {
        // M10
        ("OPERATION_CANCELLED", _) => "The command was terminated before completion",
        ("EXIT_n", Some(_)) if failure.category.is_some() => "",
        // M7
        ("INVALID_PARAMS", _) => Code::InvalidToolInput.entry().remedy,
        _ => failure.code.entry().remedy,
    };
    Some(failure.hint.as_deref().unwrap_or(usual)).filter(|hint| !hint.trim().is_empty())
}

/// M8, M10: returns the contract's name for a fact, and its text if that differs from the fact's
/// own.
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

/// Restores the contract-independent names of an error's facts. Reverses [`fact`].
pub(super) fn restore_names(code: Code, facts: JsonObject) -> JsonObject {
    if !matches!(code, Code::Conflict | Code::InvalidToolInput) {
        return facts;
    }
    let is_action = facts.get("parameter").is_some_and(|it| it.as_bytes() == b"\"action\"");
    let original = |name: &str| match (code, name) {
        (Code::Conflict, "operationType") => Some("operation"),
        (Code::Conflict, "conflictingOperation") => Some("conflicting"),
        (Code::InvalidToolInput, "providedValue") if is_action => Some("provided"),
        (Code::InvalidToolInput, "validActions") if is_action => Some("allowed"),
        _ => None,
    };
    if !facts.members().any(|member| original(&member.key()).is_some()) {
        return facts;
    }
    JsonObject::build(|object| {
        for member in facts.members() {
            match original(&member.key()).filter(|name| facts.get(name).is_none()) {
                Some("allowed") => {
                    let text = text_of(&member.value());
                    object.member("allowed", &text.split(", ").collect::<Vec<_>>());
                }
                Some(name) => object.member(name, &member.value()),
                None => object.token_member(member.key_token(), &member.value()),
            }
        }
    })
}

/// Returns the `mcpErrorCode` of a failure: by M6 for parsed codes, else the code's default.
pub(super) fn mcp_error_code(failure: &Failure, run: Option<&Run>) -> Option<i64> {
    match (failure.code, failure.origin_code.as_deref()) {
        (Code::CommandFailed, Some(parsed)) => match parsed {
            "NU1101" | "NU1102" | "MSB1003" | "NETSDK1004" | "MSB4236" => Some(NOT_FOUND),
            "NETSDK1045" | "CS1001" | "CS1513" => Some(INVALID_PARAMS),
            other if diagnostics::category(other) == Category::Unknown => Some(INTERNAL),
            _ => None,
        },
        (_, Some("INVALID_PARAMS")) => Some(INVALID_PARAMS),
        // M9: a command is missing.
        (Code::CapabilityNotAvailable, _) if run.is_some() => Some(NOT_AVAILABLE),
        (code, _) => row(code).numbers.first().map(|(number, _)| *number),
    }
}
