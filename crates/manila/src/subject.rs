//! What a document can be checked as: the contracts, and the documents beside them.

mod contract;

pub use contract::{Contract, Info, UnknownContract};

/// What a document can be: one of the response contracts, or one of the documents beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
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

/// What there is to know about a subject.
struct Known {
    id: &'static str,
    summary: &'static str,
    schema: &'static str,
}

/// The documents beside the contracts.
const OTHERS: [Subject; 4] =
    [Subject::RequestEnvelope, Subject::ToolIo, Subject::ProvRecord, Subject::McpRequest];

const N_SUBJECTS: usize = Contract::ALL.len() + OTHERS.len();

impl Subject {
    /// Every subject: the contracts in their order, then the others.
    #[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
    pub const ALL: [Subject; N_SUBJECTS] = {
        let mut all = [OTHERS[0]; N_SUBJECTS];
        let mut n = 0;
        while n < N_SUBJECTS {
            all[n] = match n.checked_sub(Contract::ALL.len()) {
                None => Subject::Envelope(Contract::ALL[n]),
                Some(other) => OTHERS[other],
            };
            n += 1;
        }
        all
    };

    /// The contract, if it is one.
    #[must_use]
    pub const fn contract(self) -> Option<Contract> {
        match self {
            Subject::Envelope(contract) => Some(contract),
            Subject::RequestEnvelope
            | Subject::ToolIo
            | Subject::ProvRecord
            | Subject::McpRequest => None,
        }
    }

    /// Its id, e.g. `response-v2` or `tool-io`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.known().id
    }

    /// What it is, in one line.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.known().summary
    }

    /// Its JSON Schema, draft 2020-12.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        self.known().schema
    }

    /// The subject of this id. There is no fallback.
    ///
    /// ```
    /// use manila::{Contract, Subject};
    /// assert_eq!(Subject::from_id("tool-io"), Ok(Subject::ToolIo));
    /// assert_eq!(Subject::from_id("response-v2"), Ok(Contract::ResponseV2.into()));
    /// assert!(Subject::from_id("response-v3").is_err());
    /// ```
    pub fn from_id(id: &str) -> Result<Subject, UnknownSubject> {
        let found = Subject::ALL.into_iter().find(|subject| subject.id() == id);
        found.ok_or_else(|| UnknownSubject(id.to_owned()))
    }

    const fn known(self) -> Known {
        match self {
            Subject::Envelope(contract) => {
                let Info { id, summary, schema, .. } = *contract.info();
                Known { id, summary, schema }
            }
            Subject::RequestEnvelope => Known {
                id: "request-envelope",
                summary: "a JSON-RPC 2.0 request in its strict profile: an `id` that is a string, \
                          and `params` that are an object",
                schema: include_str!("../schemas/request_envelope.json"),
            },
            // Q3: of one call, input and output may stand in one document: each rule speaks of
            // its own member, and none forbids the other, or further ones.
            Subject::ToolIo => Known {
                id: "tool-io",
                summary: "a tool's name with its `input`, its `output`, or both",
                schema: include_str!("../schemas/tool_io.json"),
            },
            Subject::ProvRecord => Known {
                id: "prov.record.v0.1",
                summary: "the provenance of one run: the tool, what it read and made, by which \
                          methods",
                schema: include_str!("../schemas/prov_record_v0_1.json"),
            },
            Subject::McpRequest => Known {
                id: "mcp.request.v0.1",
                summary: "a tool call with the artifacts that it works on",
                schema: include_str!("../schemas/mcp_request_v0_1.json"),
            },
        }
    }
}

impl From<Contract> for Subject {
    fn from(contract: Contract) -> Subject {
        Subject::Envelope(contract)
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

impl std::str::FromStr for Subject {
    type Err = UnknownSubject;

    fn from_str(id: &str) -> Result<Subject, UnknownSubject> {
        Subject::from_id(id)
    }
}

/// An id that neither a contract nor a document beside them has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no contract and no other document `{0}`")]
pub struct UnknownSubject(pub String);

#[cfg(test)]
mod tests;
