//! Verifying signatures: what a record signs, and the function that can tell whether it is true.
//!
//! There is no cryptography in this crate: a program that has the keys gives the function.

use std::fmt;
use std::sync::Arc;

/// A signature of a record of provenance, as the record has it (P8).
///
/// An Ed25519 signature has the right form: its value is the base64 of 64 bytes, and the key id
/// is 16 hex digits. What other algorithms ask for is not checked here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signed<'a> {
    /// The signature algorithm, e.g. `ed25519`.
    pub algorithm: &'a str,
    /// Which key signed.
    pub key_id: &'a str,
    /// The signature as text.
    pub signature: &'a str,
    /// The algorithm of the digest that is signed, e.g. `sha256`.
    pub digest_algorithm: &'a str,
    /// The digest that is signed, in hex digits. The rule `record-digest` is about whether it is
    /// that of the record.
    pub digest: &'a str,
}

/// Whether a signature is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// The key made it over this digest.
    Valid,
    /// The key did not make it, or not over this digest.
    Invalid,
    /// Its key or its algorithm is not known.
    Unknown,
}

/// Verifies signatures.
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
