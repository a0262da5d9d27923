//! Checking: does a document conform to its contract, and if not, which rules does it break?
//!
//! This includes every rule that a JSON Schema can express. Rules are checked on the original text,
//! without building a tree. A finding has a place, a rule and a clause, but never the value, which
//! may be a secret.

use bytes::Bytes;

use crate::contract;
use crate::document_kind::DocumentKind;
use crate::prov;
use crate::raw_json::{RawJson, TopLevel};
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::report::signature::SignatureCheck;
use crate::report::{self, not_json};
use crate::request_envelope::Profile;

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

/// The result of checking a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The kind of document that it was checked as; `None` if it was not recognised.
    pub kind: Option<DocumentKind>,
    /// The findings, in the order of the document.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Returns whether the document conforms to its contract. Advice does not affect this.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.findings.iter().all(|finding| finding.grade == Grade::Advice)
    }
}

/// Checks documents against one contract, or against the one whose mark each of them has.
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
    kind: Option<DocumentKind>,
    profile: Profile,
    signatures: Option<SignatureCheck>,
    #[cfg(feature = "validate")]
    tool: Option<tool_io::Tool>,
}

impl Checker {
    /// Creates a checker that recognises each document by its mark.
    #[must_use]
    pub fn auto() -> Checker {
        Checker::default()
    }

    /// Creates a checker that treats every document as this kind.
    #[must_use]
    pub fn new(kind: DocumentKind) -> Checker {
        Checker { kind: Some(kind), ..Checker::default() }
    }

    /// Sets the profile for requests (Q2).
    #[must_use]
    pub fn profile(self, profile: Profile) -> Checker {
        Checker { profile, ..self }
    }

    /// Sets the function that verifies signatures of records (P8). Without it, only their form is
    /// checked.
    ///
    /// An invalid signature breaks the rule `signature`. For one with an unknown key or algorithm,
    /// the verdict has the advice `not-verified`.
    #[must_use]
    pub fn signatures(
        self,
        verify: impl Fn(&Signed<'_>) -> Verification + Send + Sync + 'static,
    ) -> Checker {
        Checker { signatures: Some(SignatureCheck::new(verify)), ..self }
    }

    /// Sets the tool for tool I/O (Q3), as listed by `tools/list`: `name`, `inputSchema`,
    /// `outputSchema`.
    #[cfg(feature = "validate")]
    pub fn tool(self, tool: &RawJson) -> Result<Checker, UnusableTool> {
        Ok(Checker { tool: Some(tool_io::Tool::read(tool)?), ..self })
    }

    /// Checks one document.
    #[must_use]
    pub fn check(&self, document: &Bytes) -> Verdict {
        let (top_level, issues) = match TopLevel::read_with_issues(document) {
            Ok(read) => read,
            Err(error) => {
                return Verdict { kind: self.kind, findings: vec![not_json(&error)] };
            }
        };
        let kind = self.kind.or_else(|| recognise_top_level(&top_level));
        let mut findings = Findings::for_document(&top_level, issues.is_empty());
        findings.signatures.clone_from(&self.signatures);
        let value = top_level.value.clone();
        match kind {
            None => {
                findings.reject_json("unrecognised", near_miss(&top_level).unwrap_or(UNMARKED));
            }
            Some(kind) => self.check_kind(kind, top_level, &mut findings),
        }
        let faults = findings.into_faults();
        if issues.is_empty() && faults.is_empty() {
            return Verdict { kind, findings: Vec::new() };
        }
        Verdict { kind, findings: report::findings(document, &value, &issues, faults) }
    }

    fn check_kind(&self, kind: DocumentKind, document: TopLevel<'_>, findings: &mut Findings) {
        let value = &document.value;
        match kind {
            DocumentKind::Envelope(contract) => {
                drop(contract::read_with_findings(contract, document, findings));
            }
            DocumentKind::RequestEnvelope => request::check(value, self.profile, findings),
            #[cfg(feature = "validate")]
            DocumentKind::ToolIo => tool_io::check(value, self.tool.as_ref(), findings),
            #[cfg(not(feature = "validate"))]
            DocumentKind::ToolIo => {
                let message = "cannot be checked without the feature `validate`";
                findings.reject(&Path::ROOT, "unsupported", "Q3", message);
            }
            DocumentKind::ProvRecord => prov::check_record(value, &Path::ROOT, findings),
            DocumentKind::McpRequest => mcp_request::check(value, findings),
        }
    }
}

const UNMARKED: &str = "is not recognised; name its contract with --contract \
                        (always needed for machine-readable-v1 and tool-io)";

/// Returns why a document that resembles a known one is not recognised.
fn near_miss(document: &TopLevel<'_>) -> Option<&'static str> {
    let has = |name: &str| document.get(name).is_some();
    let meta = document.get("meta");
    Some(if has("schema_version") {
        "has a schema_version that names no contract"
    } else if meta.is_some_and(|meta| meta.get("version").is_some()) {
        "has a meta.version that names no contract"
    } else if ["tier", "tool_id", "capabilities"].into_iter().all(has) {
        "does not have exactly the nine members of envelope-v1; name the contract for details"
    } else if ["success", "data", "error"].into_iter().all(has) {
        "has no meta.version, the mark of response-v2; name the contract to see what else is wrong"
    } else {
        return None;
    })
}

/// Returns why a document is not recognised as an envelope.
pub(crate) fn explain_unrecognised(document: &TopLevel<'_>) -> String {
    match recognise_top_level(document) {
        Some(kind) => format!("is a `{kind}` document, not an envelope"),
        None => near_miss(document).unwrap_or("is not recognised as an envelope").to_owned(),
    }
}

/// Recognises a document, only by its mark. `machine-readable-v1` and tool I/O have none.
fn recognise_top_level(document: &TopLevel<'_>) -> Option<DocumentKind> {
    if let Some(contract) = contract::recognise_top_level(document) {
        return Some(DocumentKind::Envelope(contract));
    }
    let version = document.get("schema_version");
    match version.and_then(RawJson::as_text).as_deref() {
        Some("prov.record.v0.1") => return Some(DocumentKind::ProvRecord),
        Some("mcp.request.v0.1") => return Some(DocumentKind::McpRequest),
        Some(_) | None => {}
    }
    let is_request = document.get("jsonrpc").is_some() && document.get("method").is_some();
    is_request.then_some(DocumentKind::RequestEnvelope)
}

#[cfg(test)]
mod tests;
