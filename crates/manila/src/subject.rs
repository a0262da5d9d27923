//! What a document can be checked as.

use crate::contract::Contract;

/// What a document can be: one of the response contracts, or one of the documents beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An answer in one of the four contracts.
    Envelope(Contract),
    /// A request, `request-envelope`.
    RequestEnvelope,
    /// What goes into a tool and what comes out of it, `tool-io`.
    ToolIo,
    /// A provenance record, `prov.record.v0.1`.
    ProvRecord,
    /// A request with artifacts, `mcp.request.v0.1`.
    McpRequest,
}
