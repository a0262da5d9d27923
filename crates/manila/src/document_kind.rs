//! The kinds of documents that can be checked: the contracts, and other documents.

mod contract;

pub use contract::{Contract, ContractInfo, UnknownContract};

/// The kind of a document: a response contract, or another document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// A response contract.
    Envelope(Contract),
    /// `request-envelope`
    RequestEnvelope,
    /// `tool-io`
    ToolIo,
    /// `prov.record.v0.1`
    ProvRecord,
    /// `mcp.request.v0.1`
    McpRequest,
}

/// The facts about a document kind.
struct DocumentKindInfo {
    id: &'static str,
    summary: &'static str,
    schema: &'static str,
}

/// The documents that are not envelopes of a contract.
const OTHERS: [DocumentKind; 4] = [
    DocumentKind::RequestEnvelope,
    DocumentKind::ToolIo,
    DocumentKind::ProvRecord,
    DocumentKind::McpRequest,
];

const N_KINDS: usize = Contract::ALL.len() + OTHERS.len();

impl DocumentKind {
    /// Every kind: the contracts in their order, then the others.
    #[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
    pub const ALL: [DocumentKind; N_KINDS] = {
        let mut all = [OTHERS[0]; N_KINDS];
        let mut n = 0;
        while n < N_KINDS {
            all[n] = match n.checked_sub(Contract::ALL.len()) {
                None => DocumentKind::Envelope(Contract::ALL[n]),
                Some(other) => OTHERS[other],
            };
            n += 1;
        }
        all
    };

    /// Returns the contract, if the document kind is one.
    #[must_use]
    pub const fn contract(self) -> Option<Contract> {
        match self {
            DocumentKind::Envelope(contract) => Some(contract),
            DocumentKind::RequestEnvelope
            | DocumentKind::ToolIo
            | DocumentKind::ProvRecord
            | DocumentKind::McpRequest => None,
        }
    }

    /// Returns the id, e.g. `response-v2` or `tool-io`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.info().id
    }

    /// Returns a description of one line.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.info().summary
    }

    /// Returns the JSON Schema, draft 2020-12.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        self.info().schema
    }

    /// Parses the id of a document kind. There is no fallback.
    ///
    /// ```
    /// use manila::{Contract, DocumentKind};
    /// assert_eq!(DocumentKind::from_id("tool-io"), Ok(DocumentKind::ToolIo));
    /// assert_eq!(DocumentKind::from_id("response-v2"), Ok(Contract::ResponseV2.into()));
    /// assert!(DocumentKind::from_id("response-v3").is_err());
    /// ```
    pub fn from_id(id: &str) -> Result<DocumentKind, UnknownDocumentKind> {
        let found = DocumentKind::ALL.into_iter().find(|kind| kind.id() == id);
        found.ok_or_else(|| UnknownDocumentKind(id.to_owned()))
    }

    const fn info(self) -> DocumentKindInfo {
        match self {
            DocumentKind::Envelope(contract) => {
                let ContractInfo { id, summary, schema, .. } = *contract.info();
                DocumentKindInfo { id, summary, schema }
            }
            DocumentKind::RequestEnvelope => DocumentKindInfo {
                id: "request-envelope",
                summary: "a JSON-RPC 2.0 request in its strict profile: an `id` that is a string, \
                          and `params` that are an object",
                schema: include_str!("../schemas/request_envelope.json"),
            },
            // Q3: input and output of one call may be in one document. Each rule is about its own
            // member, and other members are allowed.
            DocumentKind::ToolIo => DocumentKindInfo {
                id: "tool-io",
                summary: "a tool's name with its `input`, its `output`, or both",
                schema: include_str!("../schemas/tool_io.json"),
            },
            DocumentKind::ProvRecord => DocumentKindInfo {
                id: "prov.record.v0.1",
                summary: "the provenance of one run: the tool, its inputs and outputs, and its \
                          methods",
                schema: include_str!("../schemas/prov_record_v0_1.json"),
            },
            DocumentKind::McpRequest => DocumentKindInfo {
                id: "mcp.request.v0.1",
                summary: "a tool call with the artifacts that it works on",
                schema: include_str!("../schemas/mcp_request_v0_1.json"),
            },
        }
    }
}

impl From<Contract> for DocumentKind {
    fn from(contract: Contract) -> DocumentKind {
        DocumentKind::Envelope(contract)
    }
}

impl std::fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

impl std::str::FromStr for DocumentKind {
    type Err = UnknownDocumentKind;

    fn from_str(id: &str) -> Result<DocumentKind, UnknownDocumentKind> {
        DocumentKind::from_id(id)
    }
}

/// An id that names neither a contract nor another document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no contract or document kind is named `{0}`")]
pub struct UnknownDocumentKind(pub String);

#[cfg(test)]
mod tests;
