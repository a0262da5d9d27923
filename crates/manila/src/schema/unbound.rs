//! Why a tool's own schema does not bind its payload in an envelope.

use crate::subject::Contract;

/// Why the schema of a payload does not bind in a contract's envelopes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unbound {
    /// It is neither an object nor a boolean.
    #[error("a schema must be an object, true or false, but it is {0}")]
    NoSchema(&'static str),
    /// Its `$schema` names a dialect in which the envelope's schema would say something else.
    #[error("its `$schema` must name draft-07, 2019-09 or 2020-12, but names `{0}`")]
    Dialect(String),
    /// It refers to a place of its own that no keyword makes the place of a schema.
    #[error("it refers to `{0}`, where JSON Schema knows of no schema")]
    Reference(String),
    /// It describes an envelope: such an answer is read, and not wrapped again.
    #[error("it describes an envelope, which is never the payload of another")]
    Envelope,
    /// The contract has no place for it.
    #[error("{0} carries a payload as text, so no schema can bind it")]
    NoPlace(Contract),
    /// The payload's place depends on its type, which is not said.
    #[error("its root does not say by `type` whether the payload is an object")]
    TypeUnsaid,
}
