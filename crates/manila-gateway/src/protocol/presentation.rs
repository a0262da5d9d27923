//! How a result is presented to its caller: in which contract, where in the result, and as what
//! text.

use manila::stage::classify::Media;
use manila::{Contract, RawJson, Violation};

use super::era::Era;
use super::own_meta;

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

    /// Returns the shape that the `_meta` of a request asks for, or the rule that it breaks.
    pub(crate) fn from_meta(meta: Option<&RawJson>) -> Result<Option<Shape>, Violation> {
        let Some(id) = meta.and_then(|meta| meta.get(own_meta::CONTRACT)) else { return Ok(None) };
        let shape = id.as_text().and_then(|id| Shape::from_id(&id));
        shape.map(Some).ok_or_else(|| {
            let ids: Vec<&str> = Shape::ids().collect();
            let message = format!("must be one of {}", ids.join(", "));
            Violation::new("/params/_meta/dev.manila~1contract", "enum", message)
        })
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

impl Placement {
    /// Where the envelope goes for a client of this era, which may know no structured results.
    pub(crate) fn for_era(self, era: Era) -> Placement {
        match self {
            Placement::Structured if era.has_structured_results() => Placement::Structured,
            Placement::Structured | Placement::Text => Placement::Text,
        }
    }
}

/// Whether a result is an envelope or text for people (M11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextMode {
    /// An envelope, where the caller's placement puts it.
    Envelope,
    /// An envelope in the text block only: plain text might have come, so nothing else was
    /// promised.
    InText,
    /// Plain text, because nobody asked for an envelope.
    Plain,
    /// Plain text, because the caller accepts nothing else.
    Requested,
}

impl TextMode {
    /// Whether people read the result.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, TextMode::Plain | TextMode::Requested)
    }

    /// Returns the text mode of a call with this value of `machineReadable`.
    pub(crate) fn with_machine_readable(self, value: bool) -> TextMode {
        match (self, value) {
            // The caller chose the contract, and always gets its envelopes.
            (TextMode::Envelope | TextMode::Requested, _) => self,
            (TextMode::InText | TextMode::Plain, true) => TextMode::InText,
            (TextMode::InText | TextMode::Plain, false) => TextMode::Plain,
        }
    }
}

/// How the result of one call is presented to its caller. It is resolved once, when the call is
/// parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Presentation {
    /// A contract, or the result as it came.
    pub shape: Shape,
    /// Where the envelope goes in a result of MCP.
    pub placement: Placement,
    /// Whether the result is an envelope or text for people.
    pub text: TextMode,
    /// Whether media blocks stand beside the envelope or inside it.
    pub media: Media,
    /// The era of MCP in which the caller reads it.
    pub era: Era,
}

/// What a caller prefers, beside what its request says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Preferences {
    /// A contract, or the result as it came.
    pub(crate) shape: Option<Shape>,
    /// Whether media blocks stand beside the envelope or inside it.
    pub(crate) media: Media,
    /// Whether the result is an envelope or text for people; `None` leaves it to the configuration.
    pub(crate) text: Option<TextMode>,
}

impl Preferences {
    /// The preferences of a client of MCP that states none.
    pub(crate) const MCP: Preferences =
        Preferences { shape: None, media: Media::Beside, text: None };
}
