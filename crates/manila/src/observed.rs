//! The observation: what somebody saw of a call, before it has a name.
//!
//! An observation is what `manila seal` reads and what a gateway makes. It says what was
//! seen (an answer, an exit code, a time-out) and leaves the naming to `classify`.

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
pub(crate) use mcp_result::{Broken, Part};

/// How much deeper a value may lie in an envelope than in its observation, at most.
const DEEPER_IN_ENVELOPE: usize = 2;

/// What was seen of a call, and what is known around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Who was called, by whom, and how long it took.
    pub call: Call,
    /// What was seen.
    pub observed: Observed,
    /// What is said beside the answer.
    pub notes: Notes,
}

impl Observation {
    /// An observation about which nothing else is known.
    #[must_use]
    pub fn new(observed: Observed) -> Observation {
        Observation { call: Call::default(), observed, notes: Notes::default() }
    }

    /// Reads an observation in its JSON form.
    ///
    /// ```
    /// use manila::Observation;
    ///
    /// let error = Observation::from_json(r#"{"observed": {"sayd": "hi"}}"#).unwrap_err();
    /// assert_eq!(error.pointer, "/observed/sayd");
    /// assert_eq!(error.hint(), "did you mean `said`?");
    /// ```
    pub fn from_json(json: impl Into<Bytes>) -> Result<Observation, ReadError> {
        Reader::document_at_depth(DEEPER_IN_ENVELOPE, &json.into(), read::observation)
    }

    /// Its JSON form, from which it can be read again.
    ///
    /// ```
    /// use manila::{Observation, Observed};
    ///
    /// let seen = Observation::new(Observed::Said("hello".to_owned().into()));
    /// assert_eq!(seen.to_json().to_string(), r#"{"observed":{"said":"hello"}}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> JsonObject {
        write::observation(self)
    }
}
