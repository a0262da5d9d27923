//! M3, M6: the codes, categories and numbers of `machine-readable-v1`.

use super::NO_EXIT;
use crate::catalogue::Code;
use crate::contract::Contract;
use crate::contract::content::text_of;
use crate::contract::spelling::{Spelling, When};
use crate::diagnostics;
use crate::outcome::{Category, Failure, Run};
use crate::raw_json::{JsonObject, Kind, RawJson};

const INTERNAL: i64 = -32603;
const INVALID_PARAMS: i64 = -32602;
pub(super) const NOT_FOUND: i64 = -32002;
/// M9: with a command.
pub(super) const NOT_AVAILABLE: i64 = -32001;

/// M3: all of them, and the one that the reference emits for `Runtime`.
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

/// What the contract says for a code: its word, its category (M3) and its `mcpErrorCode`s, the
/// usual one first. The numbers are payload, and keep the contract's own values whatever a
/// transport uses.
pub(super) struct Row {
    pub(super) word: &'static str,
    pub(super) category: &'static str,
    pub(super) numbers: &'static [When<i64>],
}

/// Words that several codes share, and the code that each one is read as.
pub(super) const SHARED: &[(&str, Code)] = &[("INVALID_PARAMS", Code::InvalidToolInput)];

/// The word for a code with each of its numbers, the usual one first.
pub(super) fn spellings(code: Code) -> Vec<Spelling> {
    let Row { word, category, numbers } = row(code);
    let usual = || Spelling {
        group: Some(category),
        ..Spelling::usual(Contract::MachineReadableV1, code, word)
    };
    let numbered =
        |(number, when): &When<i64>| Spelling { number: Some(*number), when: *when, ..usual() };
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
        // M4, M6: a parsed code, or the exit code in the place of `n`.
        Code::CommandFailed => {
            row("EXIT_n", "Unknown", &[(INTERNAL, Some("unless a diagnostic was found"))])
        }
        Code::ToolFailed => row("TOOL_FAILED", "Unknown", internal),
        Code::InternalError => row("INTERNAL_ERROR", "Unknown", internal),
    }
}

/// M3: what a diagnostic is about decides; else the code does.
pub(super) fn category_of(failure: &Failure) -> &'static str {
    let parsed = failure.origin_code.as_deref().filter(|own| diagnostics::is_diagnostic(own));
    let category = failure.category.or_else(|| parsed.map(diagnostics::category));
    let named = failure.origin_code.as_deref().and_then(named_category);
    category.map(category_name).or(named).unwrap_or(row(failure.code).category)
}

/// M4, M7, M9, M10: the category of a code that the contract itself names.
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

/// The code that a category stands for when nothing else is known.
pub(super) fn code_of_category(category: &str) -> Option<Code> {
    match category {
        "Validation" => Some(Code::InvalidToolInput),
        "Compilation" | "Build" | "Package" | "Runtime" | "SDK" => Some(Code::CommandFailed),
        "Capability" => Some(Code::CapabilityNotAvailable),
        "Concurrency" => Some(Code::Conflict),
        "Cancellation" => Some(Code::Cancelled),
        _ => None,
    }
}

/// M4: whether a code may stand beside this exit code. `EXIT_n` names it, where a command exited.
pub(super) fn may_stand_beside(word: &str, exit_code: i64) -> bool {
    let named = word.strip_prefix("EXIT_").and_then(|exit| exit.parse().ok());
    exit_code == NO_EXIT || named.is_none_or(|named: i64| named == exit_code)
}

/// What to do about a failure. A diagnostic that nobody explained has no hint.
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

/// The facts of an error under the names that they have in no contract: what [`fact`] did, undone.
pub(super) fn own_names(code: Code, facts: JsonObject) -> JsonObject {
    if !matches!(code, Code::Conflict | Code::InvalidToolInput) {
        return facts;
    }
    let is_action = facts.get("parameter").is_some_and(|it| it.as_bytes() == b"\"action\"");
    let own = |name: &str| match (code, name) {
        (Code::Conflict, "operationType") => Some("operation"),
        (Code::Conflict, "conflictingOperation") => Some("conflicting"),
        (Code::InvalidToolInput, "providedValue") if is_action => Some("provided"),
        (Code::InvalidToolInput, "validActions") if is_action => Some("allowed"),
        _ => None,
    };
    if !facts.members().any(|member| own(&member.key()).is_some()) {
        return facts;
    }
    JsonObject::build(|object| {
        for member in facts.members() {
            match own(&member.key()).filter(|own| facts.get(own).is_none()) {
                Some("allowed") => {
                    let text = text_of(&member.value());
                    object.member("allowed", &text.split(", ").collect::<Vec<_>>());
                }
                Some(own) => object.member(own, &member.value()),
                None => object.token_member(member.key_token(), &member.value()),
            }
        }
    })
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
        (code, _) => row(code).numbers.first().map(|(number, _)| *number),
    }
}
