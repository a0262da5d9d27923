//! The tool `secrets`: fake credentials of many kinds, which show what a gateway redacts.
//!
//! They are assembled from pieces, so that no scanner finds one in this source.

use super::super::disposition::{Disposition, HandlerError};
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const SECRETS: Tool = Tool {
    name: "secrets",
    title: "Fake secrets",
    description: "Returns a settings file full of made-up passwords, tokens and keys. \
                  None of them is valid; a gateway that redacts should still hide them all.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: secrets,
};

/// One kind of secret per line, and a private key at the end.
const SETTINGS: &str = concat!(
    "# settings of the harbour office\n",
    "database = postgres://",
    "clerk:not-a-real-pass",
    "word-1@db.example.com:5432/harbour\n",
    "aws_access_key_id = ",
    "AKIA",
    "IOSFODNN7",
    "EXAMPLE\n",
    "aws_secret_access_key = ",
    "wJalrXUtnFEMI/K7MDENG/",
    "bPxRfiCYEXAMPLEKEY\n",
    "github = gh",
    "p_aaaaaaaaaaaabbbbbbbbbbbb",
    "cccccccccccc\n",
    "slack = xo",
    "xb-000000000000-111111111111-",
    "aaaaaaaabbbbbbbbcccccccc\n",
    "stripe = sk_",
    "live_aaaaaaaabbbb",
    "bbbbcccccccc\n",
    "google = AI",
    "zaaaaaaaaaaabbbbbbbbbb",
    "ccccccccccddddd\n",
    "password: hunter",
    "2-not-real\n",
    "Authorization: Bea",
    "rer not-a-real-token-",
    "0000-1111-2222\n",
    "session = eyJ",
    "hbGciOiJub25lIn0.eyJ",
    "zdWIiOiJub2JvZHkifQ.",
    "bm90LWEtc2lnbmF0dXJl\n",
    "-----BEGIN ",
    "PRIVATE",
    " KEY-----\n",
    "bm90IGEga2V5LCBqdXN0IHdvcmRzIGluIHRoZSBz\n",
    "aGFwZSBvZiBhIGtleSwgZm9yIHRoZSB0ZXN0cw==\n",
    "-----END ",
    "PRIVATE",
    " KEY-----\n",
);

fn secrets(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    result::text(out, SETTINGS);
    Ok(Disposition::Answer)
}
