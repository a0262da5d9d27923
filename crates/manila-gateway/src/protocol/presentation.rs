//! How a result is presented to its caller: in which contract, where in the result, and as what text.

use manila::Contract;

/// What becomes of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// It is put into an envelope.
    Contract(Contract),
    /// `none`: it is passed on as it came.
    AsItCame,
}

impl Shape {
    /// The id for results that are passed on as they came.
    pub const NONE: &'static str = "none";

    /// The shape of this id: a contract's, or `none`.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Shape> {
        if id == Shape::NONE {
            return Some(Shape::AsItCame);
        }
        Contract::from_id(id).ok().map(Shape::Contract)
    }

    /// The id of every shape.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        Contract::ALL.into_iter().map(Contract::id).chain([Shape::NONE])
    }
}

/// Where the envelope goes in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// As `structuredContent`, and as the first text block.
    Structured,
    /// As the first text block only.
    Text,
}

/// How an answer is told to a client of MCP (M11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// As an envelope, where the client wants it.
    Envelope,
    /// As an envelope in the text: plain text might have come, so nothing else was promised.
    InText,
    /// As people read it.
    Plain,
}
