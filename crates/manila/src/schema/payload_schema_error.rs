//! The error for a tool's schema that cannot be applied to its payload in an envelope.

use crate::document_kind::Contract;

/// Reports why the schema of a payload cannot be applied in the envelopes of a contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadSchemaError {
    /// The schema is neither an object nor a boolean.
    #[error("a schema must be an object, true or false, but it is {0}")]
    NotASchema(&'static str),
    /// Its `$schema` names a dialect in which the envelope's schema would have another meaning.
    #[error("its `$schema` must name draft-07, 2019-09 or 2020-12, but names `{0}`")]
    Dialect(String),
    /// It refers to a place inside itself where no keyword holds a schema.
    #[error("it refers to `{0}`, which is not a schema")]
    Reference(String),
    /// It describes an envelope, which is read as such and not wrapped again.
    #[error("it describes an envelope, which cannot be the payload of another one")]
    Envelope,
    /// The contract has no member to which it could apply.
    #[error("{0} carries a payload as text, so no schema applies to it")]
    TextPayload(Contract),
    /// The payload's place depends on its type, which the schema does not declare.
    #[error("its root must have a `type` that tells whether the payload is an object")]
    TypeUnspecified,
}
