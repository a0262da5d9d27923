//! The list of response contracts.

/// A response contract: a named format for envelopes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Contract {
    /// `envelope-v1`: nine fixed members, including the tool and the caller's tier.
    EnvelopeV1,
    /// `response-v2`: `success`, `data`, `error` and `meta`, for agents.
    #[default]
    ResponseV2,
    /// `machine-readable-v1`: the output of a command, or a list of its errors.
    MachineReadableV1,
    /// `mcp.envelope.v0.1`: the unchanged payload, for results that are audited or compared.
    McpEnvelopeV01,
}

/// The facts about a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContractInfo {
    /// The id on the command line, in the configuration and in requests.
    pub id: &'static str,
    /// The name where dots and dashes are not allowed: modules, files, folders.
    pub stem: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// Completes the sentence "Pick it when …".
    pub pick_when: &'static str,
    /// The JSON Schema, draft 2020-12.
    pub schema: &'static str,
    /// Whether the warning that `unsafeOutput` was ignored (M12) is written to `metadata`, because
    /// the contract has no list of warnings.
    pub warnings_in_metadata: bool,
    /// Whether a payload that does not match the tool's output schema is valid only with the
    /// warning `OUTPUT_SCHEMA_MISMATCH`. The other contracts have no place for such a warning.
    pub(crate) requires_mismatch_warning: bool,
}

impl Contract {
    /// Every contract, the default one first.
    pub const ALL: [Contract; 4] = [
        Contract::ResponseV2,
        Contract::EnvelopeV1,
        Contract::MachineReadableV1,
        Contract::McpEnvelopeV01,
    ];

    /// Returns the facts about this contract.
    #[must_use]
    pub const fn info(self) -> &'static ContractInfo {
        match self {
            Contract::EnvelopeV1 => &ContractInfo {
                id: "envelope-v1",
                stem: "envelope_v1",
                summary: "nine fixed members, including the tool, its version and the caller's \
                          tier (subscription plan); the payload is unchanged in `data`",
                pick_when: "you sell tools by tier, or route by tool and version",
                schema: include_str!("../../schemas/envelope_v1.json"),
                warnings_in_metadata: false,
                requires_mismatch_warning: false,
            },
            Contract::ResponseV2 => &ContractInfo {
                id: "response-v2",
                stem: "response_v2",
                summary: "`success`, `data`, `error`, `meta`; failures have a code, a type and a \
                          remedy; warnings, pagination and rate limits are in `meta`",
                pick_when: "an agent reads the result and decides what to do next",
                schema: include_str!("../../schemas/response_v2.json"),
                warnings_in_metadata: false,
                requires_mismatch_warning: true,
            },
            Contract::MachineReadableV1 => &ContractInfo {
                id: "machine-readable-v1",
                stem: "machine_readable_v1",
                summary: "the output and exit code of a command, or a list of its errors; .NET \
                          errors include explanations, links and fixes",
                pick_when: "the tool runs a compiler or another command, and you need each of its \
                            errors separately",
                schema: include_str!("../../schemas/machine_readable_v1.json"),
                warnings_in_metadata: true,
                requires_mismatch_warning: false,
            },
            Contract::McpEnvelopeV01 => &ContractInfo {
                id: "mcp.envelope.v0.1",
                stem: "mcp_envelope_v0_1",
                summary: "the payload as `result`, with structured errors and warnings and a \
                          place for provenance; deterministic",
                pick_when: "results are audited, hashed or compared, and must not change from run \
                            to run",
                schema: include_str!("../../schemas/mcp_envelope_v0_1.json"),
                warnings_in_metadata: false,
                requires_mismatch_warning: true,
            },
        }
    }

    /// Returns the id, e.g. `response-v2`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.info().id
    }

    /// Parses the id of a contract. There is no fallback.
    ///
    /// ```
    /// use manila::Contract;
    /// assert_eq!(Contract::from_id("response-v2"), Ok(Contract::ResponseV2));
    /// assert!(Contract::from_id("response-v3").is_err());
    /// ```
    pub fn from_id(id: &str) -> Result<Contract, UnknownContract> {
        let found = Contract::ALL.into_iter().find(|contract| contract.id() == id);
        found.ok_or_else(|| UnknownContract(id.to_owned()))
    }
}

impl std::fmt::Display for Contract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

impl std::str::FromStr for Contract {
    type Err = UnknownContract;

    fn from_str(id: &str) -> Result<Contract, UnknownContract> {
        Contract::from_id(id)
    }
}

/// An unknown contract id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no contract is named `{0}`")]
pub struct UnknownContract(pub String);
