//! Losses: the facts of an outcome that a contract cannot carry.

use std::fmt;

/// A fact that a contract could not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The fact that was lost or changed.
    pub what: &'static str,
    /// The reason.
    pub why: &'static str,
}

impl Loss {
    /// Describes the loss in an envelope of the contract with this id.
    #[must_use]
    pub fn describe(&self, contract: &str) -> String {
        let Loss { what, why } = self;
        if *why == NO_PLACE {
            format!("{contract} cannot carry `{what}`")
        } else {
            format!("{contract}: `{what}`: {why}")
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// A list of losses.
#[derive(Debug, Default)]
pub(crate) struct Losses(Vec<Loss>);

impl From<Vec<Loss>> for Losses {
    fn from(losses: Vec<Loss>) -> Losses {
        Losses(losses)
    }
}

/// The reason for most losses.
const NO_PLACE: &str = "the contract has no place for it";

impl Losses {
    pub(crate) fn add(&mut self, what: &'static str, why: &'static str) {
        let loss = Loss { what, why };
        if !self.0.contains(&loss) {
            self.0.push(loss);
        }
    }

    /// Adds a loss for which the contract has no place, if the fact is present.
    pub(crate) fn add_if(&mut self, is_present: bool, what: &'static str) {
        if is_present {
            self.add(what, NO_PLACE);
        }
    }

    /// Returns these losses, followed by others.
    pub(crate) fn and(mut self, others: Losses) -> Losses {
        for Loss { what, why } in others.0 {
            self.add(what, why);
        }
        self
    }

    pub(crate) fn into_vec(self) -> Vec<Loss> {
        self.0
    }
}
