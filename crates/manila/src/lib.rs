//! One envelope for every MCP tool: results, failures and metadata in a documented format.
//!
//! An [`Observation`] describes what happened in a tool call. [`Observation::seal`] classifies it,
//! redacts its secrets, and writes it in a [`Contract`], a named format such as `response-v2`. The
//! resulting [`Reply`] has the envelope, and the facts that the contract could not carry.
//!
//! Tool authors start with [`answer`]:
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
//!
//! Other tasks start with:
//!
//! - [`Observation::from_json`]: seal an observation that is JSON
//! - [`pipeline`]: seal with other settings, such as your own redaction rules
//! - [`convert`]: convert an envelope to another contract
//! - [`check`]: check whether a document conforms to its contract
//!
//! The crate has no I/O, no clock and no randomness: the same input gives the same bytes. The
//! caller therefore passes a fresh UUID in the [`Context`], from which ids are generated.
#![forbid(unsafe_code)]

// Unit tests and integration tests share generators of random values, which use the crate by name.
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
    //! Types for iterating over JSON values and for writing them.
    pub use crate::raw_json::{
        Emit, Items, Kind, Member, Members, ObjectWriter, escape, escaped_len,
    };
}
mod document_kind;
pub mod jsonrpc;
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
mod suggest;
mod timestamp;
mod truncate;
mod violation;

pub use catalogue::{Code, Entry, Retry, UnknownCode};
pub use context::Context;
pub use contract::{
    Reading, Reply, Spelling, code_from_spelling, describes_envelope, format_request_id,
    output_schema, read, recognise, render, render_plain_text, spellings, try_output_schema,
};
pub use cursor::{BadCursor, Cursor, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, page_size};
pub use diagnostics::{Diagnosis, Diagnostic, diagnostic, diagnostics};
pub use digest::sha256_hex;
pub use document_kind::{
    Contract, ContractInfo, DocumentKind, UnknownContract, UnknownDocumentKind,
};
pub use ids::{IdPurpose, deterministic_id};
pub use lines::lines_with;
pub use observed::kinds::*;
pub use observed::{McpResult, Observation};
pub use outcome::{
    Call, Category, Ended, Failure, Fidelity, IdSource, Loss, NonEmpty, Notes, Outcome, Pagination,
    Payload, Provenance, RateLimit, Receipt, Reduction, Run, Severity, Telemetry, Text, Tier,
    Truncation, UpgradeHint, Warning,
};
pub use pipeline::{ConvertError, Converted, convert};
pub use raw_json::{
    Canonical, DEPTH_MAX, ITEM_DEPTH_MAX, JsonObject, NotCanonical, NotCanonicalReason,
    NotSerializable, Problem, RawJson, ReadError, ShortenedList, Syntax, canonical, key_sorted,
    pretty, pretty_pieces, without_deep_items,
};
pub use request_envelope::Profile;
pub use schema::PayloadSchemaError;
#[cfg(feature = "validate")]
pub use schema::{Fingerprint, Registry, Schema, UnusableSchema};
pub use suggest::closest;
pub use timestamp::Timestamp;
pub use violation::{CheckStopped, Violation};

/// Runs the examples of the crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
