//! Looking at a document: what it holds is taken, and what breaks a rule is noted.
//!
//! A look never stops at the first fault, so that a person hears all of them at once. What it
//! could not take is simply not there afterwards.

use std::rc::Rc;

use super::Grade;
use super::path::Path;
use super::rules::is_listed;
use super::signature::SignatureCheck;
use crate::outcome::Losses;
use crate::raw_json::{Ends, Kind, Opened, RawJson, Seen};

/// How many violations of one document are told, and how many pieces of advice.
const FAULTS_MAX: usize = 100;

/// The clause of a contract, e.g. `R3`.
pub(crate) type Clause = &'static str;

/// The clause under which a tool's own schema speaks, in all words of JSON Schema.
const TOOLS_OWN: Clause = "Q3";

/// A rule that a document breaks, before anybody has looked up its line.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) grade: Grade,
    pub(crate) pointer: String,
    pub(crate) rule: &'static str,
    pub(crate) clause: Option<Clause>,
    pub(crate) message: String,
}

/// What was noted while a document was looked at.
#[derive(Debug, Default)]
pub(crate) struct Look {
    faults: Vec<Fault>,
    is_broken: bool,
    /// Whether the scan of the document has shown that no object has a name twice.
    is_unique: bool,
    /// Where the long values of the document end.
    ends: Rc<Ends>,
    /// Verifies the signatures of records.
    pub(crate) signatures: Option<SignatureCheck>,
    n_violations: usize,
    n_advice: usize,
    /// What of the document no outcome can hold.
    pub(crate) losses: Losses,
}

impl Look {
    /// A look at this document; `is_unique` says that no object in it has a name twice.
    pub(crate) fn at(document: &Opened<'_>, is_unique: bool) -> Look {
        Look { is_unique, ends: Rc::clone(&document.ends), ..Look::default() }
    }

    /// Where the long values of the document end.
    pub(crate) fn ends(&self) -> Rc<Ends> {
        Rc::clone(&self.ends)
    }

    /// Notes a rule that is broken at `path`.
    pub(crate) fn refuse(
        &mut self,
        path: &Path<'_>,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.is_broken = true;
        self.note(Grade::Violation, || path.pointer(), rule, clause, message);
    }

    /// Notes a rule that is broken below `path`, at the pointer `below` seen from there.
    #[cfg(feature = "validate")]
    pub(crate) fn refuse_below(
        &mut self,
        path: &Path<'_>,
        below: &str,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.is_broken = true;
        self.note(Grade::Violation, || path.pointer() + below, rule, clause, message);
    }

    /// Notes a claim that does not hold, such as a false digest. Whoever checks the document
    /// refuses it; whoever only reads it takes it as it is (P3: its structure is not broken).
    pub(crate) fn disprove(
        &mut self,
        path: &Path<'_>,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.note(Grade::Violation, || path.pointer(), rule, clause, message);
    }

    /// Refuses the whole document for a reason that is no contract's.
    pub(crate) fn refuse_json(&mut self, rule: &'static str, message: &str) {
        self.is_broken = true;
        let (pointer, message) = (String::new(), message.to_owned());
        self.faults.push(Fault { grade: Grade::Violation, pointer, rule, clause: None, message });
    }

    /// Notes something that should be better.
    pub(crate) fn advise(
        &mut self,
        path: &Path<'_>,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        self.note(Grade::Advice, || path.pointer(), rule, clause, message);
    }

    fn note(
        &mut self,
        grade: Grade,
        pointer: impl FnOnce() -> String,
        rule: &'static str,
        clause: Clause,
        message: impl Into<String>,
    ) {
        debug_assert!(
            is_listed(grade, rule, clause) || clause == TOOLS_OWN,
            "{rule} {clause} is not among the rules"
        );
        // Counted apart, so that no amount of advice hides a broken rule.
        let n_told = match grade {
            Grade::Violation => &mut self.n_violations,
            Grade::Advice => &mut self.n_advice,
        };
        if *n_told >= FAULTS_MAX {
            return;
        }
        *n_told += 1;
        let (pointer, message) = (pointer(), message.into());
        self.faults.push(Fault { grade, pointer, rule, clause: Some(clause), message });
    }

    /// Whether a rule about the structure was broken.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// Takes an object apart; `each` is told every member's name, value and place. A name that
    /// stands twice breaks a rule. Gives whether it was an object.
    pub(crate) fn object(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Look, &str, RawJson, &Path<'_>),
    ) -> bool {
        if !self.is(value, Kind::Object, path, clause) {
            return false;
        }
        let mut seen = Seen::default();
        let ends = self.ends();
        for member in value.members_within(&ends) {
            let name = member.key();
            let at = path.name(&name);
            if !self.is_unique && seen.has(&name) {
                self.refuse(&at, "unique", clause, "is given twice");
                continue;
            }
            each(self, &name, member.value(), &at);
            if !self.is_unique {
                seen.add(name);
            }
        }
        true
    }

    /// As [`object`](Look::object), for the document itself.
    pub(crate) fn document(
        &mut self,
        document: Opened<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Look, &str, RawJson, &Path<'_>),
    ) -> bool {
        let root = &Path::ROOT;
        if !self.is(&document.value, Kind::Object, root, clause) {
            return false;
        }
        let mut seen = Seen::default();
        for (name, value) in document.members {
            let at = root.name(&name);
            if !self.is_unique && seen.has(&name) {
                self.refuse(&at, "unique", clause, "is given twice");
                continue;
            }
            each(self, &name, value, &at);
            if !self.is_unique {
                seen.add(name);
            }
        }
        true
    }

    /// As [`object`](Look::object), for an object that others may put members into: a name may
    /// stand twice, as in a payload.
    pub(crate) fn open_object(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Look, &str, RawJson, &Path<'_>),
    ) -> bool {
        let is_object = self.is(value, Kind::Object, path, clause);
        let ends = self.ends();
        for member in value.members_within(&ends).filter(|_| is_object) {
            let name = member.key();
            each(self, &name, member.value(), &path.name(&name));
        }
        is_object
    }

    /// Takes an array apart; `each` is told every item and its place.
    pub(crate) fn array(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Look, RawJson, &Path<'_>),
    ) -> bool {
        if !self.is(value, Kind::Array, path, clause) {
            return false;
        }
        let ends = self.ends();
        for (index, item) in value.items_within(&ends).enumerate() {
            each(self, item, &path.index(index));
        }
        true
    }

    /// Whether a value is of this kind, which a rule asks for.
    pub(crate) fn is(
        &mut self,
        value: &RawJson,
        kind: Kind,
        path: &Path<'_>,
        clause: Clause,
    ) -> bool {
        let found = value.kind();
        if found != kind {
            let message = format!("must be {}, but is {}", kind.name(), found.name());
            self.refuse(path, "type", clause, message);
        }
        found == kind
    }

    /// Refuses a member that the contract does not have.
    pub(crate) fn unknown(&mut self, path: &Path<'_>, clause: Clause) {
        self.refuse(path, "additionalProperties", clause, "is not a member that may stand here");
    }

    /// Refuses an object without a member that must be there.
    pub(crate) fn need(&mut self, is_there: bool, path: &Path<'_>, name: &str, clause: Clause) {
        if !is_there {
            self.refuse(&path.name(name), "required", clause, "is required");
        }
    }

    /// Refuses a text that is none of those allowed; their names are no secret.
    pub(crate) fn one_of(
        &mut self,
        text: &str,
        allowed: &[&str],
        path: &Path<'_>,
        clause: Clause,
    ) -> bool {
        let fits = allowed.contains(&text);
        if !fits {
            let message = match allowed {
                [only] => format!("must be \"{only}\""),
                several => format!("must be one of {}", several.join(", ")),
            };
            let rule = if allowed.len() == 1 { "const" } else { "enum" };
            self.refuse(path, rule, clause, message);
        }
        fits
    }
}
