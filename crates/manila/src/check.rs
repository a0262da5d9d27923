//! The referee: does a document keep its contract, and if not, which rule does it break?
//!
//! Every rule that a JSON Schema can say is checked here too, on the document as it was written:
//! no tree is made. What breaks a rule is told by its place, its rule and its clause, never by
//! its value, which may be a secret.

use bytes::Bytes;

use crate::contract;
use crate::prov;
use crate::raw_json::{Opened, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;
use crate::report::signature::SignatureCheck;
use crate::report::{findings, not_json};
use crate::request_envelope::Profile;
use crate::subject::Subject;

mod mcp_request;
mod request;
#[cfg(test)]
pub(crate) mod table;
#[cfg(feature = "validate")]
mod tool_io;

pub use crate::report::signature::{Signed, Verification};
pub use crate::report::{Finding, Grade, RULES, Rule};
#[cfg(feature = "validate")]
pub use tool_io::UnusableTool;

/// What there is to say about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// What it was checked as; `None` where it had to be recognised and was not.
    pub subject: Option<Subject>,
    /// What was found, in the order of the document.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Whether the contract is kept; advice does not break it.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.findings.iter().all(|finding| finding.grade == Grade::Advice)
    }
}

/// Checks documents against one contract, or against the one that each of them shows.
///
/// ```
/// use manila::check::Checker;
///
/// let document =
///     r#"{"success": true, "data": {}, "error": "", "meta": {"version": "response-v2"}}"#;
/// let verdict = Checker::auto().check(&document.into());
/// let finding = &verdict.findings[0];
/// assert_eq!((finding.pointer.as_str(), finding.clause), ("/error", Some("R3")));
/// ```
#[derive(Debug, Default)]
pub struct Checker {
    subject: Option<Subject>,
    profile: Profile,
    signatures: Option<SignatureCheck>,
    #[cfg(feature = "validate")]
    tool: Option<tool_io::Tool>,
}

impl Checker {
    /// Recognises each document by its marks.
    #[must_use]
    pub fn auto() -> Checker {
        Checker::default()
    }

    /// Takes every document for this.
    #[must_use]
    pub fn new(subject: Subject) -> Checker {
        Checker { subject: Some(subject), ..Checker::default() }
    }

    /// How strict a request must be (Q2).
    #[must_use]
    pub fn profile(self, profile: Profile) -> Checker {
        Checker { profile, ..self }
    }

    /// How signatures of records are verified (P8). Without this, only their form is checked.
    ///
    /// A signature that is not true breaks the rule `signature`; one whose key or algorithm is
    /// not known is told by the advice `not-verified`.
    #[must_use]
    pub fn signatures(
        self,
        verify: impl Fn(&Signed<'_>) -> Verification + Send + Sync + 'static,
    ) -> Checker {
        Checker { signatures: Some(SignatureCheck::new(verify)), ..self }
    }

    /// The tool of tool I/O (Q3), as `tools/list` tells it: `name`, `inputSchema`,
    /// `outputSchema`.
    #[cfg(feature = "validate")]
    pub fn tool(self, tool: &RawJson) -> Result<Checker, UnusableTool> {
        Ok(Checker { tool: Some(tool_io::Tool::read(tool)?), ..self })
    }

    /// What there is to say about one document.
    #[must_use]
    pub fn check(&self, document: &Bytes) -> Verdict {
        let (opened, doubts) = match Opened::doubted(document) {
            Ok(read) => read,
            Err(error) => {
                return Verdict { subject: self.subject, findings: vec![not_json(&error)] };
            }
        };
        let subject = self.subject.or_else(|| recognise_opened(&opened));
        let mut look = Look::at(&opened, doubts.is_empty());
        look.signatures.clone_from(&self.signatures);
        let value = opened.value.clone();
        match subject {
            None => look.refuse_json("unrecognised", near_miss(&opened).unwrap_or(UNMARKED)),
            Some(subject) => self.look(subject, opened, &mut look),
        }
        let faults = look.into_faults();
        if doubts.is_empty() && faults.is_empty() {
            return Verdict { subject, findings: Vec::new() };
        }
        Verdict { subject, findings: findings(document, &value, &doubts, faults) }
    }

    fn look(&self, subject: Subject, document: Opened<'_>, look: &mut Look) {
        let value = &document.value;
        match subject {
            Subject::Envelope(contract) => drop(contract::look_at(contract, document, look)),
            Subject::RequestEnvelope => request::look(value, self.profile, look),
            #[cfg(feature = "validate")]
            Subject::ToolIo => tool_io::look(value, self.tool.as_ref(), look),
            #[cfg(not(feature = "validate"))]
            Subject::ToolIo => {
                let message = "cannot be checked without the feature `validate`";
                look.refuse(&Path::ROOT, "unsupported", "Q3", message);
            }
            Subject::ProvRecord => prov::record(value, &Path::ROOT, look),
            Subject::McpRequest => mcp_request::look(value, look),
        }
    }
}

const UNMARKED: &str =
    "has the mark of no contract; machine-readable-v1 and tool-io have none, so name them";

/// Why a document is not recognised that looks as if it could be.
fn near_miss(document: &Opened<'_>) -> Option<&'static str> {
    let has = |name: &str| document.get(name).is_some();
    let meta = document.get("meta");
    Some(if has("schema_version") {
        "has a schema_version that names no contract"
    } else if meta.is_some_and(|meta| meta.get("version").is_some()) {
        "has a meta.version that names no contract"
    } else if ["tier", "tool_id", "capabilities"].into_iter().all(has) {
        "does not have the nine members of envelope-v1, or has more; name the contract to see which"
    } else if ["success", "data", "error"].into_iter().all(has) {
        "has no meta.version, the mark of response-v2; name the contract to see what else is wrong"
    } else {
        return None;
    })
}

/// Why a document is not recognised as an envelope.
pub(crate) fn unrecognised(document: &Opened<'_>) -> String {
    match recognise_opened(document) {
        Some(subject) => format!("is `{subject}`, which is no envelope of a tool's answer"),
        None => near_miss(document).unwrap_or("has the mark of no contract").to_owned(),
    }
}

/// What a document shows itself to be. Marks decide, and nothing else: `machine-readable-v1` and
/// tool I/O have none.
fn recognise_opened(document: &Opened<'_>) -> Option<Subject> {
    if let Some(contract) = contract::recognise_opened(document) {
        return Some(Subject::Envelope(contract));
    }
    let version = document.get("schema_version");
    match version.and_then(RawJson::as_text).as_deref() {
        Some("prov.record.v0.1") => return Some(Subject::ProvRecord),
        Some("mcp.request.v0.1") => return Some(Subject::McpRequest),
        Some(_) | None => {}
    }
    let is_request = document.get("jsonrpc").is_some() && document.get("method").is_some();
    is_request.then_some(Subject::RequestEnvelope)
}

#[cfg(test)]
mod tests;
