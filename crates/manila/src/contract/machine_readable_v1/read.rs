//! Reading `machine-readable-v1`. It has no mark, so the caller must name the contract.

use super::code::{self, row};
use super::streams::{Streams, split_streams};
use super::{NO_EXIT, TRUNCATED, stderr_message};
use crate::catalogue::Code;
use crate::contract::facts_read::{self, FactsRead};
use crate::contract::{code_from_spelling, code_from_type};
use crate::diagnostics;
use crate::outcome::{
    Category, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Receipt, Run, Truncation,
    exit_message,
};
use crate::raw_json::{JsonObject, Kind, RawJson, TopLevel};
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::report::take::as_number;

/// M1, M2: reads a success or a failure.
pub(super) fn read(envelope: TopLevel<'_>, findings: &mut Findings) -> Outcome {
    let success = envelope.get("success");
    let is_failure = success.is_some_and(|success| success.as_bytes() == b"false");
    let mut parts = Parts::default();
    let root = &Path::ROOT;
    let is_object = findings.document(envelope, "M1", |findings, name, value, at| match name {
        "success" => {
            parts.has_success = true;
            findings.bool(&value, at, "M1");
        }
        "exitCode" => {
            parts.has_exit = true;
            let clause = if is_failure { "M2" } else { "M1" };
            parts.exit = findings.integer(&value, at, clause, None);
            check_exit_code(&value, is_failure, at, findings);
        }
        "metadata" => parts.metadata = findings.pairs(&value, at, "M1").unwrap_or_default(),
        "command" if !is_failure => parts.command = findings.text(&value, at, "M1"),
        "output" if !is_failure => {
            parts.has_output = true;
            parts.output = findings.raw_text(value, at, "M1");
        }
        "errors" if is_failure => parts.errors = Some(errors(&value, at, findings)),
        _ => findings.reject_unknown(at, if is_failure { "M2" } else { "M1" }),
    });
    if is_object {
        findings.require(parts.has_success, root, "success", "M1");
        findings.require(parts.has_exit, root, "exitCode", if is_failure { "M2" } else { "M1" });
    }
    let receipt = take_receipt(&mut parts.metadata);
    let notes = Notes { metadata: std::mem::take(&mut parts.metadata), ..Notes::default() };
    let (ended, run) = if is_failure {
        findings.require(parts.errors.is_some() || !is_object, root, "errors", "M2");
        parts.into_failed(findings)
    } else {
        findings.require(parts.has_output || !is_object, root, "output", "M1");
        parts.into_success()
    };
    Outcome { run, notes, receipt, ..Outcome::new(ended) }
}

/// M1, M2: checks that the exit code is 0 for a success, and only then.
fn check_exit_code(value: &RawJson, is_failure: bool, at: &Path<'_>, findings: &mut Findings) {
    const LARGE: f64 = 9e18;
    let Some(exit) = as_number(value) else { return };
    match (is_failure, exit == 0.0) {
        (false, false) => findings.reject(at, "const", "M1", "must be 0 where success is true"),
        (true, true) => {
            findings.reject(at, "exit-code", "M2", "must not be 0 where success is false");
        }
        (false, true) | (true, false) => {}
    }
    findings.losses.add_if(exit.abs() > LARGE, "exitCode");
}

/// The members of both forms.
#[derive(Default)]
struct Parts {
    has_success: bool,
    has_exit: bool,
    has_output: bool,
    exit: Option<i64>,
    command: Option<String>,
    output: Option<RawJson>,
    errors: Option<Vec<Fault>>,
    metadata: Vec<(String, String)>,
}

impl Parts {
    fn into_success(self) -> (Ended, Option<Run>) {
        let output = self.output.filter(|output| output.as_bytes() != b"\"\"");
        let Some(command) = self.command else {
            let payload = output.map_or(Payload::Absent, Payload::Json);
            return (Ended::Done(payload), None);
        };
        let run = Run { command: Some(command), exit: Some(0), ..Run::default() };
        match output.as_ref().map(facts_read::plain) {
            None => (Ended::Done(Payload::Absent), Some(run)),
            Some(Some(stdout)) => (Ended::Done(Payload::Absent), Some(Run { stdout, ..run })),
            Some(None) => (Ended::Done(output.map_or(Payload::Absent, Payload::Json)), Some(run)),
        }
    }

    fn into_failed(self, findings: &mut Findings) -> (Ended, Option<Run>) {
        let errors = self.errors.unwrap_or_default();
        let exit_code = self.exit.unwrap_or(NO_EXIT);
        let (run, partial, streams) = match errors.first() {
            Some(first) => first.run(exit_code),
            None => (None, Payload::Absent, None),
        };
        let mut failures = Vec::new();
        let first = errors.first().map(|it| (it.command.clone(), it.stderr.clone()));
        for (n, fault) in errors.into_iter().enumerate() {
            let (command, stderr) = first.clone().unwrap_or_default();
            let is_other =
                |own: &Option<String>, first: &Option<String>| own.is_some() && own != first;
            findings.losses.add_if(is_other(&fault.command, &command), "command");
            findings.losses.add_if(is_other(&fault.stderr, &stderr), "stderr");
            let at = Path::ROOT.name("errors");
            let at = at.index(n);
            fault.check(exit_code, &at, findings);
            let streams = streams.as_ref().filter(|_| n == 0);
            failures.push(fault.into_failure(exit_code, n, run.as_ref(), streams, findings));
        }
        let none = || NonEmpty::one(Failure::new(Code::ToolFailed, ""));
        let failures = NonEmpty::from_vec(failures).unwrap_or_else(none);
        (Ended::Failed { failures, partial }, run)
    }
}

/// M2: one error, as written in the envelope.
#[derive(Default)]
pub(super) struct Fault {
    code: String,
    pub(super) message: String,
    category: String,
    hint: Option<String>,
    explanation: Option<String>,
    link: Option<String>,
    fixes: Vec<String>,
    alternatives: Vec<String>,
    pub(super) raw_output: String,
    number: Option<i64>,
    command: Option<String>,
    exit: Option<i64>,
    pub(super) stderr: Option<String>,
    facts: Option<JsonObject>,
    has_data: bool,
}

fn errors(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut is_empty = true;
    let is_list = findings.array(value, path, "M2", |findings, item, at| {
        is_empty = false;
        faults.extend(fault(&item, at, findings));
    });
    if is_list && is_empty {
        findings.reject(path, "minItems", "M2", "must have at least one error");
    }
    faults
}

fn fault(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Option<Fault> {
    let mut fault = Fault::default();
    let mut has = [false; 4];
    let is_object = findings.object(value, path, "M2", |findings, name, value, at| {
        let text = |findings: &mut Findings| findings.text(&value, at, "M2");
        match name {
            "code" => (has[0], fault.code) = (true, text(findings).unwrap_or_default()),
            "message" => (has[1], fault.message) = (true, text(findings).unwrap_or_default()),
            "category" => (has[2], fault.category) = (true, text(findings).unwrap_or_default()),
            "rawOutput" => (has[3], fault.raw_output) = (true, text(findings).unwrap_or_default()),
            "hint" => fault.hint = text(findings),
            "explanation" => fault.explanation = text(findings),
            "documentationUrl" => fault.link = text(findings),
            "suggestedFixes" => fault.fixes = findings.texts(&value, at, "M2").unwrap_or_default(),
            "alternatives" => {
                fault.alternatives = findings.texts(&value, at, "M9").unwrap_or_default();
            }
            "mcpErrorCode" => fault.number = findings.integer(&value, at, "M6", None),
            "data" => data(&value, at, &mut fault, findings),
            _ => findings.reject_unknown(at, "M2"),
        }
    });
    for (name, is_there) in ["code", "message", "category", "rawOutput"].into_iter().zip(has) {
        findings.require(is_there || !is_object, path, name, "M2");
    }
    if is_object && has[2] {
        findings.expect_one_of(&fault.category, &code::CATEGORIES, &path.name("category"), "M3");
    }
    is_object.then_some(fault)
}

fn data(value: &RawJson, path: &Path<'_>, fault: &mut Fault, findings: &mut Findings) {
    fault.has_data = true;
    findings.object(value, path, "M2", |findings, name, value, at| match name {
        "command" => fault.command = findings.text(&value, at, "M2"),
        "exitCode" => fault.exit = findings.integer(&value, at, "M2", None),
        "stderr" => fault.stderr = findings.text(&value, at, "M5"),
        "additionalData" => {
            findings.object(&value, at, "M2", |findings, _, value, at| {
                findings.expect_kind(&value, Kind::String, at, "M2");
            });
            fault.facts = JsonObject::new(value);
        }
        _ => findings.reject_unknown(at, "M2"),
    });
}

impl Fault {
    /// Checks that the code is consistent with the other members.
    fn check(&self, exit_code: i64, path: &Path<'_>, findings: &mut Findings) {
        let parsed = diagnostics::category(&self.code);
        let found = if self.category == "SDK" { "Runtime" } else { self.category.as_str() };
        let is_parsed = diagnostics::is_diagnostic(&self.code) && parsed != Category::Unknown;
        let expected = is_parsed.then(|| code::category_name(parsed));
        let expected = expected.or_else(|| code::named_category(&self.code));
        let is_known = code::CATEGORIES.contains(&found);
        if let Some(expected) = expected.filter(|expected| is_known && *expected != found) {
            let message = format!("must be {expected}, the category of this code");
            findings.reject(&path.name("category"), "code-category", "M3", message);
        }
        if !self.has_data && exit_code != NO_EXIT {
            let message = "should be present if a command failed";
            findings.advise(&path.name("data"), "recommended", "M5", message);
        }
        if !code::fits_exit_code(&self.code, exit_code) {
            let message = "must name the exit code of the envelope";
            findings.reject(&path.name("code"), "exit-code", "M4", message);
        }
        if self.exit.is_some_and(|exit| exit != exit_code) {
            let at = path.name("data");
            let message = "must be the exit code of the envelope";
            findings.reject(&at.name("exitCode"), "exit-code", "M2", message);
        }
        if self
            .stderr
            .as_ref()
            .is_some_and(|text| text.chars().nth(super::STDERR_CHARS_MAX).is_some())
        {
            let at = path.name("data");
            let message = "should have at most 1000 characters";
            findings.advise(&at.name("stderr"), "maxLength", "M5", message);
        }
    }

    fn code(&self) -> Code {
        let by_spelling = code_from_spelling(&self.code);
        let by_number = || (self.number == Some(code::NOT_FOUND)).then_some(Code::NotFound);
        let by_group = || code_from_type(&self.category).or_else(by_number);
        by_spelling.or_else(by_group).unwrap_or(Code::ToolFailed)
    }

    /// Returns whether the code is only a command's exit code.
    fn is_plain_exit(&self, exit_code: i64) -> bool {
        self.code == format!("EXIT_{exit_code}") && !self.has_misfit_code(exit_code)
    }

    /// Returns whether the tool's own code is among the facts.
    fn has_misfit_code(&self, exit_code: i64) -> bool {
        let last = self.facts.as_ref().and_then(|facts| facts.members().last());
        let last = last.filter(|it| it.is("origin_code"));
        last.is_some_and(|it| misfit_code(&it.value(), exit_code).is_some())
    }

    /// Returns whether the code was parsed from a line of output.
    fn is_diagnostic(&self) -> bool {
        self.code() == Code::CommandFailed && diagnostics::is_diagnostic(&self.code)
    }

    /// Returns the program that the first error describes, the partial result, and both streams if
    /// they can be separated.
    fn run(&self, exit_code: i64) -> (Option<Run>, Payload, Option<Streams>) {
        let is_plain_exit = self.is_plain_exit(exit_code);
        let exit = (exit_code != NO_EXIT || is_plain_exit).then_some(exit_code);
        let was_tried = self.number == Some(code::NOT_AVAILABLE);
        let has_run =
            exit.is_some() || self.command.is_some() || self.stderr.is_some() || was_tried;
        let stderr = self.stderr.clone().unwrap_or_default();
        let run = Run { command: self.command.clone(), exit, stderr, ..Run::default() };
        let is_empty = self.raw_output.is_empty();
        if self.is_diagnostic() && !is_empty {
            return (has_run.then_some(run), Payload::Absent, None);
        }
        if exit.is_some() {
            let partial = Payload::Text(self.raw_output.clone());
            return match split_streams(self, is_plain_exit) {
                Some(streams) => {
                    let Streams { stdout, stderr } = streams.clone();
                    (Some(Run { stdout, stderr, ..run }), Payload::Absent, Some(streams))
                }
                // -1 means that no program exited, unless both streams are present.
                None if exit_code == NO_EXIT => {
                    let has_run = self.command.is_some() || self.stderr.is_some();
                    let partial = if is_empty { Payload::Absent } else { partial };
                    (has_run.then_some(Run { exit: None, ..run }), partial, None)
                }
                None => (Some(run), partial, None),
            };
        }
        if let Some(stdout) = self.raw_output.strip_suffix(TRUNCATED) {
            let stdout = stdout.to_owned();
            return (
                Some(Run { stdout, truncation: Truncation::Truncated, ..run }),
                Payload::Absent,
                None,
            );
        }
        if has_run {
            return (Some(Run { stdout: self.raw_output.clone(), ..run }), Payload::Absent, None);
        }
        let text = if is_empty { Payload::Absent } else { Payload::Text(self.raw_output.clone()) };
        (None, text, None)
    }

    fn into_failure(
        mut self,
        exit_code: i64,
        n: usize,
        run: Option<&Run>,
        streams: Option<&Streams>,
        findings: &mut Findings,
    ) -> Failure {
        let code = self.code();
        let is_plain_exit = self.is_plain_exit(exit_code);
        let line = (self.is_diagnostic() || n > 0).then(|| self.raw_output.clone());
        let message = match streams {
            Some(streams) if is_plain_exit && self.message == stderr_message(&streams.stderr) => {
                exit_message(exit_code)
            }
            Some(_) | None => self.message.clone(),
        };
        findings.losses.add_absence(self.message.is_empty(), "message");
        findings.losses.add_absence(self.code.is_empty(), "code");
        findings.losses.add_absence(!self.has_data, "data");
        findings.losses.add_absence(self.has_data && self.exit.is_none(), "exitCode");
        if n == 0 && is_plain_exit && exit_code != NO_EXIT && streams.is_none() {
            findings.losses.add("rawOutput", "the two streams in it cannot be separated");
        }
        let mut failure = Failure::new(code, message);
        failure.line = line.filter(|line| !line.is_empty());
        let mut facts = FactsRead::of(self.facts.take(), findings);
        let misfit = facts.take("origin_code", |value| misfit_code(value, exit_code));
        let is_usual = self.code == row(code).word || is_plain_exit;
        let own = || Some(self.code.clone()).filter(|own| !is_usual && !own.is_empty());
        failure.origin_code = misfit.or_else(own);
        failure.category = self.category(code, findings);
        failure.explanation = self.explanation.map(Into::into);
        failure.link = self.link.map(Into::into);
        failure.fixes = self.fixes.into_iter().map(Into::into).collect();
        failure.alternatives = self.alternatives;
        failure.retry_after = facts.take("retry_after_seconds", |value| {
            facts_read::delay(&RawJson::parse(facts_read::plain(value)?).ok()?)
        });
        failure.details = code::restore_names(code, facts.into_details());
        failure.hint = match self.hint {
            Some(hint) if code::hint(&failure) == Some(hint.as_str()) => None,
            hint => Some(hint.unwrap_or_default().into()),
        };
        if self.number != code::mcp_error_code(&failure, run) {
            findings.losses.add("mcpErrorCode", "the catalogue determines the number");
            let message = "should be the number that the contract defines for this code";
            let at = Path::ROOT.name("errors");
            findings.advise(&at.index(n).name("mcpErrorCode"), "error-number", "M6", message);
        }
        failure
    }

    /// Returns the category, if it differs from that of the code or belongs to a diagnostic.
    fn category(&self, code: Code, findings: &mut Findings) -> Option<Category> {
        let category = match self.category.as_str() {
            "Compilation" => Some(Category::Compilation),
            "Build" => Some(Category::Build),
            "Package" => Some(Category::Package),
            "Runtime" | "SDK" => Some(Category::Runtime),
            "Unknown" => Some(Category::Unknown),
            _ => None,
        };
        let is_usual = row(code).category == self.category;
        if category.is_none() && !is_usual {
            findings.losses.add("category", "it does not match the code");
        }
        category.filter(|_| !is_usual || self.is_diagnostic())
    }
}

/// Returns the tool's own code, if it is inconsistent with the exit code.
fn misfit_code(value: &RawJson, exit_code: i64) -> Option<String> {
    facts_read::plain(value).filter(|own| !code::fits_exit_code(own, exit_code))
}

/// Removes the redaction receipt from the end of the metadata.
fn take_receipt(metadata: &mut Vec<(String, String)>) -> Receipt {
    let last = metadata.last().filter(|(name, _)| name == super::REDACTED);
    let receipt = last.and_then(|(_, rules)| facts_read::receipt_from_rules(rules));
    if receipt.is_some() {
        metadata.pop();
    }
    receipt.unwrap_or_default()
}
