//! The observation: a description of what happened in a call, before it is classified.
//!
//! `manila seal` reads observations, and the gateway creates them. An observation records a result,
//! an exit code or a timeout, and `classify` gives it a code.

use bytes::Bytes;

use crate::outcome::{Call, Notes};
use crate::raw_json::{JsonObject, ReadError, Reader};

pub(crate) mod kinds;
mod mcp_result;
mod read;
mod read_kind;
mod read_notes;
mod write;

pub(crate) use kinds::*;
pub use mcp_result::McpResult;
pub(crate) use mcp_result::{BrokenRule, Part};

/// The maximum number of levels by which a value is deeper in an envelope than in its observation.
const EXTRA_DEPTH_MAX: usize = 2;

/// An observed call, and the facts known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The tool, the caller and the duration.
    pub call: Call,
    /// The observed end of the call.
    pub observed: Observed,
    /// Warnings, paging and other facts beside the result.
    pub notes: Notes,
}

impl Observation {
    /// Creates an observation without any other facts.
    #[must_use]
    pub fn new(observed: Observed) -> Observation {
        Observation { call: Call::default(), observed, notes: Notes::default() }
    }

    /// Parses an observation from its JSON form.
    ///
    /// ```
    /// use manila::Observation;
    ///
    /// let error = Observation::from_json(r#"{"observed": {"sayd": "hi"}}"#).unwrap_err();
    /// assert_eq!(error.pointer, "/observed/sayd");
    /// assert_eq!(error.hint(), "did you mean `said`?");
    /// ```
    pub fn from_json(json: impl Into<Bytes>) -> Result<Observation, ReadError> {
        Reader::document_at_depth(EXTRA_DEPTH_MAX, &json.into(), read::read_observation)
    }

    /// Returns the JSON form, which [`from_json`](Observation::from_json) parses.
    ///
    /// ```
    /// use manila::{Observation, Observed};
    ///
    /// let observation = Observation::new(Observed::Said("hello".to_owned().into()));
    /// assert_eq!(observation.to_json().to_string(), r#"{"observed":{"said":"hello"}}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> JsonObject {
        write::write_observation(self)
    }
}
