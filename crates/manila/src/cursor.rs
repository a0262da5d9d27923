//! R12: pagination cursors, opaque to the caller.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::observed::{Invalid, Observation, Observed};
use crate::raw_json::{JsonObject, RawJson};

/// R12: how many items a page has when the caller does not say.
pub const PAGE_SIZE_DEFAULT: u64 = 100;

/// R12: how many items a page has at most.
pub const PAGE_SIZE_MAX: u64 = 1000;

/// How long a cursor may be; ours are far shorter.
const CURSOR_BYTES_MAX: usize = 64 * 1024;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The page size to use for what a caller asked: at least 1, at most [`PAGE_SIZE_MAX`].
///
/// ```
/// assert_eq!(manila::page_size(None), 100);
/// assert_eq!(manila::page_size(Some(0)), 1);
/// assert_eq!(manila::page_size(Some(5000)), 1000);
/// ```
#[must_use]
pub fn page_size(asked: Option<u64>) -> u64 {
    asked.unwrap_or(PAGE_SIZE_DEFAULT).clamp(1, PAGE_SIZE_MAX)
}

/// Where the next page starts, in the tool's own terms. A member `version` is the cursor's
/// own, and not the tool's to use.
///
/// ```
/// use manila::{Cursor, JsonObject, RawJson};
///
/// let position = JsonObject::from_members([("after", RawJson::parse("42")?)]);
/// let text = Cursor::new(&position).encode();
/// let back = Cursor::decode(&text)?;
/// assert_eq!(back.position().get("after"), Some(RawJson::parse("42")?));
/// assert!(Cursor::decode("page-2").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor(JsonObject);

impl Cursor {
    /// A cursor at this position.
    #[must_use]
    pub fn new(position: &JsonObject) -> Cursor {
        Cursor(position.without("version"))
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &JsonObject {
        &self.0
    }

    /// URL-safe base64 of compact JSON with `"version": 1`.
    #[must_use]
    pub fn encode(&self) -> String {
        let version = JsonObject::build(|object| object.member("version", &1u64));
        BASE64.encode(version.with_defaults(&self.0).to_string())
    }

    /// Reads a cursor that a caller sent.
    ///
    /// The error turns into an answer: a bad cursor is never page 1.
    pub fn decode(text: &str) -> Result<Cursor, BadCursor> {
        if text.len() > CURSOR_BYTES_MAX {
            return Err(BadCursor("is too long"));
        }
        let json = BASE64.decode(text).map_err(|_| BadCursor("is not URL-safe base64"))?;
        let value = RawJson::parse(json).map_err(|_| BadCursor("does not hold JSON"))?;
        let position = JsonObject::new(value).ok_or(BadCursor("does not hold an object"))?;
        match position.get("version").as_ref().map(RawJson::as_bytes) {
            Some(b"1") => Ok(Cursor(position.without("version"))),
            Some(_) | None => Err(BadCursor("is not of version 1")),
        }
    }
}

/// A cursor that this library did not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cursor {0}")]
pub struct BadCursor(&'static str);

impl From<BadCursor> for Observation {
    fn from(bad: BadCursor) -> Observation {
        Observation::new(Observed::Invalid(Invalid {
            message: Some(format!("Invalid pagination cursor: it {}", bad.0)),
            parameter: Some("cursor".into()),
            reason: Some("invalid format".into()),
            ..Invalid::default()
        }))
    }
}
