//! The facts about a failure that a contract writes as one flat object.

use std::collections::BTreeMap;

use crate::diagnostics::{self, Place};
use crate::outcome::{Failure, NonEmpty, Run, Text, seconds};
use crate::raw_json::{Emit, JsonObject, RawJson, shape};

/// Named facts in the order in which they are written. Of two with the same name, the first is
/// used.
#[derive(Default)]
pub(super) struct Facts {
    entries: Vec<(String, RawJson)>,
    /// The index of each name in `entries`.
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
        let value = RawJson::from_compact(out);
        if let Some((_, known)) = self.places.get(name).and_then(|place| self.entries.get(*place)) {
            self.has_clash |= *known != value;
            return;
        }
        self.places.insert(name.to_owned(), self.entries.len());
        self.entries.push((name.to_owned(), value));
    }

    /// Adds the facts of another list.
    pub(super) fn append(&mut self, other: &Facts) {
        self.has_clash |= other.has_clash;
        for (name, value) in &other.entries {
            self.add(name, value);
        }
    }

    pub(super) fn add_all(&mut self, object: &JsonObject) {
        for member in object.members() {
            self.add(&member.key(), &member.value());
        }
    }

    /// Collects the facts about a failure except its code and message, for contracts that have one
    /// place for all of them. `details` are its own, or those of [`details_with_location`].
    pub(super) fn of_failure(failure: &Failure, details: &JsonObject) -> Facts {
        let mut facts = Facts::default();
        facts.add_all(details);
        // The classified delay takes precedence over the tool's own member of that name.
        facts.add("retry_after_seconds", &failure.retry_after.map(seconds));
        facts.add_all(&failure.data);
        facts
    }

    /// Adds the exit code, for contracts that have no member for it.
    pub(super) fn add_exit(&mut self, run: Option<&Run>) {
        self.add("exit_code", &run.and_then(|run| run.exit));
    }

    /// Adds the hint, for contracts that have no member for it.
    pub(super) fn add_hint(&mut self, hint: Option<&Text>) {
        self.add("remediation", &hint.filter(|hint| !hint.trim().is_empty()));
    }

    /// Adds the alternatives, for contracts that have no member for them.
    pub(super) fn add_alternatives(&mut self, alternatives: &[String]) {
        self.add("alternatives", &(!alternatives.is_empty()).then_some(alternatives));
    }

    /// Adds the failures after the first, for contracts that have a member for only one.
    pub(super) fn add_others(&mut self, failures: &NonEmpty<Failure>) {
        let others: Vec<OtherFailure<'_>> = failures.rest().iter().map(OtherFailure::of).collect();
        self.add("errors", &(!others.is_empty()).then_some(others));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Returns whether a name was added twice with different values, so that a fact is missing.
    pub(super) fn has_clash(&self) -> bool {
        self.has_clash
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn into_object(self) -> JsonObject {
        JsonObject::build(|object| {
            for (name, value) in &self.entries {
                object.member(name, value);
            }
        })
    }
}

/// Returns a failure's details with the source location from its line of output, for contracts that
/// do not write that line.
pub(super) fn details_with_location(failure: &Failure) -> JsonObject {
    let details = &failure.details;
    let is_known = ["file", "line", "column"].iter().any(|name| details.get(name).is_some());
    // A text that Manila did not parse itself may have many lines, perhaps none about this failure.
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
    struct OtherFailure<'a> {
        code: &'a str,
        message: &'a str,
        details: Option<JsonObject>,
    }
}

impl OtherFailure<'_> {
    fn of(failure: &Failure) -> OtherFailure<'_> {
        let code = failure.origin_code.as_deref().unwrap_or(failure.code.name());
        let details = Some(details_with_location(failure)).filter(|details| !details.is_empty());
        OtherFailure { code, message: &failure.message, details }
    }
}
