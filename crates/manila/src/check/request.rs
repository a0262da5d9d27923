//! Request envelopes (Q1, Q2).

use super::look::Look;
use crate::raw_json::RawJson;
use crate::request_envelope::Profile;

pub(super) fn look(value: &RawJson, profile: Profile, look: &mut Look) {
    let _ = (value, profile, look);
}
