//! The referee: does a document keep its contract, and if not, which rule does it break?
//!
//! Every rule that a JSON Schema can say is checked here too, on the document as it was written:
//! no tree is made. What breaks a rule is told by its place, its rule and its clause, never by
//! its value, which may be a secret.

use bytes::Bytes;

use crate::contract::{self, Contract};
use crate::raw_json::{
    Doubt, DoubtKind, Emit, ObjectWriter, Opened, Position, RawJson, ReadError, offsets,
    pointers_at, position,
};
use crate::request_envelope::Profile;
use crate::subject::Subject;
use crate::violation::without_secrets;

pub(crate) mod look;
mod mcp_request;
pub(crate) mod path;
pub(crate) mod provenance;
mod request;
mod rules;
#[cfg(test)]
mod table;
pub(crate) mod take;
#[cfg(feature = "validate")]
mod tool_io;

use look::{Fault, Look};
use path::Path;
pub use rules::{RULES, Rule};
#[cfg(feature = "validate")]
pub use tool_io::UnusableTool;

/// Whether a rule is broken, or something should be better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The contract is not kept.
    Violation,
    /// The contract is kept; it recommends something that is missing.
    Advice,
}

impl Grade {
    /// The name, lower-case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Grade::Violation => "violation",
            Grade::Advice => "advice",
        }
    }
}

/// One thing that was found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub grade: Grade,
    /// RFC 6901 pointer to the value; empty for the document itself.
    pub pointer: String,
    /// Line in the document, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The rule, e.g. `required` or `double-wrapped`.
    pub rule: &'static str,
    /// The clause of the contract, e.g. `R3`; none where the rule is JSON's.
    pub clause: Option<&'static str>,
    /// What the rule asks for, in words.
    pub message: String,
    /// Line and column of where the same name stood before, if it is given twice.
    pub first: Option<(usize, usize)>,
}

impl Emit for Finding {
    fn emit(&self, out: &mut Vec<u8>) {
        let Finding { grade, pointer, line, column, rule, clause, message, first } = self;
        let mut object = ObjectWriter::begin(out);
        object.member("grade", grade.name());
        object.member("pointer", pointer);
        object.member("line", &(*line as u64));
        object.member("column", &(*column as u64));
        object.member("rule", *rule);
        object.member("clause", clause);
        object.member("message", message);
        if let Some((line, column)) = first {
            object.member("first_line", &(*line as u64));
            object.member("first_column", &(*column as u64));
        }
        object.end();
    }
}

/// The clause, the place and the rule's words, for people.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(clause) = self.clause {
            write!(f, "{clause} ")?;
        }
        if !self.pointer.is_empty() {
            write!(f, "{} ", crate::raw_json::shown(&self.pointer))?;
        }
        write!(f, "{} ({})", self.message, self.rule)
    }
}

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
/// let verdict = Checker::auto().check(
///     &br#"{"success": true, "data": {}, "error": "", "meta": {"version": "response-v2"}}"#[..].into(),
/// );
/// let finding = &verdict.findings[0];
/// assert_eq!((finding.pointer.as_str(), finding.clause), ("/error", Some("R3")));
/// ```
#[derive(Debug, Default)]
pub struct Checker {
    subject: Option<Subject>,
    profile: Profile,
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
            Subject::ProvRecord => provenance::record(value, &Path::ROOT, look),
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

fn not_json(error: &ReadError) -> Finding {
    Finding {
        grade: Grade::Violation,
        pointer: without_secrets(error.pointer.clone()),
        line: error.line,
        column: error.column,
        rule: "json",
        clause: None,
        message: error.reason(),
        first: None,
    }
}

/// Faults with their lines, in the order of the document.
fn findings(
    document: &Bytes,
    value: &RawJson,
    doubts: &[Doubt],
    faults: Vec<Fault>,
) -> Vec<Finding> {
    let start = (value.as_bytes().as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    let has_twice = doubts.iter().any(|doubt| matches!(doubt.kind, DoubtKind::Twice { .. }));
    let finding = |grade, pointer, rule, clause, message| {
        // Where it stands is known when all of them are in order.
        let pointer = without_secrets(pointer);
        Finding { grade, pointer, line: 1, column: 1, rule, clause, message, first: None }
    };
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let at: Vec<usize> = doubts.iter().map(|doubt| doubt.offset).collect();
    for (doubt, pointer) in doubts.iter().zip(pointers_at(value, &at)) {
        let (rule, message) = match doubt.kind {
            DoubtKind::Twice { .. } => ("unique", "is given twice".to_owned()),
            DoubtKind::LoneSurrogate => {
                ("surrogate", "has half of a surrogate pair, which is no character".to_owned())
            }
            DoubtKind::Huge => ("number", "is a number too large for a double".to_owned()),
        };
        let mut finding = finding(Grade::Violation, pointer, rule, None, message);
        if let DoubtKind::Twice { first } = doubt.kind {
            finding.first = Some(position(document, start + first));
        }
        found.push((doubt.offset, finding));
    }
    let is_told = |fault: &Fault| fault.rule == "unique" && has_twice;
    let faults: Vec<Fault> = faults.into_iter().filter(|fault| !is_told(fault)).collect();
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for (offset, fault) in offsets(value, &pointers).into_iter().zip(faults) {
        let Fault { grade, pointer, rule, clause, message } = fault;
        found.push((offset, finding(grade, pointer, rule, clause, message)));
    }
    found.sort_by_key(|(offset, _)| *offset);
    let mut place = Position::start(document);
    for (offset, finding) in &mut found {
        place.advance(start + *offset);
        (finding.line, finding.column) = (place.line, place.column);
    }
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// The findings about an envelope that must be read as this contract.
pub(crate) fn findings_of(document: &Bytes, envelope: &RawJson, look: Look) -> Vec<Finding> {
    let mut faults = look.into_faults();
    faults.retain(|fault| fault.grade == Grade::Violation);
    findings(document, envelope, &[], faults)
}

/// The contracts that an envelope's payload must not be: the same one again, or another.
pub(crate) fn double_wrapped(
    payload: &RawJson,
    own: Contract,
    path: &Path<'_>,
    clause: look::Clause,
    look: &mut Look,
) {
    match contract::recognise(payload) {
        Some(inner) if inner == own => {
            let message = "is itself an envelope of this contract; keep one of the two";
            look.refuse(path, "double-wrapped", clause, message);
        }
        Some(inner) => {
            let message = format!("is itself an envelope, of {inner}; convert it instead");
            look.advise(path, "double-wrapped", clause, message);
        }
        None => {}
    }
}

#[cfg(test)]
mod tests;
