//! R12: pagination cursors, opaque to the caller.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::observed::{Invalid, Observation, Observed};
use crate::raw_json::{JsonObject, RawJson};

/// R12: the number of items per page if the caller does not specify one.
pub const PAGE_SIZE_DEFAULT: u64 = 100;

/// R12: the maximum number of items per page.
pub const PAGE_SIZE_MAX: u64 = 1000;

/// The maximum length of a cursor; cursors are normally far shorter.
const CURSOR_BYTES_MAX: usize = 64 * 1024;

/// What a caller with an invalid cursor should do.
const NEXT_STEP: &str =
    "pass the cursor of the previous page unchanged, or omit it for the first page";

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Returns the page size for a request: at least 1, at most [`PAGE_SIZE_MAX`].
///
/// ```
/// assert_eq!(manila::page_size(None), 100);
/// assert_eq!(manila::page_size(Some(0)), 1);
/// assert_eq!(manila::page_size(Some(5000)), 1000);
/// ```
#[must_use]
pub fn page_size(requested: Option<u64>) -> u64 {
    requested.unwrap_or(PAGE_SIZE_DEFAULT).clamp(1, PAGE_SIZE_MAX)
}

/// The position of the next page, as a JSON object that only the tool interprets. The member
/// `version` is reserved for the cursor itself.
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
    /// Creates a cursor at this position.
    #[must_use]
    pub fn new(position: &JsonObject) -> Cursor {
        Cursor(position.without("version"))
    }

    /// Returns the position.
    #[must_use]
    pub fn position(&self) -> &JsonObject {
        &self.0
    }

    /// Encodes the cursor as URL-safe base64 of compact JSON with `"version": 1`.
    #[must_use]
    pub fn encode(&self) -> String {
        let version = JsonObject::build(|object| object.member("version", &1u64));
        BASE64.encode(version.with_defaults(&self.0).to_string())
    }

    /// Decodes a cursor that a caller sent.
    ///
    /// An invalid cursor is an error, never page 1. Convert the error to an
    /// [`Observation`](crate::Observation) to report it.
    pub fn decode(text: &str) -> Result<Cursor, BadCursor> {
        if text.len() > CURSOR_BYTES_MAX {
            return Err(BadCursor("is longer than 65536 bytes"));
        }
        let json = BASE64.decode(text).map_err(|_| BadCursor("is not URL-safe base64"))?;
        let value = RawJson::parse(json).map_err(|_| BadCursor("does not contain JSON"))?;
        let position = JsonObject::new(value).ok_or(BadCursor("does not contain an object"))?;
        match position.get("version").as_ref().map(RawJson::as_bytes) {
            Some(b"1") => Ok(Cursor(position.without("version"))),
            Some(_) | None => Err(BadCursor("has no `version` 1")),
        }
    }
}

/// An invalid cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cursor {0}")]
pub struct BadCursor(&'static str);

impl From<BadCursor> for Observation {
    fn from(bad: BadCursor) -> Observation {
        Observation::new(Observed::Invalid(Invalid {
            message: Some(format!("Invalid pagination cursor: it {}; {NEXT_STEP}", bad.0)),
            parameter: Some("cursor".into()),
            reason: Some("invalid format".into()),
            ..Invalid::default()
        }))
    }
}
