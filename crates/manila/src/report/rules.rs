//! The table of all rules that a document can break.

use super::Grade;

/// A rule, its clauses and its requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The name, as in findings.
    pub name: &'static str,
    /// Whether the rule is mandatory or advice.
    pub grade: Grade,
    /// The clauses; empty for a rule of JSON.
    pub clauses: &'static [&'static str],
    /// The condition that a document must meet, or should meet if this is advice.
    pub requirement: &'static str,
}

impl Rule {
    /// Returns whether a document that breaks the rule is rejected.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.grade == Grade::Violation
    }
}

const fn must(
    name: &'static str,
    clauses: &'static [&'static str],
    requirement: &'static str,
) -> Rule {
    Rule { name, grade: Grade::Violation, clauses, requirement }
}

const fn should(
    name: &'static str,
    clauses: &'static [&'static str],
    requirement: &'static str,
) -> Rule {
    Rule { name, grade: Grade::Advice, clauses, requirement }
}

/// Every rule, the mandatory ones first. A violation of a tool's schema in tool I/O is reported by
/// its JSON Schema keyword, with clause Q3.
pub const RULES: &[Rule] = &[
    must("json", &[], "the document is one JSON value in UTF-8 and not nested too deeply"),
    must("number", &[], "every number fits in a double"),
    must("surrogate", &[], "strings have no lone surrogates"),
    must("unique", &[], "names are unique within an object"),
    must("unrecognised", &[], "the document has the mark of a contract, or the caller names one"),
    must(
        "additionalProperties",
        &["E1", "R1", "M1", "M2", "P1", "P4", "P8"],
        "an object has only members that the contract defines",
    ),
    must("anchor", &["P7"], "the source of evidence has a valid JSON pointer or line range"),
    must("anyOf", &["P1", "Q3"], "at least one of several members is present"),
    must("batch", &["Q1"], "messages are sent one at a time"),
    must("code-category", &["M3"], "an error's category is that of its code"),
    must(
        "code-type",
        &["R8"],
        "`error_type` is the type of its code, if the contract defines that code",
    ),
    must(
        "const",
        &["R4", "R6", "M1", "P1", "Q1", "Q3"],
        "the value is the one that the contract prescribes",
    ),
    must("date-time", &["P9"], "a time is a valid RFC 3339 date-time"),
    must("digest-form", &["P7"], "a digest has the length and digits of its algorithm"),
    must(
        "double-wrapped",
        &["E8", "R2", "P3"],
        "an envelope does not contain another one of the same contract",
    ),
    must("enum", &["E2", "E7", "R5", "R6", "M3", "P8"], "the value is one of a fixed set"),
    must("error-on-failure", &["E8"], "a payload that reports a failure comes with an error"),
    must("exit-code", &["M2", "M4"], "a failure's exit code is not 0, and all members agree on it"),
    must("flat", &["P4"], "details are strings, numbers, booleans or null"),
    must("key-id", &["P8"], "a key id has the form that its algorithm requires"),
    must(
        "maxLength",
        &["P1", "P4", "P7", "P8", "P9"],
        "a string is not longer than the contract allows",
    ),
    must(
        "method-condition",
        &["P7"],
        "the record shows the conditions of every method that it claims",
    ),
    must("method-id", &["P7"], "a method id follows the grammar"),
    must("minimum", &["E5", "R5", "P1", "P6"], "a number is not below its minimum"),
    must("minItems", &["M2"], "a list is not empty"),
    must(
        "minLength",
        &["E6", "R3", "P1", "P4", "P6", "P7", "P8", "P9", "Q1", "Q2", "Q3"],
        "a string is not empty or blank, and not shorter than the contract allows",
    ),
    must("namespace", &["P7"], "a method is in a known namespace that is not reserved"),
    must(
        "no-code",
        &["E6"],
        "a message describes what happened, without source code or stack frames",
    ),
    must("null-on-success", &["R3"], "a success has no error"),
    must("oneOf", &["Q2"], "a response is a result or an error, not both"),
    must("own-parent", &["P9"], "no run is its own parent"),
    must("pattern", &["P7", "P8"], "a string has the form that the contract requires"),
    must("record-digest", &["P8"], "the digest of a record matches its canonical JSON"),
    must(
        "required",
        &[
            "E1", "E5", "E6", "E9", "R1", "R4", "R5", "R6", "M1", "M2", "P1", "P4", "P8", "Q1",
            "Q2", "Q3",
        ],
        "a required member is present",
    ),
    must("screaming-snake", &["R7"], "a code is in SCREAMING_SNAKE_CASE"),
    must("sentence-on-failure", &["R3"], "a failure has an error message"),
    must(
        "signature",
        &["P8"],
        "a signature has the form that its algorithm requires; it is valid if the caller supplies a verifier",
    ),
    must(
        "type",
        &[
            "E1", "E2", "E3", "E4", "E5", "E6", "E7", "E9", "R1", "R2", "R3", "R4", "R5", "R6",
            "R7", "R10", "M1", "M2", "M5", "M6", "M9", "P1", "P4", "P5", "P6", "P7", "P8", "P9",
            "Q1", "Q2", "Q3",
        ],
        "a value is of the type that the contract requires",
    ),
    should("error-number", &["M6"], "an error has the JSON-RPC number of its code"),
    should("digest-form", &["P8"], "a digest is complete and in lower case"),
    should(
        "double-wrapped",
        &["E8", "R2", "P3"],
        "an envelope of another contract is converted, not wrapped",
    ),
    should("error-without-details", &["R7"], "an error has details for programs"),
    should("maxLength", &["M5"], "a string is not longer than the limit that Manila applies"),
    should(
        "not-verified",
        &["P8"],
        "a digest or signature can be verified: its algorithm and key are known",
    ),
    should("null-params", &["Q2"], "`params` is left out, not null, if there are none"),
    should("one-line", &["E6"], "a message is one line of at most 500 characters"),
    should(
        "recommended",
        &["E4", "R5", "R7", "R10", "P8", "M5"],
        "a recommended member is present",
    ),
    should("repeated", &["P7", "P9"], "no entry is repeated"),
    should("rounded", &["P8"], "integers are at most 2^53, so that every reader keeps them exact"),
    should("success-agrees", &["R2"], "the payload of a success does not report a failure"),
    should("whole-milliseconds", &["E5"], "durations are whole milliseconds"),
];

/// Returns whether the table lists this rule with this clause.
pub(super) fn is_listed(grade: Grade, name: &str, clause: &str) -> bool {
    let is_json = |rule: &Rule| rule.clauses.is_empty();
    let mut rules = RULES.iter().filter(|rule| rule.grade == grade && rule.name == name);
    rules.any(|rule| is_json(rule) || rule.clauses.contains(&clause))
}
