//! Losses that several contracts have in common.

use super::facts::Facts;
use super::spelling::{code_from_spelling, code_from_type};
use crate::catalogue::Code;
use crate::outcome::{
    Failure, Fidelity, Losses, NonEmpty, Notes, Provenance, Receipt, Run, Text, Truncation,
};
use crate::raw_json::JsonObject;

impl Losses {
    /// Adds the id of a request that had none.
    pub(super) fn add_generated_id(&mut self) {
        self.add("request_id", "generated, because the contract requires one");
    }

    /// Adds the losses of a contract that writes one failure, without its evidence.
    pub(super) fn add_failures(&mut self, failures: &NonEmpty<Failure>) {
        if !failures.rest().is_empty() {
            let why = "only the first is complete; the others have a code, a message and details";
            self.add("failures", why);
        }
        let first = failures.first();
        self.add_explanations(first);
        self.add_if(!first.evidence.is_empty(), "evidence");
        self.add_if(first.retryable.is_some(), "retryable");
    }

    /// Adds the losses of a contract that does not explain failures.
    pub(super) fn add_explanations(&mut self, failure: &Failure) {
        self.add_if(failure.category.is_some(), "category");
        self.add_if(failure.explanation.is_some(), "explanation");
        self.add_if(failure.link.is_some(), "link");
        self.add_if(!failure.fixes.is_empty(), "fixes");
        if failure.line.is_some() {
            self.add("line", "the line of output that reported the error is not written");
        }
    }

    /// Adds an absent member for which a contract would write a default.
    pub(super) fn add_absence(&mut self, is_absent: bool, what: &'static str) {
        if is_absent {
            self.add(what, "it is absent, and a default is written instead");
        }
    }

    /// Adds a hint that is deliberately blank, where the catalogue's hint would be the default.
    pub(super) fn add_blank_hint(&mut self, hint: Option<&Text>) {
        if hint.is_some_and(|hint| hint.trim().is_empty()) {
            self.add("hint", "a blank hint is not written, and is read back as the default");
        }
    }

    /// Adds the code, if its spelling in the contract is read as another code.
    pub(super) fn add_code(&mut self, code: Code, word: &str, group: Option<&str>) {
        let read = code_from_spelling(word).or_else(|| group.and_then(code_from_type));
        if read.unwrap_or(Code::ToolFailed) != code {
            self.add("code", "its spelling in the contract is read back as another code");
        }
    }

    /// Adds facts with the same name and different values.
    pub(super) fn add_clashes(&mut self, facts: &Facts) {
        if facts.has_clash() {
            self.add("details", "of details with the same name, only the first is written");
        }
    }

    /// Adds facts of the tool with names that the contract uses itself.
    pub(super) fn add_reserved_names(&mut self, facts: &JsonObject, names: &[&str]) {
        if facts.members().any(|member| names.iter().any(|name| member.is(name))) {
            self.add("details", "a detail has a reserved name");
        }
    }

    /// Adds the losses of a contract that has no counterpart to `meta`.
    pub(super) fn add_notes(&mut self, notes: &Notes) {
        let has_members =
            |object: &Option<JsonObject>| object.as_ref().is_some_and(|it| !it.is_empty());
        self.add_if(has_members(&notes.pagination), "pagination");
        self.add_if(has_members(&notes.rate_limit), "rate_limit");
        self.add_if(has_members(&notes.telemetry), "telemetry");
        self.add_if(notes.fidelity != Fidelity::Full, "fidelity");
    }

    /// Adds the losses of a contract that has neither a receipt nor provenance.
    pub(super) fn add_receipt_and_provenance(
        &mut self,
        receipt: &Receipt,
        provenance: &Provenance,
    ) {
        self.add_if(!receipt.findings.is_empty(), "receipt");
        self.add_provenance(provenance);
    }

    /// Adds the loss of a contract that has no provenance.
    pub(super) fn add_provenance(&mut self, provenance: &Provenance) {
        self.add_if(*provenance != Provenance::NotRequested, "provenance");
    }

    /// Adds the losses of a contract that writes only a program's stdout and, if `has_exit`, its
    /// exit code.
    pub(super) fn add_run(&mut self, run: Option<&Run>, has_exit: bool) {
        let Some(Run { command, exit, stdout: _, stderr, truncation }) = run else { return };
        if !has_exit || exit.is_none() {
            self.add("run", "only the program's output is written");
        }
        self.add_if(command.is_some(), "command");
        self.add_if(!stderr.is_empty(), "stderr");
        self.add_if(*truncation == Truncation::Truncated, "truncated");
    }
}
