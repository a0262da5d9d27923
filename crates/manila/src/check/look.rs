//! Looking at a document: what it holds is taken, and what breaks a rule is noted.
//!
//! A look never stops at the first fault, so that a person hears all of them at once. What it
//! could not take is simply not there afterwards.

use std::borrow::Cow;

use super::Grade;
use super::path::Path;
use super::rules::is_listed;
use crate::contract::Losses;
use crate::raw_json::{JsonObject, Kind, Opened, RawJson, Seen};

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
    n_violations: usize,
    n_advice: usize,
    /// What of the document no outcome can hold.
    pub(crate) losses: Losses,
}

impl Look {
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
        for member in value.members() {
            let name = member.key();
            let at = path.name(&name);
            if seen.has(&name) {
                self.refuse(&at, "unique", clause, "is given twice");
                continue;
            }
            each(self, &name, member.value(), &at);
            seen.add(name);
        }
        true
    }

    /// As [`object`](Look::object), for the document itself.
    pub(crate) fn document(
        &mut self,
        document: &Opened<'_>,
        clause: Clause,
        mut each: impl FnMut(&mut Look, &str, RawJson, &Path<'_>),
    ) -> bool {
        let root = &Path::ROOT;
        if !self.is(&document.value, Kind::Object, root, clause) {
            return false;
        }
        let mut seen = Seen::default();
        for (name, value) in &document.members {
            let at = root.name(name);
            if seen.has(name) {
                self.refuse(&at, "unique", clause, "is given twice");
                continue;
            }
            each(self, name, value.clone(), &at);
            seen.add(Cow::Borrowed(name.as_ref()));
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
        for member in value.members().filter(|_| is_object) {
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
        for (index, item) in value.items().enumerate() {
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

    /// A string.
    pub(crate) fn text(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<String> {
        self.is(value, Kind::String, path, clause).then(|| text_of(value))
    }

    /// A string of so many characters.
    pub(crate) fn text_within(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        (chars_min, chars_max): (usize, usize),
    ) -> Option<String> {
        let text = self.text(value, path, clause)?;
        if text.chars().take(chars_min).count() < chars_min {
            let message = match chars_min {
                1 => "must not be empty".to_owned(),
                _ => format!("must have at least {chars_min} characters"),
            };
            self.refuse(path, "minLength", clause, message);
        } else if text.len() > chars_max && text.chars().count() > chars_max {
            let message = format!("must have at most {chars_max} characters");
            self.refuse(path, "maxLength", clause, message);
        }
        Some(text)
    }

    /// An array of strings.
    pub(crate) fn texts(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        self.array(value, path, clause, |look, item, at| {
            texts.extend(look.text(&item, at, clause));
        })
        .then_some(texts)
    }

    /// An object of strings.
    pub(crate) fn pairs(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        self.object(value, path, clause, |look, name, value, at| {
            let text = look.text(&value, at, clause);
            pairs.extend(text.map(|text| (name.to_owned(), text)));
        })
        .then_some(pairs)
    }

    /// `true` or `false`.
    pub(crate) fn bool(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<bool> {
        self.is(value, Kind::Bool, path, clause).then(|| value.as_bytes() == b"true")
    }

    /// An object that is kept as it is.
    pub(crate) fn json_object(
        &mut self,
        value: RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<JsonObject> {
        self.is(&value, Kind::Object, path, clause);
        JsonObject::new(value)
    }

    /// A number, which must not be below `min`.
    pub(crate) fn number(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        min: Option<f64>,
    ) -> Option<f64> {
        if !self.is(value, Kind::Number, path, clause) {
            return None;
        }
        let number = as_number(value)?;
        if min.is_some_and(|min| number < min) {
            let message = format!("must not be below {}", min.unwrap_or_default());
            self.refuse(path, "minimum", clause, message);
        }
        Some(number)
    }

    /// An integer, which must not be below `min`. As JSON Schema has it, 1.0 is one.
    pub(crate) fn integer(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        min: Option<f64>,
    ) -> Option<i64> {
        let number = self.number(value, path, clause, min)?;
        if number.fract() != 0.0 {
            self.refuse(path, "type", clause, "must be an integer");
            return None;
        }
        as_integer(value, number)
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

/// The text of a string.
fn text_of(value: &RawJson) -> String {
    value.as_text().map(Cow::into_owned).unwrap_or_default()
}

/// The double that a number stands for.
pub(crate) fn as_number(value: &RawJson) -> Option<f64> {
    (value.kind() == Kind::Number).then(|| value.as_str().parse().ok()).flatten()
}

/// The integer that a number stands for, if it is one that can be counted with.
fn as_integer(value: &RawJson, number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let spelled = value.as_str().parse().ok();
    #[allow(clippy::cast_possible_truncation, reason = "it is whole and within 2^53")]
    let rounded = || (number.abs() <= EXACT).then_some(number as i64);
    spelled.or_else(rounded)
}
