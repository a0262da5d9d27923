//! Reading a contract back: what an envelope says, in no contract's words.

use std::borrow::Cow;
use std::sync::LazyLock;

use bytes::Bytes;
use memchr::memmem::Finder;

use super::Contract;
use crate::outcome::{IdSource, Loss, Outcome, Verbatim};
use crate::raw_json::{JsonObject, Kind, Opened, RawJson};
use crate::report::look::{Clause, Look};
use crate::report::path::Path;
use crate::report::{Finding, findings_of};

/// What an envelope says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The outcome that it tells of.
    pub outcome: Outcome,
    /// What it says that no outcome can hold.
    pub losses: Vec<Loss>,
}

/// Reads an envelope of this contract. Structure is strict, and what the contract leaves open
/// is left open; an envelope that breaks its contract is refused with all that is wrong.
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
    read_in(&envelope.to_bytes(), contract, Opened::of(envelope))
}

/// As [`read`]; lines are counted in the document that holds the envelope.
pub(crate) fn read_in(
    document: &Bytes,
    contract: Contract,
    envelope: Opened<'_>,
) -> Result<Reading, Vec<Finding>> {
    let mut look = Look::at(&envelope, false);
    let value = envelope.value.clone();
    let mut outcome = look_at(contract, envelope, &mut look);
    if look.is_broken() {
        return Err(findings_of(document, &value, look));
    }
    outcome.came_in = Some(contract);
    let request_id = outcome.call.request_id.clone();
    outcome.verbatim = Some(Verbatim { contract, envelope: value, request_id });
    Ok(Reading { outcome, losses: look.losses.into_vec() })
}

/// Looks at an envelope of this contract: what it says, as far as it can be understood.
pub(crate) fn look_at(contract: Contract, envelope: Opened<'_>, look: &mut Look) -> Outcome {
    let mut outcome = (contract.row().read)(envelope, look);
    if outcome.call.request_id.is_some() {
        outcome.call.id_source = IdSource::Tool;
    }
    outcome
}

/// The contract whose mark a value has: `meta.version`, `schema_version`, or the nine members.
/// `machine-readable-v1` has none, so it is never recognised.
#[must_use]
pub fn recognise(value: &RawJson) -> Option<Contract> {
    if !may_be_marked(value) {
        return None;
    }
    recognise_opened(&Opened::of(value))
}

/// As [`recognise`], for a document whose members are at hand. Of two marks, the first decides.
pub(crate) fn recognise_opened(document: &Opened<'_>) -> Option<Contract> {
    let members = &document.members;
    let marked_by = |(name, value): &(Cow<'_, str>, RawJson)| {
        Contract::ALL.into_iter().find(|contract| contract.row().mark.is_in(name, value))
    };
    let has_members = || Contract::ALL.into_iter().find(|it| it.row().mark.are(members));
    members.iter().find_map(marked_by).or_else(has_members)
}

/// How the last name of every mark ends.
pub(super) const MARK_END: &str = "version";

/// Whether a value may have a mark: all of them have a name that ends in [`MARK_END`]. To look
/// for that costs a fraction of a walk over a large payload.
fn may_be_marked(value: &RawJson) -> bool {
    const SMALL: usize = 128;
    static MARK: LazyLock<Finder<'static>> =
        LazyLock::new(|| Finder::new(&format!("{MARK_END}\"")).into_owned());
    let bytes = value.as_bytes();
    value.kind() == Kind::Object
        && (bytes.len() < SMALL
            || MARK.find(bytes).is_some()
            // However it is spelled.
            || memchr::memchr(b'\\', bytes).is_some_and(|_| finds_unicode_escape(bytes)))
}

fn finds_unicode_escape(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\\u").is_some()
}

/// The contracts that an envelope's payload must not be: the same one again, or another.
pub(super) fn double_wrapped(
    payload: &RawJson,
    own: Contract,
    path: &Path<'_>,
    clause: Clause,
    look: &mut Look,
) {
    match recognise(payload) {
        Some(inner) if inner == own => {
            let message = "is itself an envelope of this contract; keep one of the two";
            look.refuse(path, "double-wrapped", clause, message);
        }
        Some(inner) => {
            let message = format!("is itself an envelope, of {inner}; convert it instead");
            look.advise(path, "double-wrapped", clause, message);
        }
        None => {}
    }
}

/// A value that must not be taken for an envelope: one that has a mark stands one level deeper.
pub(crate) fn unmarked(json: RawJson) -> RawJson {
    match recognise(&json) {
        Some(_) => JsonObject::build(|object| object.member("answer", &json)).into(),
        None => json,
    }
}
