//! What the contracts lose in the same way.

use super::facts::Facts;
use super::spelling::{code_from_spelling, code_from_type};
use crate::catalogue::Code;
use crate::outcome::{
    Cut, Failure, Fidelity, Losses, NonEmpty, Notes, Provenance, Receipt, Run, Text,
};
use crate::raw_json::JsonObject;

impl Losses {
    /// A request that had no id has one now.
    pub(super) fn add_made_id(&mut self) {
        self.add("request_id", "the contract needs one, so one was made");
    }

    /// What a contract loses that tells one failure, and of that one no evidence.
    pub(super) fn add_failures(&mut self, failures: &NonEmpty<Failure>) {
        if !failures.rest().is_empty() {
            let why =
                "only the first is told in full; of the others code, message and details are told";
            self.add("failures", why);
        }
        let first = failures.first();
        self.add_explanations(first);
        self.add_if(!first.evidence.is_empty(), "evidence");
        self.add_if(first.retryable.is_some(), "retryable");
    }

    /// What a contract loses that does not explain failures.
    pub(super) fn add_explanations(&mut self, failure: &Failure) {
        self.add_if(failure.category.is_some(), "category");
        self.add_if(failure.explanation.is_some(), "explanation");
        self.add_if(failure.link.is_some(), "link");
        self.add_if(!failure.fixes.is_empty(), "fixes");
        self.add_if(failure.line.is_some(), "line");
    }

    /// Something that is not there, where others would say what is understood without it.
    pub(super) fn add_absence(&mut self, is_absent: bool, what: &'static str) {
        if is_absent {
            self.add(what, "that there is none is not told");
        }
    }

    /// That somebody gave no advice on purpose, where the catalogue's is understood.
    pub(super) fn add_blank_hint(&mut self, hint: Option<&Text>) {
        self.add_absence(hint.is_some_and(|hint| hint.trim().is_empty()), "hint");
    }

    /// The code, where the word that is written for it is read as another one.
    pub(super) fn add_code(&mut self, code: Code, word: &str, group: Option<&str>) {
        let read = code_from_spelling(word).or_else(|| group.and_then(code_from_type));
        if read.unwrap_or(Code::ToolFailed) != code {
            self.add("code", "the contract's word for it is read as another code");
        }
    }

    /// Facts that could not all be told.
    pub(super) fn add_clashes(&mut self, facts: &Facts) {
        if facts.has_clash() {
            self.add("details", "of facts with the same name only the first is told");
        }
    }

    /// Facts of the tool's own under names that the contract uses itself.
    pub(super) fn add_own_names(&mut self, facts: &JsonObject, names: &[&str]) {
        if facts.members().any(|member| names.iter().any(|name| member.is(name))) {
            self.add("details", "a fact has the name of one that the contract tells itself");
        }
    }

    /// What a contract loses that has nothing like `meta`.
    pub(super) fn add_notes(&mut self, notes: &Notes) {
        let says = |object: &Option<JsonObject>| object.as_ref().is_some_and(|it| !it.is_empty());
        self.add_if(says(&notes.pagination), "pagination");
        self.add_if(says(&notes.rate_limit), "rate_limit");
        self.add_if(says(&notes.telemetry), "telemetry");
        self.add_if(notes.fidelity != Fidelity::Full, "fidelity");
    }

    /// What a contract loses that does not tell what was hidden, and where from.
    pub(super) fn add_origin(&mut self, receipt: &Receipt, provenance: &Provenance) {
        self.add_if(!receipt.findings.is_empty(), "receipt");
        self.add_provenance(provenance);
    }

    /// What a contract loses that does not tell where an answer comes from.
    pub(super) fn add_provenance(&mut self, provenance: &Provenance) {
        self.add_if(*provenance != Provenance::NotAsked, "provenance");
    }

    /// What a contract loses that tells only a program's stdout, and with a failure its exit
    /// code.
    pub(super) fn add_run(&mut self, run: Option<&Run>, tells_exit: bool) {
        let Some(Run { command, exit, stdout: _, stderr, cut }) = run else { return };
        if !tells_exit || exit.is_none() {
            self.add("run", "only what the program printed is told");
        }
        self.add_if(command.is_some(), "command");
        self.add_if(!stderr.is_empty(), "stderr");
        self.add_if(*cut == Cut::Truncated, "truncated");
    }
}
