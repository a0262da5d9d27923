//! What a contract cannot carry, and why.

use std::borrow::Cow;
use std::fmt;

use crate::outcome::{Cut, Failure, Fidelity, Notes, Provenance, Receipt, Run};

/// Something that a contract could not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What was lost or changed, by its name in the observation.
    pub what: Cow<'static, str>,
    /// Why.
    pub why: &'static str,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// Losses as they are found.
#[derive(Debug, Default)]
pub(super) struct Losses(Vec<Loss>);

/// Why most things are lost.
pub(super) const NO_PLACE: &str = "the contract has no place for it";

impl Losses {
    pub(super) fn add(&mut self, what: impl Into<Cow<'static, str>>, why: &'static str) {
        let loss = Loss { what: what.into(), why };
        if !self.0.contains(&loss) {
            self.0.push(loss);
        }
    }

    /// Adds a loss for which the contract has no place, if there is something to lose.
    pub(super) fn add_if(&mut self, is_there: bool, what: &'static str) {
        if is_there {
            self.add(what, NO_PLACE);
        }
    }

    /// What a contract loses that does not explain failures.
    pub(super) fn add_explanations(&mut self, failure: &Failure) {
        self.add_if(failure.category.is_some(), "category");
        self.add_if(failure.explanation.is_some(), "explanation");
        self.add_if(failure.link.is_some(), "link");
        self.add_if(!failure.fixes.is_empty(), "fixes");
        self.add_if(failure.line.is_some(), "line");
    }

    /// What a contract loses that has nothing like `meta`.
    pub(super) fn add_notes(&mut self, notes: &Notes) {
        self.add_if(notes.pagination.is_some(), "pagination");
        self.add_if(notes.rate_limit.is_some(), "rate_limit");
        self.add_if(notes.telemetry.is_some(), "telemetry");
        self.add_if(notes.fidelity != Fidelity::Full, "fidelity");
    }

    /// What a contract loses that does not tell what was hidden, and where from.
    pub(super) fn add_origin(&mut self, receipt: &Receipt, provenance: &Provenance) {
        self.add_if(!receipt.findings.is_empty(), "receipt");
        self.add_if(*provenance != Provenance::NotAsked, "provenance");
    }

    /// What a contract loses that tells only a program's stdout and exit code.
    pub(super) fn add_run(&mut self, run: Option<&Run>) {
        let Some(Run { command, exit: _, stdout: _, stderr, cut }) = run else { return };
        self.add_if(command.is_some(), "command");
        self.add_if(!stderr.is_empty(), "stderr");
        self.add_if(*cut == Cut::Truncated, "truncated");
    }

    pub(super) fn into_vec(self) -> Vec<Loss> {
        self.0
    }
}
