//! Provenance records and evidence (P5–P9).

use super::look::Look;
use super::path::Path;
use crate::raw_json::RawJson;

/// A record, `prov.record.v0.1`.
pub(crate) fn record(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    let _ = (value, path, look);
}

/// A list of evidence anchors, `evidence.v0.1`.
pub(crate) fn evidence(value: &RawJson, path: &Path<'_>, look: &mut Look) {
    let _ = (value, path, look);
}
