//! One envelope for every MCP tool: the contracts as pure functions.
//!
//! A tool's result comes in as an [`Observation`], is named by the stages in [`pipeline`],
//! and leaves as a [`Reply`] in one of the [`Contract`]s. There is no input or output, no
//! clock and no randomness here: the same input gives the same bytes.
//!
//! A tool author starts with [`answer`]:
//!
//! ```
//! use manila::{Context, Contract, answer};
//!
//! let reply = answer::not_found("Spec", "spec-42")
//!     .tool("spec", "1.4.0")
//!     .request_id("req_abc123")
//!     .seal(Contract::ResponseV2, &Context::new([0; 16]));
//! assert!(reply.is_error);
//! assert_eq!(
//!     reply.envelope.to_string(),
//!     concat!(
//!         r#"{"success":false,"data":{"error_code":"NOT_FOUND","error_type":"not_found","#,
//!         r#""remediation":"Check the name or path, and that it exists","#,
//!         r#""details":{"resource":"Spec","id":"spec-42"}},"#,
//!         r#""error":"Spec 'spec-42' not found","#,
//!         r#""meta":{"version":"response-v2","request_id":"req_abc123"}}"#,
//!     ),
//! );
//! ```
#![forbid(unsafe_code)]

// Tests inside and outside of the crate share their random values, which name it.
#[cfg(test)]
extern crate self as manila;

pub mod answer;
mod catalogue;
pub mod check;
mod context;
mod contract;
mod cursor;
mod diagnostics;
mod digest;
mod ids;
mod lines;
pub mod json {
    //! The parts of JSON, for those who walk over values and splice them.
    pub use crate::raw_json::{Emit, Items, Kind, Member, Members, ObjectWriter};
}
pub mod jsonrpc;
mod moment;
mod observed;
mod outcome;
pub mod pipeline;
mod pointer;
mod prepared;
mod prov;
mod raw_json;
mod report;
pub mod request_envelope;
mod schema;
pub mod stage;
mod subject;
mod suggest;
mod truncate;
mod violation;

pub use catalogue::{Code, Entry, Retry, UnknownCode};
pub use context::Context;
pub use contract::{
    Reading, Reply, Spelling, code_from_spelling, describes_envelope, output_schema, plain_text,
    read, recognise, render, request_id, schema_around, spellings,
};
pub use cursor::{BadCursor, Cursor, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, page_size};
pub use diagnostics::{Diagnosed, Diagnostic, diagnostic, diagnostics};
pub use digest::sha256_hex;
pub use ids::{IdPurpose, deterministic_id};
pub use lines::lines_with;
pub use moment::Moment;
pub use observed::kinds::*;
pub use observed::{McpResult, Observation};
pub use outcome::{
    Call, Category, Cut, Ended, Failure, Fidelity, IdSource, Loss, NonEmpty, Notes, Outcome,
    Pagination, Payload, Provenance, RateLimit, Receipt, Reduction, Run, Severity, Telemetry, Text,
    Tier, UpgradeHint, Warning,
};
pub use pipeline::{Converted, NotConverted, convert};
pub use raw_json::{
    Canonical, DEPTH_MAX, JsonObject, NotCanonical, NotCanonicalReason, Problem, RawJson,
    ReadError, Syntax, UnfitValue, canonical, key_sorted, pretty, pretty_pieces,
};
pub use request_envelope::Profile;
pub use schema::Unbound;
#[cfg(feature = "validate")]
pub use schema::{Fingerprint, Registry, Schema, UnusableSchema};
pub use subject::{Contract, Info, Subject, UnknownContract, UnknownSubject};
pub use suggest::closest;
pub use violation::Violation;

/// The examples of the crate's README are tests too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
