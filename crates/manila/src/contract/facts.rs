//! The facts about a failure that a contract tells in one flat place.

use std::collections::BTreeMap;

use crate::diagnostics::{self, Place};
use crate::outcome::{Failure, NonEmpty, Run, Text, seconds};
use crate::raw_json::{Emit, JsonObject, RawJson, shape};

/// Named facts, in the order in which they are told. A name stands once; the first wins.
#[derive(Default)]
pub(super) struct Facts {
    told: Vec<(String, RawJson)>,
    /// Where each name stands in `told`.
    places: BTreeMap<String, usize>,
    has_clash: bool,
}

impl Facts {
    pub(super) fn add(&mut self, name: &str, value: &(impl Emit + ?Sized)) {
        if value.is_absent() {
            return;
        }
        let mut out = Vec::new();
        value.emit(&mut out);
        let value = RawJson::written(out);
        if let Some((_, told)) = self.places.get(name).and_then(|place| self.told.get(*place)) {
            self.has_clash |= *told != value;
            return;
        }
        self.places.insert(name.to_owned(), self.told.len());
        self.told.push((name.to_owned(), value));
    }

    /// Adds the facts of another list.
    pub(super) fn append(&mut self, other: &Facts) {
        self.has_clash |= other.has_clash;
        for (name, value) in &other.told {
            self.add(name, value);
        }
    }

    pub(super) fn add_all(&mut self, object: &JsonObject) {
        for member in object.members() {
            self.add(&member.key(), &member.value());
        }
    }

    /// What is known about a failure beside its code and message, for contracts that have one
    /// place for all of it. `details` are its own, or [`located`].
    pub(super) fn of_failure(failure: &Failure, details: &JsonObject) -> Facts {
        let mut facts = Facts::default();
        facts.add_all(details);
        // The delay that was settled counts more than what the tool calls one.
        facts.add("retry_after_seconds", &failure.retry_after.map(seconds));
        facts.add_all(&failure.data);
        facts
    }

    /// The exit code, for contracts that have no member for it.
    pub(super) fn add_exit(&mut self, run: Option<&Run>) {
        self.add("exit_code", &run.and_then(|run| run.exit));
    }

    /// The hint, for contracts that have no member for it.
    pub(super) fn add_hint(&mut self, hint: Option<&Text>) {
        self.add("remediation", &hint.filter(|hint| !hint.trim().is_empty()));
    }

    /// The alternatives, for contracts that have no member for them.
    pub(super) fn add_alternatives(&mut self, alternatives: &[String]) {
        self.add("alternatives", &(!alternatives.is_empty()).then_some(alternatives));
    }

    /// The failures after the first, for contracts that tell only one.
    pub(super) fn add_others(&mut self, failures: &NonEmpty<Failure>) {
        let others: Vec<Other<'_>> = failures.rest().iter().map(Other::of).collect();
        self.add("errors", &(!others.is_empty()).then_some(others));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Whether a name was given twice with different values, so that a fact is missing.
    pub(super) fn has_clash(&self) -> bool {
        self.has_clash
    }

    pub(super) fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.told.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn into_object(self) -> JsonObject {
        JsonObject::build(|object| {
            for (name, value) in &self.told {
                object.member(name, value);
            }
        })
    }
}

/// A failure's details and, for contracts that do not tell the line of output from which it was
/// read, the place in the source that stands in that line.
pub(super) fn located(failure: &Failure) -> JsonObject {
    let details = &failure.details;
    let is_known = ["file", "line", "column"].iter().any(|name| details.get(name).is_some());
    // What others read may have many lines, of which none need be about this.
    let place = failure.line.as_deref().filter(|line| !is_known && !line.contains('\n'));
    let Some(Place { file, line, column }) = place.and_then(diagnostics::place) else {
        return details.clone();
    };
    JsonObject::build(|object| {
        for member in details.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("file", file);
        object.member("line", &line);
        object.member("column", &column);
    })
}

shape! {
    /// A failure after the first.
    struct Other<'a> {
        code: &'a str,
        message: &'a str,
        details: Option<JsonObject>,
    }
}

impl Other<'_> {
    fn of(failure: &Failure) -> Other<'_> {
        let code = failure.origin_code.as_deref().unwrap_or(failure.code.name());
        let details = Some(located(failure)).filter(|details| !details.is_empty());
        Other { code, message: &failure.message, details }
    }
}
