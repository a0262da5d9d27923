//! The presentation of a result: its contract, its place in the response, and its text mode.

use manila::stage::classify::Media;
use manila::{Contract, RawJson, Violation};

use super::era::Era;
use super::meta_keys;

/// The format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFormat {
    /// An envelope of a contract.
    Contract(Contract),
    /// `none`: the server's result, unchanged.
    Passthrough,
}

impl ResultFormat {
    /// The id of the format for unchanged results.
    pub const NONE: &'static str = "none";

    /// Returns the format with this id: that of a contract, or `none`.
    #[must_use]
    pub fn from_id(id: &str) -> Option<ResultFormat> {
        if id == ResultFormat::NONE {
            return Some(ResultFormat::Passthrough);
        }
        Contract::from_id(id).ok().map(ResultFormat::Contract)
    }

    /// Returns the format that the `_meta` of a request requests, or the rule that it violates.
    pub(crate) fn from_meta(
        meta: Option<&RawJson>,
        none: NoneRequests,
    ) -> Result<Option<ResultFormat>, Violation> {
        let Some(id) = meta.and_then(|meta| meta.get(meta_keys::CONTRACT)) else { return Ok(None) };
        let format = ResultFormat::parse_requested(id.as_text().as_deref(), none);
        format.map(Some).map_err(|message| {
            Violation::new("/params/_meta/dev.manila~1contract", "enum", message)
        })
    }

    /// Returns the format with this id, or the rule that a request for it violates. An id that is
    /// not a string is `None`.
    pub(crate) fn parse_requested(
        id: Option<&str>,
        none: NoneRequests,
    ) -> Result<ResultFormat, String> {
        let format = id.and_then(ResultFormat::from_id);
        match (format, none) {
            (Some(ResultFormat::Passthrough), NoneRequests::Refused) => {
                let ids: Vec<&str> = Contract::ALL.into_iter().map(Contract::id).collect();
                let ids = ids.join(", ");
                Err(format!("must be one of {ids}; the operator does not allow `none`"))
            }
            (Some(format), _) => Ok(format),
            (None, none) => {
                let ids: Vec<&str> = ResultFormat::ids()
                    .filter(|id| *id != ResultFormat::NONE || none == NoneRequests::Allowed)
                    .collect();
                Err(format!("must be one of {}", ids.join(", ")))
            }
        }
    }

    /// Returns the ids of all formats.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        Contract::ALL.into_iter().map(Contract::id).chain([ResultFormat::NONE])
    }
}

/// Whether callers may request results without an envelope. The configuration always may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoneRequests {
    /// A caller may request `none`.
    #[default]
    Allowed,
    /// A request for `none` is refused.
    Refused,
}

/// The place of the envelope in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// As `structuredContent`, and as the first text block.
    Structured,
    /// As the first text block only.
    Text,
}

impl Placement {
    /// Returns the placement for a client of this era, which may not support structured results.
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
    /// An envelope in the text block only. The tool may also return plain text, so it declares no
    /// structured results.
    EnvelopeInText,
    /// Plain text, because the caller did not request an envelope.
    Plain,
    /// Plain text, because the caller accepts nothing else.
    Requested,
}

impl TextMode {
    /// Returns whether the result is text for people.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, TextMode::Plain | TextMode::Requested)
    }

    /// Returns the text mode of a call with this value of `machineReadable`.
    pub(crate) fn with_machine_readable(self, value: bool) -> TextMode {
        match (self, value) {
            // The caller chose the contract, and always gets its envelopes.
            (TextMode::Envelope | TextMode::Requested, _) => self,
            (TextMode::EnvelopeInText | TextMode::Plain, true) => TextMode::EnvelopeInText,
            (TextMode::EnvelopeInText | TextMode::Plain, false) => TextMode::Plain,
        }
    }
}

/// The presentation of the result of one call. It is determined once, when the call is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Presentation {
    /// A contract, or the unchanged result.
    pub format: ResultFormat,
    /// The place of the envelope in an MCP result.
    pub placement: Placement,
    /// Whether the result is an envelope or text for people.
    pub text: TextMode,
    /// Whether media blocks are beside the envelope or inside it.
    pub media: Media,
    /// The caller's era.
    pub era: Era,
}

/// A caller's preferences that are not part of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Preferences {
    /// A contract, or the unchanged result; `None` leaves it to the configuration.
    pub(crate) format: Option<ResultFormat>,
    /// Whether media blocks are beside the envelope or inside it.
    pub(crate) media: Media,
    /// Whether the result is an envelope or text for people; `None` leaves it to the configuration.
    pub(crate) text: Option<TextMode>,
}

impl Preferences {
    /// The preferences of an MCP client that declares none.
    pub(crate) const MCP: Preferences =
        Preferences { format: None, media: Media::Beside, text: None };
}
