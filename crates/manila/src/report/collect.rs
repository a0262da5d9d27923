//! Collects findings: reads the values of a document, and records the rules that they break.
//!
//! Reading never stops at the first fault, so a report has all of them. A value that breaks a rule
//! is treated as absent.

use std::rc::Rc;

use super::Grade;
use super::path::Path;
use super::rules::is_listed;
use super::signature::SignatureCheck;
use crate::outcome::Losses;
use crate::raw_json::{KeySet, Kind, RawJson, TopLevel, ValueEnds};

/// The maximum number of violations reported for one document, and likewise of advice.
const FAULTS_MAX: usize = 100;

/// The clause of a contract, e.g. `R3`.
pub(crate) type Clause = &'static str;

/// The clause for violations of a tool's own schema, whose rules are all keywords of JSON Schema.
const TOOL_SCHEMA_CLAUSE: Clause = "Q3";

/// A rule that a document breaks, before its line is looked up.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) grade: Grade,
    pub(crate) pointer: String,
    pub(crate) rule: &'static str,
    pub(crate) clause: Option<Clause>,
    pub(crate) message: String,
}

/// The faults collected while a document is read.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    faults: Vec<Fault>,
    is_broken: bool,
    /// Whether the scan of the document found no repeated names.
    has_unique_names: bool,
    /// Where the document's long values end, so that readers can skip them.
    ends: Rc<ValueEnds>,
    /// Verifies the signatures of records.
    pub(crate) signatures: Option<SignatureCheck>,
    n_violations: usize,
    n_advice: usize,
    /// The facts of the document that an outcome cannot hold.
    pub(crate) losses: Losses,
}

impl Findings {
    /// Creates an empty collection for a document; `has_unique_names` asserts that no name is
    /// repeated in it.
    pub(crate) fn for_document(document: &TopLevel<'_>, has_unique_names: bool) -> Findings {
        Findings { has_unique_names, ends: Rc::clone(&document.ends), ..Findings::default() }
    }

    /// Returns the ends of the document's long values.
    pub(crate) fn ends(&self) -> Rc<ValueEnds> {
        Rc::clone(&self.ends)
    }

    /// Records a violation at `path`.
    pub(crate) fn reject(
        &mut self,
        path: &Path<'_>,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.is_broken = true;
        self.record(Grade::Violation, || path.pointer(), rule, clause, message);
    }

    /// Records a violation below `path`, at the relative pointer `below`.
    #[cfg(feature = "validate")]
    pub(crate) fn reject_below(
        &mut self,
        path: &Path<'_>,
        below: &str,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.is_broken = true;
        self.record(Grade::Violation, || path.pointer() + below, rule, clause, message);
    }

    /// Records a false claim, such as a wrong digest. A check rejects the document; reading accepts
    /// it, because its structure is intact (P3).
    pub(crate) fn record_false_claim(
        &mut self,
        path: &Path<'_>,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.record(Grade::Violation, || path.pointer(), rule, clause, message);
    }

    /// Records a violation of the whole document, outside of any contract.
    pub(crate) fn reject_json(&mut self, rule: &'static str, message: &str) {
        self.is_broken = true;
        let (pointer, message) = (String::new(), message.to_owned());
        self.faults.push(Fault { grade: Grade::Violation, pointer, rule, clause: None, message });
    }

    /// Records advice.
    pub(crate) fn advise(
        &mut self,
        path: &Path<'_>,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.record(Grade::Advice, || path.pointer(), rule, clause, message);
    }

    fn record(
        &mut self,
        grade: Grade,
        pointer: impl FnOnce() -> String,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        debug_assert!(
            is_listed(grade, rule, clause) || clause == TOOL_SCHEMA_CLAUSE,
            "{rule} {clause} is not among the rules"
        );
        // Counted separately, so that no amount of advice hides a violation.
        let n_recorded = match grade {
            Grade::Violation => &mut self.n_violations,
            Grade::Advice => &mut self.n_advice,
        };
        if *n_recorded >= FAULTS_MAX {
            return;
        }
        *n_recorded += 1;
        let (pointer, message) = (pointer(), message.into());
        self.faults.push(Fault { grade, pointer, rule, clause: Some(clause), message });
    }

    /// Returns whether a rule about the structure is broken.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// Reads an object, and calls `each` with the name, value and path of every member. A repeated
    /// name breaks a rule. Returns whether the value is an object.
    pub(crate) fn object(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Findings, &str, RawJson, &Path<'_>),
    ) -> bool {
        if !self.expect_kind(value, Kind::Object, path, clause) {
            return false;
        }
        let mut seen = KeySet::default();
        let ends = self.ends();
        for member in value.members_within(&ends) {
            let name = member.key();
            let at = path.name(&name);
            if !self.has_unique_names && seen.has(&name) {
                self.reject(&at, "unique", clause, "is given twice");
                continue;
            }
            each(self, &name, member.value(), &at);
            if !self.has_unique_names {
                seen.add(name);
            }
        }
        true
    }

    /// Like [`object`](Findings::object), for the document itself.
    pub(crate) fn document(
        &mut self,
        document: TopLevel<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Findings, &str, RawJson, &Path<'_>),
    ) -> bool {
        let root = &Path::ROOT;
        if !self.expect_kind(&document.value, Kind::Object, root, clause) {
            return false;
        }
        let mut seen = KeySet::default();
        for (name, value) in document.members {
            let at = root.name(&name);
            if !self.has_unique_names && seen.has(&name) {
                self.reject(&at, "unique", clause, "is given twice");
                continue;
            }
            each(self, &name, value, &at);
            if !self.has_unique_names {
                seen.add(name);
            }
        }
        true
    }

    /// Like [`object`](Findings::object), for an object that others may extend: names may
    /// be repeated, as in a payload.
    pub(crate) fn open_object(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Findings, &str, RawJson, &Path<'_>),
    ) -> bool {
        let is_object = self.expect_kind(value, Kind::Object, path, clause);
        let ends = self.ends();
        for member in value.members_within(&ends).filter(|_| is_object) {
            let name = member.key();
            each(self, &name, member.value(), &path.name(&name));
        }
        is_object
    }

    /// Reads an array, and calls `each` with every item and its path.
    pub(crate) fn array(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Findings, RawJson, &Path<'_>),
    ) -> bool {
        if !self.expect_kind(value, Kind::Array, path, clause) {
            return false;
        }
        let ends = self.ends();
        for (index, item) in value.items_within(&ends).enumerate() {
            each(self, item, &path.index(index));
        }
        true
    }

    /// Returns whether a value is of this kind, and records a violation if not.
    pub(crate) fn expect_kind(
        &mut self,
        value: &RawJson,
        kind: Kind,
        path: &Path<'_>,
        clause: Clause,
    ) -> bool {
        let found = value.kind();
        if found != kind {
            let message = format!("must be {}, but is {}", kind.name(), found.name());
            self.reject(path, "type", clause, message);
        }
        found == kind
    }

    /// Records a member that the contract does not define.
    pub(crate) fn reject_unknown(&mut self, path: &Path<'_>, clause: Clause) {
        self.reject(path, "additionalProperties", clause, "is not defined by the contract");
    }

    /// Records a violation if a required member is missing.
    pub(crate) fn require(
        &mut self,
        is_present: bool,
        path: &Path<'_>,
        name: &str,
        clause: Clause,
    ) {
        if !is_present {
            self.reject(&path.name(name), "required", clause, "is required");
        }
    }

    /// Records a violation if a string is not in `allowed`, whose values the message quotes.
    pub(crate) fn expect_one_of(
        &mut self,
        text: &str,
        allowed: &[&str],
        path: &Path<'_>,
        clause: Clause,
    ) -> bool {
        let is_allowed = allowed.contains(&text);
        if !is_allowed {
            let message = match allowed {
                [only] => format!("must be \"{only}\""),
                several => format!("must be one of {}", several.join(", ")),
            };
            let rule = if allowed.len() == 1 { "const" } else { "enum" };
            self.reject(path, rule, clause, message);
        }
        is_allowed
    }
}
