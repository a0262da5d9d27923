//! Reading a contract back: what an envelope says, in no contract's words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use bytes::Bytes;
use memchr::memmem::Finder;

use super::{
    Contract, Loss, Reply, envelope_v1, machine_readable_v1, mcp_envelope_v0_1, render, response_v2,
};
use crate::check::look::Look;
use crate::check::{self, Finding};
use crate::context::Context;
use crate::outcome::{IdSource, Outcome, Verbatim};
use crate::pipeline::Settings;
use crate::raw_json::{JsonObject, Kind, Opened, RawJson, ReadError};
use crate::stage::attest::attest;
use crate::stage::check_output::check_redacted;
use crate::stage::fit::fit;
use crate::stage::redact::redact;
use crate::stage::unwrap_nested::unwrap_nested;

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
///     r#"{"success": true, "data": {"n": 1.0}, "error": null, "meta": {"version": "response-v2"}}"#,
/// )?;
/// let reading = read(Contract::ResponseV2, &envelope).unwrap();
/// assert!(matches!(reading.outcome.ended, Ended::Done(_)));
/// # Ok::<(), manila::ReadError>(())
/// ```
pub fn read(contract: Contract, envelope: &RawJson) -> Result<Reading, Vec<Finding>> {
    read_in(&envelope.to_bytes(), contract, Opened::of(envelope))
}

/// As [`read`]; lines are counted in the document that holds the envelope.
fn read_in(
    document: &Bytes,
    contract: Contract,
    envelope: Opened<'_>,
) -> Result<Reading, Vec<Finding>> {
    let mut look = Look::at(&envelope, false);
    let value = envelope.value.clone();
    let mut outcome = look_at(contract, envelope, &mut look);
    if look.is_broken() {
        return Err(check::findings_of(document, &value, look));
    }
    outcome.came_in = Some(contract);
    let request_id = outcome.call.request_id.clone();
    outcome.verbatim = Some(Verbatim { contract, envelope: value, request_id });
    Ok(Reading { outcome, losses: look.losses.into_vec() })
}

/// Looks at an envelope of this contract: what it says, as far as it can be understood.
pub(crate) fn look_at(contract: Contract, envelope: Opened<'_>, look: &mut Look) -> Outcome {
    let mut outcome = match contract {
        Contract::EnvelopeV1 => envelope_v1::read(envelope, look),
        Contract::ResponseV2 => response_v2::read(envelope, look),
        Contract::MachineReadableV1 => machine_readable_v1::read(envelope, look),
        Contract::McpEnvelopeV01 => mcp_envelope_v0_1::read(envelope, look),
    };
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

/// As [`recognise`], for a document whose members are at hand.
pub(crate) fn recognise_opened(document: &Opened<'_>) -> Option<Contract> {
    let mut of_nine = BTreeSet::new();
    let mut n_others = 0;
    let is = |value: &RawJson, mark: &str| value.as_text().is_some_and(|text| text == mark);
    for (name, value) in &document.members {
        let name = name.as_ref();
        if name == "schema_version" && is(value, "mcp.envelope.v0.1") {
            return Some(Contract::McpEnvelopeV01);
        }
        if name == "meta" && value.get("version").is_some_and(|version| is(&version, "response-v2"))
        {
            return Some(Contract::ResponseV2);
        }
        if envelope_v1::MEMBERS.contains(&name) {
            // E5: the only one that may be absent, so it does not count.
            of_nine.extend(Some(name).filter(|name| *name != "duration_ms"));
        } else {
            n_others += 1;
        }
    }
    let has_nine = of_nine.len() + 1 == envelope_v1::MEMBERS.len() && n_others == 0;
    has_nine.then_some(Contract::EnvelopeV1)
}

/// Whether a value may have a mark: all of them have a name that ends in `version`. To look for
/// that costs a fraction of a walk over a large payload.
fn may_be_marked(value: &RawJson) -> bool {
    const SMALL: usize = 128;
    static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"version\""));
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

/// A value that must not be taken for an envelope: one that has a mark stands one level deeper.
pub(crate) fn unmarked(json: RawJson) -> RawJson {
    match recognise(&json) {
        Some(_) => JsonObject::build(|object| object.member("answer", &json)).into(),
        None => json,
    }
}

/// An envelope in another contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The contract that it had.
    pub from: Contract,
    /// The envelope in the other contract, and what was lost on the way.
    pub reply: Reply,
}

/// Why an envelope could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotConverted {
    /// It is not JSON.
    #[error(transparent)]
    NotJson(#[from] ReadError),
    /// No contract's mark is there, or none of an envelope; and why it is not recognised.
    #[error("it {0}")]
    Unrecognised(String),
    /// It breaks the contract that it should keep.
    #[error("it breaks {contract}")]
    Broken {
        /// The contract.
        contract: Contract,
        /// What is wrong.
        findings: Vec<Finding>,
    },
}

/// Reads an envelope and writes it in the contract `to`. Without `from` its marks decide.
pub fn convert(
    document: &Bytes,
    from: Option<Contract>,
    to: Contract,
    settings: &Settings<'_>,
    context: &Context,
) -> Result<Converted, NotConverted> {
    let envelope = Opened::read(document)?;
    let from = from
        .or_else(|| recognise_opened(&envelope))
        .ok_or_else(|| NotConverted::Unrecognised(check::unrecognised(&envelope)))?;
    let Reading { mut outcome, losses } = read_in(document, from, envelope)
        .map_err(|findings| NotConverted::Broken { contract: from, findings })?;
    outcome.unread = losses;
    outcome.verbatim = outcome.verbatim.filter(|_| from == to);
    let outcome = unwrap_nested(outcome);
    let redacted = redact(outcome, settings.redaction, settings.passthrough);
    let redacted = check_redacted(redacted, settings.output_check);
    let attested = attest(fit(redacted, settings.budget), settings.attestation);
    let mut reply = render(&attested, to, context);
    let redacted = attested.redacted();
    if !redacted.hidden().is_empty() && !redacted.is_shown() {
        reply.losses.push(Loss { what: "secrets", why: "they are hidden" });
    }
    Ok(Converted { from, reply })
}
