//! One line of the journal, parsed (Q6).

use manila::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// The fields of a line that are shown or filtered by.
pub(super) struct Entry {
    pub(super) at: Timestamp,
    pub(super) status: String,
    pub(super) transport: Option<String>,
    pub(super) method: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) duration_ms: Option<f64>,
    pub(super) input_bytes: Option<u64>,
    pub(super) output_bytes: Option<u64>,
    pub(super) error: Option<Failure>,
}

/// The error of a failed request.
#[derive(Deserialize)]
pub(super) struct Failure {
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) details: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    ts: String,
    status: String,
    transport: Option<String>,
    method: Option<String>,
    duration_ms: Option<f64>,
    input_bytes: Option<u64>,
    output_bytes: Option<u64>,
    error: Option<Failure>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    tool_id: Option<String>,
}

impl Entry {
    /// Parses a line; returns `None` if it is not a journal line.
    pub(super) fn read(line: &[u8]) -> Option<Entry> {
        let line: Line = serde_json::from_slice(line).ok()?;
        let Line { ts, status, transport, method, duration_ms, .. } = line;
        let Line { input_bytes, output_bytes, error, metadata, .. } = line;
        let (at, tool) = (Timestamp::parse(&ts)?, metadata.and_then(|it| it.tool_id));
        Some(Entry {
            at,
            status,
            transport,
            method,
            tool,
            duration_ms,
            input_bytes,
            output_bytes,
            error,
        })
    }

    /// Returns whether the entry reports lost lines instead of a request.
    pub(super) fn is_journal_event(&self) -> bool {
        self.method.as_deref() == Some("manila/journal")
    }

    pub(super) fn is_ok(&self) -> bool {
        self.status == manila::stage::record::OK
    }

    /// Returns the tool, or else the method.
    pub(super) fn subject(&self) -> &str {
        self.tool.as_deref().or(self.method.as_deref()).unwrap_or("-")
    }
}
