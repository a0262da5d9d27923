//! Reading envelopes: turns an envelope of a contract back into an outcome.

use std::borrow::Cow;
use std::sync::LazyLock;

use bytes::Bytes;
use memchr::memmem::Finder;

use super::Contract;
use crate::outcome::{IdSource, Loss, Outcome, Verbatim};
use crate::raw_json::{JsonObject, Kind, RawJson, TopLevel};
use crate::report::collect::{Clause, Findings};
use crate::report::path::Path;
use crate::report::{Finding, findings_of};

/// The result of reading an envelope.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The outcome that the envelope describes.
    pub outcome: Outcome,
    /// Facts of the envelope that an outcome cannot hold.
    pub losses: Vec<Loss>,
}

/// Reads an envelope of this contract.
///
/// The structure must be valid; members that the contract leaves open may be anything. For an
/// envelope that breaks its contract, all findings are returned.
///
/// ```
/// use manila::{Contract, Ended, RawJson, read};
///
/// let envelope = RawJson::parse(
///     r#"{"success": true, "data": {"n": 1.0}, "error": null,
///         "meta": {"version": "response-v2"}}"#,
/// )?;
/// let reading = read(Contract::ResponseV2, &envelope).unwrap();
/// assert!(matches!(reading.outcome.ended, Ended::Done(_)));
/// # Ok::<(), manila::ReadError>(())
/// ```
pub fn read(contract: Contract, envelope: &RawJson) -> Result<Reading, Vec<Finding>> {
    read_in(&envelope.to_bytes(), contract, TopLevel::of(envelope))
}

/// Like [`read`], but counts lines in the document that contains the envelope.
pub(crate) fn read_in(
    document: &Bytes,
    contract: Contract,
    envelope: TopLevel<'_>,
) -> Result<Reading, Vec<Finding>> {
    let mut findings = Findings::for_document(&envelope, false);
    let value = envelope.value.clone();
    let mut outcome = read_with_findings(contract, envelope, &mut findings);
    if findings.is_broken() {
        return Err(findings_of(document, &value, findings));
    }
    outcome.source_contract = Some(contract);
    let request_id = outcome.call.request_id.clone();
    outcome.verbatim = Some(Verbatim { contract, envelope: value, request_id });
    Ok(Reading { outcome, losses: findings.losses.into_vec() })
}

/// Reads as much of an envelope of this contract as is valid, and collects findings.
pub(crate) fn read_with_findings(
    contract: Contract,
    envelope: TopLevel<'_>,
    findings: &mut Findings,
) -> Outcome {
    let mut outcome = (contract.spec().read)(envelope, findings);
    if outcome.call.request_id.is_some() {
        outcome.call.id_source = IdSource::Tool;
    }
    outcome
}

/// Returns the contract whose mark a value has: `meta.version`, `schema_version`, or the nine
/// members. `machine-readable-v1` has no mark, so it is never recognised.
#[must_use]
pub fn recognise(value: &RawJson) -> Option<Contract> {
    if !may_be_marked(value) {
        return None;
    }
    recognise_top_level(&TopLevel::of(value))
}

/// Like [`recognise`], for a document whose members are known. Of two marks, the first one counts.
pub(crate) fn recognise_top_level(document: &TopLevel<'_>) -> Option<Contract> {
    let members = &document.members;
    let marked_by = |(name, value): &(Cow<'_, str>, RawJson)| {
        Contract::ALL.into_iter().find(|contract| contract.spec().mark.matches_member(name, value))
    };
    let has_members =
        || Contract::ALL.into_iter().find(|it| it.spec().mark.matches_members(members));
    members.iter().find_map(marked_by).or_else(has_members)
}

/// The end of a member name in every mark.
pub(super) const MARK_END: &str = "version";

/// Returns whether a value may have a mark. Every mark has a name that ends in [`MARK_END`], and a
/// search for it costs a fraction of a walk over a large payload.
fn may_be_marked(value: &RawJson) -> bool {
    const SMALL: usize = 128;
    static MARK: LazyLock<Finder<'static>> =
        LazyLock::new(|| Finder::new(&format!("{MARK_END}\"")).into_owned());
    let bytes = value.as_bytes();
    value.kind() == Kind::Object
        && (bytes.len() < SMALL
            || MARK.find(bytes).is_some()
            // The name may be written with escapes.
            || memchr::memchr(b'\\', bytes).is_some_and(|_| has_unicode_escape(bytes)))
}

fn has_unicode_escape(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\\u").is_some()
}

/// Reports a payload that is itself an envelope, of the same contract or of another one.
pub(super) fn check_double_wrapping(
    payload: &RawJson,
    outer: Contract,
    path: &Path<'_>,
    clause: Clause,
    findings: &mut Findings,
) {
    match recognise(payload) {
        Some(inner) if inner == outer => {
            let message = "is itself an envelope of this contract; keep one of the two";
            findings.reject(path, "double-wrapped", clause, message);
        }
        Some(inner) => {
            let message = format!("is itself an envelope of {inner}; convert it instead");
            findings.advise(path, "double-wrapped", clause, message);
        }
        None => {}
    }
}

/// Wraps a value that has a mark in an object, so that it is not mistaken for an envelope.
pub(crate) fn wrap_if_marked(json: RawJson) -> RawJson {
    match recognise(&json) {
        Some(_) => JsonObject::build(|object| object.member("answer", &json)).into(),
        None => json,
    }
}
