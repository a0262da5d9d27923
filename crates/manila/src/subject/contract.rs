//! Which response contracts there are.

/// A response contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Contract {
    /// `envelope-v1`
    EnvelopeV1,
    /// `response-v2`
    #[default]
    ResponseV2,
    /// `machine-readable-v1`
    MachineReadableV1,
    /// `mcp.envelope.v0.1`
    McpEnvelopeV01,
}

/// What there is to know about a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Its id: on the command line, in configuration and in requests.
    pub id: &'static str,
    /// Its name where ids cannot have dots and dashes: modules, files, folders.
    pub stem: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// When to pick it.
    pub pick_when: &'static str,
    /// Its JSON Schema, draft 2020-12.
    pub schema: &'static str,
    /// Whether a warning stands in its `metadata`, because it has no list of warnings.
    pub warns_in_metadata: bool,
    /// Whether its schema around a tool's own requires that a payload fits it, unless a warning
    /// stands beside it. The other contracts have no place for such a warning.
    pub(crate) binds_payload: bool,
}

impl Contract {
    /// Every contract; the default one first.
    pub const ALL: [Contract; 4] = [
        Contract::ResponseV2,
        Contract::EnvelopeV1,
        Contract::MachineReadableV1,
        Contract::McpEnvelopeV01,
    ];

    /// What there is to know about this contract.
    #[must_use]
    pub const fn info(self) -> &'static Info {
        match self {
            Contract::EnvelopeV1 => &Info {
                id: "envelope-v1",
                stem: "envelope_v1",
                summary: "nine fixed members: who answered, for which tier (the caller's plan), \
                          how long it took; the tool's own payload untouched in `data`",
                pick_when: "you sell tools by tier, or route by tool and version, and want every \
                            answer to have the same nine keys",
                schema: include_str!("../../schemas/envelope_v1.json"),
                warns_in_metadata: false,
                binds_payload: false,
            },
            Contract::ResponseV2 => &Info {
                id: "response-v2",
                stem: "response_v2",
                summary: "`success`, `data`, `error`, `meta`: failures with a code, a type and a \
                          remedy; warnings, pages and limits in `meta`",
                pick_when: "an agent reads the answer and should know what to do next; this is \
                            the default",
                schema: include_str!("../../schemas/response_v2.json"),
                warns_in_metadata: false,
                binds_payload: true,
            },
            Contract::MachineReadableV1 => &Info {
                id: "machine-readable-v1",
                stem: "machine_readable_v1",
                summary: "a command line's result: output and exit code, or a list of errors; \
                          those of .NET come with explanations, links and fixes",
                pick_when: "the tool is a program, and its errors matter one by one",
                schema: include_str!("../../schemas/machine_readable_v1.json"),
                warns_in_metadata: true,
                binds_payload: false,
            },
            Contract::McpEnvelopeV01 => &Info {
                id: "mcp.envelope.v0.1",
                stem: "mcp_envelope_v0_1",
                summary: "the payload as `result` beside structured errors and warnings, with a \
                          place for provenance; deterministic",
                pick_when: "answers are audited, hashed or compared, and must not change from \
                            run to run",
                schema: include_str!("../../schemas/mcp_envelope_v0_1.json"),
                warns_in_metadata: false,
                binds_payload: true,
            },
        }
    }

    /// Its id, e.g. `response-v2`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.info().id
    }

    /// The contract of this id. There is no fallback.
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

/// An id that no contract has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no contract `{0}`")]
pub struct UnknownContract(pub String);
