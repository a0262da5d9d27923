//! Reading `machine-readable-v1`. It has no mark, so somebody must say that it is one.

use super::code::{self, row};
use super::streams::{Streams, split_streams};
use super::{NO_EXIT, TRUNCATED, said_on_stderr};
use crate::catalogue::Code;
use crate::contract::told::{self, Told};
use crate::contract::{code_from_spelling, code_from_type};
use crate::diagnostics;
use crate::outcome::{
    Category, Cut, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Receipt, Run, exit_message,
};
use crate::raw_json::{JsonObject, Kind, Opened, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;
use crate::report::take::as_number;

/// M1, M2: one of two forms.
pub(super) fn read(envelope: Opened<'_>, look: &mut Look) -> Outcome {
    let success = envelope.get("success");
    let is_failure = success.is_some_and(|success| success.as_bytes() == b"false");
    let mut parts = Parts::default();
    let root = &Path::ROOT;
    let is_object = look.document(envelope, "M1", |look, name, value, at| match name {
        "success" => {
            parts.has_success = true;
            look.bool(&value, at, "M1");
        }
        "exitCode" => {
            parts.has_exit = true;
            let clause = if is_failure { "M2" } else { "M1" };
            parts.exit = look.integer(&value, at, clause, None);
            judge_exit(&value, is_failure, at, look);
        }
        "metadata" => parts.metadata = look.pairs(&value, at, "M1").unwrap_or_default(),
        "command" if !is_failure => parts.command = look.text(&value, at, "M1"),
        "output" if !is_failure => {
            parts.has_output = true;
            parts.output = look.raw_text(value, at, "M1");
        }
        "errors" if is_failure => parts.errors = Some(errors(&value, at, look)),
        _ => look.unknown(at, if is_failure { "M2" } else { "M1" }),
    });
    if is_object {
        look.need(parts.has_success, root, "success", "M1");
        look.need(parts.has_exit, root, "exitCode", if is_failure { "M2" } else { "M1" });
    }
    let receipt = take_receipt(&mut parts.metadata);
    let notes = Notes { metadata: std::mem::take(&mut parts.metadata), ..Notes::default() };
    let (ended, run) = if is_failure {
        look.need(parts.errors.is_some() || !is_object, root, "errors", "M2");
        parts.failed(look)
    } else {
        look.need(parts.has_output || !is_object, root, "output", "M1");
        parts.done()
    };
    Outcome { run, notes, receipt, ..Outcome::new(ended) }
}

/// M1, M2: 0 where it worked, and only there.
fn judge_exit(value: &RawJson, is_failure: bool, at: &Path<'_>, look: &mut Look) {
    const LARGE: f64 = 9e18;
    let Some(exit) = as_number(value) else { return };
    match (is_failure, exit == 0.0) {
        (false, false) => look.refuse(at, "const", "M1", "must be 0 where success is true"),
        (true, true) => look.refuse(at, "exit-code", "M2", "must not be 0 where success is false"),
        (false, true) | (true, false) => {}
    }
    look.losses.add_if(exit.abs() > LARGE, "exitCode");
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
    fn done(self) -> (Ended, Option<Run>) {
        let output = self.output.filter(|output| output.as_bytes() != b"\"\"");
        let Some(command) = self.command else {
            let payload = output.map_or(Payload::Absent, Payload::Json);
            return (Ended::Done(payload), None);
        };
        let run = Run { command: Some(command), exit: Some(0), ..Run::default() };
        match output.as_ref().map(told::plain) {
            None => (Ended::Done(Payload::Absent), Some(run)),
            Some(Some(stdout)) => (Ended::Done(Payload::Absent), Some(Run { stdout, ..run })),
            Some(None) => (Ended::Done(output.map_or(Payload::Absent, Payload::Json)), Some(run)),
        }
    }

    fn failed(self, look: &mut Look) -> (Ended, Option<Run>) {
        let errors = self.errors.unwrap_or_default();
        let exit_code = self.exit.unwrap_or(NO_EXIT);
        let (run, left, streams) = match errors.first() {
            Some(first) => first.run(exit_code),
            None => (None, Payload::Absent, None),
        };
        let mut failures = Vec::new();
        let told = errors.first().map(|it| (it.command.clone(), it.stderr.clone()));
        for (n, fault) in errors.into_iter().enumerate() {
            let (command, stderr) = told.clone().unwrap_or_default();
            let is_other =
                |own: &Option<String>, told: &Option<String>| own.is_some() && own != told;
            look.losses.add_if(is_other(&fault.command, &command), "command");
            look.losses.add_if(is_other(&fault.stderr, &stderr), "stderr");
            let at = Path::ROOT.name("errors");
            let at = at.index(n);
            fault.judge(exit_code, &at, look);
            let streams = streams.as_ref().filter(|_| n == 0);
            failures.push(fault.into_failure(exit_code, n, run.as_ref(), streams, look));
        }
        let none = || NonEmpty::one(Failure::new(Code::ToolFailed, ""));
        let failures = NonEmpty::from_vec(failures).unwrap_or_else(none);
        (Ended::Failed { failures, partial: left }, run)
    }
}

/// M2: one error as it was written.
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

fn errors(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut is_empty = true;
    let is_list = look.array(value, path, "M2", |look, item, at| {
        is_empty = false;
        faults.extend(fault(&item, at, look));
    });
    if is_list && is_empty {
        look.refuse(path, "minItems", "M2", "must have at least one error");
    }
    faults
}

fn fault(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Option<Fault> {
    let mut fault = Fault::default();
    let mut has = [false; 4];
    let is_object = look.object(value, path, "M2", |look, name, value, at| {
        let text = |look: &mut Look| look.text(&value, at, "M2");
        match name {
            "code" => (has[0], fault.code) = (true, text(look).unwrap_or_default()),
            "message" => (has[1], fault.message) = (true, text(look).unwrap_or_default()),
            "category" => (has[2], fault.category) = (true, text(look).unwrap_or_default()),
            "rawOutput" => (has[3], fault.raw_output) = (true, text(look).unwrap_or_default()),
            "hint" => fault.hint = text(look),
            "explanation" => fault.explanation = text(look),
            "documentationUrl" => fault.link = text(look),
            "suggestedFixes" => fault.fixes = look.texts(&value, at, "M2").unwrap_or_default(),
            "alternatives" => {
                fault.alternatives = look.texts(&value, at, "M9").unwrap_or_default();
            }
            "mcpErrorCode" => fault.number = look.integer(&value, at, "M6", None),
            "data" => data(&value, at, &mut fault, look),
            _ => look.unknown(at, "M2"),
        }
    });
    for (name, is_there) in ["code", "message", "category", "rawOutput"].into_iter().zip(has) {
        look.need(is_there || !is_object, path, name, "M2");
    }
    if is_object && has[2] {
        look.one_of(&fault.category, &code::CATEGORIES, &path.name("category"), "M3");
    }
    is_object.then_some(fault)
}

fn data(value: &RawJson, path: &Path<'_>, fault: &mut Fault, look: &mut Look) {
    fault.has_data = true;
    look.object(value, path, "M2", |look, name, value, at| match name {
        "command" => fault.command = look.text(&value, at, "M2"),
        "exitCode" => fault.exit = look.integer(&value, at, "M2", None),
        "stderr" => fault.stderr = look.text(&value, at, "M5"),
        "additionalData" => {
            look.object(&value, at, "M2", |look, _, value, at| {
                look.is(&value, Kind::String, at, "M2");
            });
            fault.facts = JsonObject::new(value);
        }
        _ => look.unknown(at, "M2"),
    });
}

impl Fault {
    /// What a code says must agree with what stands beside it.
    fn judge(&self, exit_code: i64, path: &Path<'_>, look: &mut Look) {
        let parsed = diagnostics::category(&self.code);
        let found = if self.category == "SDK" { "Runtime" } else { self.category.as_str() };
        let is_parsed = diagnostics::is_diagnostic(&self.code) && parsed != Category::Unknown;
        let expected = is_parsed.then(|| code::category_name(parsed));
        let expected = expected.or_else(|| code::named_category(&self.code));
        let is_known = code::CATEGORIES.contains(&found);
        if let Some(expected) = expected.filter(|expected| is_known && *expected != found) {
            let message = format!("must be {expected}, the category of this code");
            look.refuse(&path.name("category"), "code-category", "M3", message);
        }
        if !self.has_data && exit_code != NO_EXIT {
            let message = "should be there where a command failed";
            look.advise(&path.name("data"), "recommended", "M5", message);
        }
        if !code::may_stand_beside(&self.code, exit_code) {
            let message = "must name the exit code of the envelope";
            look.refuse(&path.name("code"), "exit-code", "M4", message);
        }
        if self.exit.is_some_and(|exit| exit != exit_code) {
            let at = path.name("data");
            let message = "must be the exit code of the envelope";
            look.refuse(&at.name("exitCode"), "exit-code", "M2", message);
        }
        if self
            .stderr
            .as_ref()
            .is_some_and(|text| text.chars().nth(super::STDERR_CHARS_MAX).is_some())
        {
            let at = path.name("data");
            let message = "should have at most 1000 characters";
            look.advise(&at.name("stderr"), "maxLength", "M5", message);
        }
    }

    fn code(&self) -> Code {
        let by_word = code_from_spelling(&self.code);
        let by_number = || (self.number == Some(code::NOT_FOUND)).then_some(Code::NotFound);
        let by_group = || code_from_type(&self.category).or_else(by_number);
        by_word.or_else(by_group).unwrap_or(Code::ToolFailed)
    }

    /// Whether it is a command's exit code and nothing more.
    fn is_plain_exit(&self, exit_code: i64) -> bool {
        self.code == format!("EXIT_{exit_code}") && !self.has_misfit(exit_code)
    }

    /// Whether the tool's own code stands among the facts.
    fn has_misfit(&self, exit_code: i64) -> bool {
        let last = self.facts.as_ref().and_then(|facts| facts.members().last());
        let last = last.filter(|it| it.is("origin_code"));
        last.is_some_and(|it| as_misfit(&it.value(), exit_code).is_some())
    }

    /// A code that was read from a line of output.
    fn is_diagnostic(&self) -> bool {
        self.code() == Code::CommandFailed && diagnostics::is_diagnostic(&self.code)
    }

    /// The program that the first error tells of, what the call left, and both streams where
    /// they can be told apart.
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
            let left = Payload::Text(self.raw_output.clone());
            return match split_streams(self, is_plain_exit) {
                Some(streams) => {
                    let Streams { stdout, stderr } = streams.clone();
                    (Some(Run { stdout, stderr, ..run }), Payload::Absent, Some(streams))
                }
                // -1 says that nothing exited, unless both streams are there.
                None if exit_code == NO_EXIT => {
                    let has_run = self.command.is_some() || self.stderr.is_some();
                    let left = if is_empty { Payload::Absent } else { left };
                    (has_run.then_some(Run { exit: None, ..run }), left, None)
                }
                None => (Some(run), left, None),
            };
        }
        if let Some(stdout) = self.raw_output.strip_suffix(TRUNCATED) {
            let stdout = stdout.to_owned();
            return (Some(Run { stdout, cut: Cut::Truncated, ..run }), Payload::Absent, None);
        }
        if has_run {
            return (Some(Run { stdout: self.raw_output.clone(), ..run }), Payload::Absent, None);
        }
        let left = if is_empty { Payload::Absent } else { Payload::Text(self.raw_output.clone()) };
        (None, left, None)
    }

    fn into_failure(
        mut self,
        exit_code: i64,
        n: usize,
        run: Option<&Run>,
        streams: Option<&Streams>,
        look: &mut Look,
    ) -> Failure {
        let code = self.code();
        let is_plain_exit = self.is_plain_exit(exit_code);
        let line = (self.is_diagnostic() || n > 0).then(|| self.raw_output.clone());
        let message = match streams {
            Some(streams) if is_plain_exit && self.message == said_on_stderr(&streams.stderr) => {
                exit_message(exit_code)
            }
            Some(_) | None => self.message.clone(),
        };
        look.losses.add_absence(self.message.is_empty(), "message");
        look.losses.add_absence(self.code.is_empty(), "code");
        look.losses.add_absence(!self.has_data, "data");
        look.losses.add_absence(self.has_data && self.exit.is_none(), "exitCode");
        if n == 0 && is_plain_exit && exit_code != NO_EXIT && streams.is_none() {
            look.losses.add("rawOutput", "the two streams in it cannot be told apart");
        }
        let mut failure = Failure::new(code, message);
        failure.line = line.filter(|line| !line.is_empty());
        let mut facts = Told::of(self.facts.take(), look);
        let misfit = facts.take("origin_code", |value| as_misfit(value, exit_code));
        let is_usual = self.code == row(code).word || is_plain_exit;
        let own = || Some(self.code.clone()).filter(|own| !is_usual && !own.is_empty());
        failure.origin_code = misfit.or_else(own);
        failure.category = self.category(code, look);
        failure.explanation = self.explanation.map(Into::into);
        failure.link = self.link.map(Into::into);
        failure.fixes = self.fixes.into_iter().map(Into::into).collect();
        failure.alternatives = self.alternatives;
        failure.retry_after = facts.take("retry_after_seconds", |value| {
            told::delay(&RawJson::parse(told::plain(value)?).ok()?)
        });
        failure.details = code::own_names(code, facts.into_details());
        failure.hint = match self.hint {
            Some(hint) if code::hint(&failure) == Some(hint.as_str()) => None,
            hint => Some(hint.unwrap_or_default().into()),
        };
        if self.number != code::mcp_error_code(&failure, run) {
            look.losses.add("mcpErrorCode", "the catalogue gives the number");
            let message = "should be the number that the contract gives to this code";
            let at = Path::ROOT.name("errors");
            look.advise(&at.index(n).name("mcpErrorCode"), "error-number", "M6", message);
        }
        failure
    }

    /// What a diagnostic is about, where its code does not say the same.
    fn category(&self, code: Code, look: &mut Look) -> Option<Category> {
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
            look.losses.add("category", "it is not the category of its code");
        }
        category.filter(|_| !is_usual || self.is_diagnostic())
    }
}

/// The tool's own code, where it could not be written as the code.
fn as_misfit(value: &RawJson, exit_code: i64) -> Option<String> {
    told::plain(value).filter(|own| !code::may_stand_beside(own, exit_code))
}

/// The last of the metadata, if it tells what was hidden.
fn take_receipt(metadata: &mut Vec<(String, String)>) -> Receipt {
    let last = metadata.last().filter(|(name, _)| name == super::REDACTED);
    let receipt = last.and_then(|(_, rules)| told::receipt_from_rules(rules));
    if receipt.is_some() {
        metadata.pop();
    }
    receipt.unwrap_or_default()
}
