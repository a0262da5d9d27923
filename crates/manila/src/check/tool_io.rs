//! Tool I/O (Q3): what goes into a tool and what comes out of it.

use super::look::Look;
use crate::raw_json::RawJson;

/// A tool and its compiled schemas.
#[derive(Debug)]
pub(super) struct Tool {}

impl Tool {
    pub(super) fn read(tool: &RawJson) -> Result<Tool, String> {
        let _ = tool;
        Ok(Tool {})
    }
}

pub(super) fn look(value: &RawJson, tool: Option<&Tool>, look: &mut Look) {
    let _ = (value, tool, look);
}
