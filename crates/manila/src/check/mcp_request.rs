//! Requests with artifacts, `mcp.request.v0.1`.

use super::look::Look;
use crate::raw_json::RawJson;

pub(super) fn look(value: &RawJson, look: &mut Look) {
    let _ = (value, look);
}
