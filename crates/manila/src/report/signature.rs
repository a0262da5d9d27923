//! Signature verification: the signed data of a record, and the function that verifies it.
//!
//! There is no cryptography in this crate: a program that has the keys provides the function.

use std::fmt;
use std::sync::Arc;

/// The signature of a provenance record (P8).
///
/// The form of an Ed25519 signature has been checked: its value is the base64 of 64 bytes, and the
/// key id is 16 hex digits. The form of other algorithms is not checked here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signed<'a> {
    /// The signature algorithm, e.g. `ed25519`.
    pub algorithm: &'a str,
    /// The id of the signing key.
    pub key_id: &'a str,
    /// The signature as text.
    pub signature: &'a str,
    /// The algorithm of the digest that is signed, e.g. `sha256`.
    pub digest_algorithm: &'a str,
    /// The digest that is signed, in hex digits. The rule `record-digest` covers whether it matches
    /// the record.
    pub digest: &'a str,
}

/// The result of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// The key signed this digest.
    Valid,
    /// The key did not sign this digest.
    Invalid,
    /// The key or the algorithm is unknown.
    Unknown,
}

/// Verifies signatures with the caller's function.
#[derive(Clone)]
pub(crate) struct SignatureCheck(Arc<Verify>);

type Verify = dyn Fn(&Signed<'_>) -> Verification + Send + Sync;

impl SignatureCheck {
    pub(crate) fn new(
        verify: impl Fn(&Signed<'_>) -> Verification + Send + Sync + 'static,
    ) -> SignatureCheck {
        SignatureCheck(Arc::new(verify))
    }

    pub(crate) fn verify(&self, signed: &Signed<'_>) -> Verification {
        (self.0)(signed)
    }
}

impl fmt::Debug for SignatureCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignatureCheck").finish_non_exhaustive()
    }
}
