//! What a contract cannot carry, and why.

use std::fmt;

/// Something that a contract could not carry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What was lost or changed.
    pub what: &'static str,
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
pub(crate) struct Losses(Vec<Loss>);

impl From<Vec<Loss>> for Losses {
    fn from(losses: Vec<Loss>) -> Losses {
        Losses(losses)
    }
}

/// Why most things are lost.
const NO_PLACE: &str = "the contract has no place for it";

impl Losses {
    pub(crate) fn add(&mut self, what: &'static str, why: &'static str) {
        let loss = Loss { what, why };
        if !self.0.contains(&loss) {
            self.0.push(loss);
        }
    }

    /// Adds a loss for which the contract has no place, if there is something to lose.
    pub(crate) fn add_if(&mut self, is_there: bool, what: &'static str) {
        if is_there {
            self.add(what, NO_PLACE);
        }
    }

    /// These losses, and then others.
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
