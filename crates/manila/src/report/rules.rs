//! Every rule that a document can break, for people who look one up.

use super::Grade;

/// A rule, the clauses that ask for it, and what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The name, as findings tell it.
    pub name: &'static str,
    /// Whether it must or should be kept.
    pub grade: Grade,
    /// The clauses; none where the rule is that of JSON.
    pub clauses: &'static [&'static str],
    /// What holds where it is kept.
    pub asks: &'static str,
}

impl Rule {
    /// Whether a document that breaks it is refused.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.grade == Grade::Violation
    }
}

const fn must(name: &'static str, clauses: &'static [&'static str], asks: &'static str) -> Rule {
    Rule { name, grade: Grade::Violation, clauses, asks }
}

const fn should(name: &'static str, clauses: &'static [&'static str], asks: &'static str) -> Rule {
    Rule { name, grade: Grade::Advice, clauses, asks }
}

/// Every rule, those that refuse first. What breaks the schema of a tool in tool I/O is told by the
/// keywords of JSON Schema, with clause Q3.
pub const RULES: &[Rule] = &[
    must("json", &[], "it is one JSON value in UTF-8, not nested too deeply"),
    must("number", &[], "a number fits into a double"),
    must("surrogate", &[], "a text has whole characters"),
    must("unique", &[], "a name stands once in an object"),
    must("unrecognised", &[], "a document has the mark of a contract, or somebody names it"),
    must(
        "additionalProperties",
        &["E1", "R1", "M1", "M2", "P1", "P4", "P8"],
        "no member stands here but those that the contract names",
    ),
    must("anchor", &["P7"], "a source in an artifact names a JSON pointer or lines that can exist"),
    must("anyOf", &["P1", "Q3"], "at least one of several members is there"),
    must("batch", &["Q1"], "messages come one by one"),
    must("code-category", &["M3"], "a diagnostic's prefix says its category"),
    must("code-type", &["R8"], "a code that the contract names has its own type"),
    must("const", &["R4", "R6", "M1", "P1", "Q1", "Q3"], "there is one value that may stand here"),
    must("date-time", &["P9"], "a time is a date of RFC 3339 that exists"),
    must("digest-form", &["P7"], "a digest has the length and the digits of its algorithm"),
    must(
        "double-wrapped",
        &["E8", "R2", "P3"],
        "no envelope holds another one of the same contract",
    ),
    must("enum", &["E2", "E7", "R5", "R6", "M3", "P8"], "one of a few words stands here"),
    must(
        "error-on-failure",
        &["E8"],
        "a payload that says of itself that it failed comes with an error",
    ),
    must("exit-code", &["M2", "M4"], "exit codes agree with each other"),
    must("flat", &["P4"], "details are texts, numbers, booleans or null"),
    must("key-id", &["P8"], "the id of a key has the form that its algorithm gives it"),
    must(
        "maxLength",
        &["P1", "P4", "P7", "P8", "P9"],
        "a text is not longer than the contract allows",
    ),
    must("method-condition", &["P7"], "only methods are claimed whose conditions the record shows"),
    must("method-id", &["P7"], "a method has an id of the grammar"),
    must("minimum", &["E5", "R5", "P1", "P6"], "a number is not too small"),
    must("minItems", &["M2"], "a list is not empty"),
    must(
        "minLength",
        &["E6", "R3", "P1", "P4", "P6", "P7", "P8", "P9", "Q1", "Q2", "Q3"],
        "a text is not empty, or not shorter than the contract allows",
    ),
    must("namespace", &["P7"], "a method belongs to a namespace that is known and not reserved"),
    must("no-code", &["E6"], "a message tells what happened and shows no code"),
    must("null-on-success", &["R3"], "a success has no error"),
    must("oneOf", &["Q2"], "a response is a result or an error, not both"),
    must("own-parent", &["P9"], "no run is its own parent"),
    must("pattern", &["P7", "P8"], "a text has the form that the contract gives it"),
    must("record-digest", &["P8"], "the digest of a record is that of its canonical JSON"),
    must(
        "required",
        &[
            "E1", "E5", "E6", "E9", "R1", "R4", "R5", "R6", "M1", "M2", "P1", "P4", "P8", "Q1",
            "Q2", "Q3",
        ],
        "a member that is always there is there",
    ),
    must("screaming-snake", &["R7"], "a code is in SCREAMING_SNAKE_CASE"),
    must("sentence-on-failure", &["R3"], "a failure says what went wrong"),
    must(
        "signature",
        &["P8"],
        "a signature has the form that its algorithm gives it, and is true where its key is known",
    ),
    must(
        "type",
        &[
            "E1", "E2", "E3", "E4", "E5", "E6", "E7", "E9", "R1", "R2", "R3", "R4", "R5", "R6",
            "R7", "R10", "M1", "M2", "M5", "M6", "M9", "P1", "P4", "P5", "P6", "P7", "P8", "P9",
            "Q1", "Q2", "Q3",
        ],
        "a value is of the kind that the contract asks for",
    ),
    should("error-number", &["M6"], "an error has the number of its code"),
    should("digest-form", &["P8"], "a digest is written in lower case and in full"),
    should(
        "double-wrapped",
        &["E8", "R2", "P3"],
        "an envelope of another contract should be converted, not wrapped",
    ),
    should("error-without-details", &["R7"], "an error says something for programs, too"),
    should("maxLength", &["M5"], "a text is not longer than we would write it"),
    should(
        "not-verified",
        &["P8"],
        "a digest or signature whose algorithm or key is not known here was not verified",
    ),
    should("null-params", &["Q2"], "parameters that are not there are left out, not null"),
    should("one-line", &["E6"], "a message is one line of at most 500 characters"),
    should(
        "recommended",
        &["E4", "R5", "R7", "R10", "P8", "M5"],
        "a member that the contract recommends is there",
    ),
    should("repeated", &["P7", "P9"], "nothing is named twice"),
    should("rounded", &["P8"], "integers are small enough to be the same in every reader"),
    should(
        "success-agrees",
        &["R2"],
        "a payload does not say that it failed where the envelope says success",
    ),
    should("whole-milliseconds", &["E5"], "durations are whole milliseconds"),
];

/// Whether a finding may say this: the clause of a rule is in the table.
pub(super) fn is_listed(grade: Grade, name: &str, clause: &str) -> bool {
    let is_json = |rule: &Rule| rule.clauses.is_empty();
    let mut rules = RULES.iter().filter(|rule| rule.grade == grade && rule.name == name);
    rules.any(|rule| is_json(rule) || rule.clauses.contains(&clause))
}
