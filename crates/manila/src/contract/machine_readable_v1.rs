//! `machine-readable-v1`: the output of a command, or its errors with explanations.

use std::borrow::Cow;

use super::content::{AsText, Pairs, text_of};
use super::facts::Facts;
use super::spec::{ContractSpec, Mark};
use super::{Contract, Losses, response_v2};
use crate::catalogue::Code;
use crate::outcome::{
    Call, Content, Ended, Failure, NonEmpty, Notes, Outcome, Provenance, Receipt, Run, Text, Tier,
    Truncation, exit_message,
};
use crate::raw_json::{Emit, Kind, shape};
use crate::schema::PayloadSchemaError;
use crate::truncate::cut;

mod code;
mod plain_text;
mod raw_output;
mod read;
mod streams;

pub use plain_text::render_plain_text;
use raw_output::RawOutput;

/// The functions and facts of the contract. M1: its payload is a string.
pub(super) static SPEC: ContractSpec = ContractSpec {
    render: |outcome, _, out, losses| {
        render(outcome, out, losses);
        None
    },
    read: read::read,
    format_request_id: response_v2::format_request_id,
    spellings: code::spellings,
    shared_spellings: code::SHARED,
    code_from_group: code::code_from_category,
    payload_schema_place: |_| Err(PayloadSchemaError::TextPayload(Contract::MachineReadableV1)),
    mark: Mark::Missing,
    described_by: None,
    payload_is_text: true,
};

shape! {
    /// M1: a successful call.
    struct Success<'a> {
        success: bool,
        command: Option<&'a str>,
        output: AsText<'a>,
        exit_code as "exitCode": i64,
        metadata: Pairs<'a>,
    }
}

shape! {
    /// M2: a failed call.
    struct Failed<'a> {
        success: bool,
        errors: Vec<Fault<'a>>,
        exit_code as "exitCode": i64,
        metadata: Pairs<'a>,
    }
}

shape! {
    /// M2: one error. Absent members are omitted, never `null`.
    struct Fault<'a> {
        code: Cow<'a, str>,
        message: Cow<'a, str>,
        category: &'static str,
        hint: Option<&'a str>,
        explanation: Option<&'a str>,
        documentation_url as "documentationUrl": Option<&'a str>,
        suggested_fixes as "suggestedFixes": Option<&'a [Text]>,
        alternatives: Option<&'a [String]>,
        raw_output as "rawOutput": RawOutput<'a>,
        mcp_error_code as "mcpErrorCode": Option<i64>,
        data: FaultData<'a>,
    }
}

shape! {
    /// M5: present for every failed command, and for other failures because clients read the exit
    /// code from it.
    struct FaultData<'a> {
        command: Option<&'a str>,
        exit_code as "exitCode": i64,
        stderr: Option<Cow<'a, str>>,
        additional_data as "additionalData": Strings,
    }
}

/// M4: the maximum number of characters of stderr in a message.
const MESSAGE_CHARS_MAX: usize = 500;

/// M5: the maximum number of characters of stderr in `data`.
const STDERR_CHARS_MAX: usize = 1000;

/// M10: the marker after truncated output.
const TRUNCATED: &str = "[Output truncated]";

/// The name of the redaction receipt in the metadata.
const REDACTED: &str = "redacted";

/// M2: the exit code of a call without one.
const NO_EXIT: i64 = -1;

/// Writes the envelope, which has no request id.
fn render(outcome: &Outcome, out: &mut Vec<u8>, losses: &mut Losses) {
    let Outcome {
        call,
        ended,
        run,
        blocks: _,
        notes,
        receipt,
        provenance,
        source_contract: _,
        verbatim: _,
        unread: _,
        unwrapped: _,
    } = outcome;
    add_losses(call, notes, provenance, losses);
    let run = run.as_ref();
    let metadata = with_receipt(&notes.metadata, receipt, losses);
    let metadata = Pairs(&metadata);
    if matches!(outcome.content(), Content::Json(json) if json.kind() != Kind::String) {
        let what = match ended {
            Ended::Done(_) => "payload",
            Ended::Failed { .. } => "partial",
        };
        losses.add(what, "written as JSON text");
    }
    match ended {
        Ended::Done(_) => {
            losses.add_if(run.is_some_and(|run| !run.stderr.is_empty()), "stderr");
            losses.add_if(
                run.is_some_and(|run| run.truncation == Truncation::Truncated),
                "truncated",
            );
            losses.add_if(run.is_some_and(|run| run.command.is_none()), "run");
            if is_empty_text(outcome.content()) && run.is_none() {
                losses.add("payload", "an empty text is read as no payload");
            }
            let command = run.and_then(|run| run.command.as_deref());
            let output = AsText(outcome.content());
            Success { success: true, command, output, exit_code: 0, metadata }.emit(out);
        }
        Ended::Failed { failures, partial: _ } => {
            let errors = faults(failures, run, outcome.content(), losses);
            let exit_code = run.and_then(|run| run.exit).unwrap_or(NO_EXIT);
            Failed { success: false, errors, exit_code, metadata }.emit(out);
        }
    }
}

fn is_empty_text(content: Content<'_>) -> bool {
    match content {
        Content::Text(text) => text.is_empty(),
        Content::Json(json) => json.as_bytes() == b"\"\"",
        Content::Nothing => false,
    }
}

/// Returns the tool's metadata with the redaction receipt.
fn with_receipt<'a>(
    metadata: &'a [(String, String)],
    receipt: &Receipt,
    losses: &mut Losses,
) -> Cow<'a, [(String, String)]> {
    if receipt.count() == 0 {
        return metadata.into();
    }
    let others = metadata.iter().filter(|(name, _)| name != REDACTED);
    let mut all: Vec<(String, String)> = others.cloned().collect();
    if all.len() < metadata.len() {
        losses.add("metadata", "its `redacted` is replaced by the redaction receipt");
    }
    all.push((REDACTED.to_owned(), receipt.rules()));
    all.into()
}

fn faults<'a>(
    failures: &'a NonEmpty<Failure>,
    run: Option<&'a Run>,
    partial: Content<'a>,
    losses: &mut Losses,
) -> Vec<Fault<'a>> {
    let is_diagnosed = failures.first().line.is_some();
    if let Some(run) = run {
        if is_diagnosed && !run.stdout.is_empty() {
            losses.add("stdout", "only its lines with diagnostics are written");
        }
        let ends_line = run.stdout.is_empty() || run.stdout.ends_with('\n');
        if run.truncation == Truncation::Truncated && run.exit.is_none() && !ends_line {
            losses.add("stdout", "a line break is added before the truncation marker");
        }
        // If both streams are written as one, stderr is complete there.
        let is_complete = run.exit.is_some() && !is_diagnosed;
        if !is_complete && cut(&run.stderr, STDERR_CHARS_MAX).1 {
            losses.add("stderr", "the contract allows at most 1000 characters of it");
        }
    }
    if is_diagnosed && run.is_none() && !matches!(partial, Content::Nothing) {
        losses.add("partial", "only the line with the diagnostic is written");
    }
    let is_bare = |run: &Run| {
        let Run { command, exit, stdout: _, stderr, truncation } = run;
        command.is_none()
            && exit.is_none()
            && stderr.is_empty()
            && *truncation == Truncation::Complete
    };
    losses.add_if(run.is_some_and(is_bare), "run");
    if run.is_some_and(|run| run.exit == Some(NO_EXIT)) {
        losses.add("exit code", "-1 is read as no exit code");
    }
    let all = failures.iter().enumerate();
    all.map(|(n, failure)| {
        let raw_output = match (&failure.line, n) {
            (Some(line), _) => RawOutput::Text(line),
            // The partial result is written once.
            (None, 0) => RawOutput::of(run, partial),
            (None, _) => RawOutput::Text(""),
        };
        fault(failure, run, raw_output, losses)
    })
    .collect()
}

fn fault<'a>(
    failure: &'a Failure,
    run: Option<&'a Run>,
    raw_output: RawOutput<'a>,
    losses: &mut Losses,
) -> Fault<'a> {
    let Failure {
        code,
        origin_code,
        message,
        category: _,
        hint: _,
        explanation,
        link,
        fixes,
        alternatives,
        details: _,
        data,
        evidence,
        retry_after: _,
        retryable,
        line: _,
    } = failure;
    losses.add_if(!evidence.is_empty(), "evidence");
    losses.add_if(retryable.is_some(), "retryable");
    if !data.is_empty() {
        losses.add("data", "written among the details");
    }
    let is_plain_exit = *code == Code::CommandFailed && origin_code.is_none();
    let plain = run.filter(|_| is_plain_exit);
    let exit_code = run.and_then(|run| run.exit).unwrap_or(NO_EXIT);
    let own = origin_code.as_ref().filter(|own| code::fits_exit_code(own, exit_code));
    let is_misfit = own.is_none() && origin_code.is_some();
    let word: Cow<'_, str> = match (own, *code == Code::CommandFailed) {
        (Some(own), _) => own.into(),
        (None, true) => format!("EXIT_{exit_code}").into(),
        (None, false) => code::row(*code).word.into(),
    };
    losses.add_code(*code, &word, Some(code::category_of(failure)));
    Fault {
        code: word,
        message: plain.map_or(Cow::Borrowed(message.as_ref()), |run| {
            plain_message(message, run, exit_code, losses)
        }),
        category: code::category_of(failure),
        hint: code::hint(failure),
        explanation: explanation.as_deref(),
        documentation_url: link.as_deref(),
        suggested_fixes: (!fixes.is_empty()).then_some(fixes),
        alternatives: (!alternatives.is_empty()).then_some(alternatives),
        raw_output,
        mcp_error_code: code::mcp_error_code(failure, run),
        data: FaultData {
            command: run.and_then(|run| run.command.as_deref()),
            exit_code,
            stderr: run.map(|run| short_stderr(&run.stderr)).filter(|text| !text.is_empty()),
            additional_data: Strings::of(failure, is_misfit, losses),
        },
    }
}

/// M4: returns the message of a command that printed no diagnostic: its stderr or, if that is
/// blank, the failure's own message.
fn plain_message<'a>(
    message: &'a str,
    run: &'a Run,
    exit_code: i64,
    losses: &mut Losses,
) -> Cow<'a, str> {
    let is_own = message != exit_message(exit_code);
    if is_own && run.stderr.trim().is_empty() {
        return message.into();
    }
    if is_own {
        losses.add("message", "the command's stderr is written instead");
    }
    stderr_message(&run.stderr)
}

/// M4: returns the message for the stderr of a command that printed no diagnostic.
fn stderr_message(stderr: &str) -> Cow<'_, str> {
    match cut(stderr.trim(), MESSAGE_CHARS_MAX) {
        ("", _) => "Command failed with no error output".into(),
        (complete, false) => complete.into(),
        (start, true) => format!("{start}...").into(),
    }
}

/// M5: shortens stderr to 1000 characters, including the marker.
fn short_stderr(stderr: &str) -> Cow<'_, str> {
    const MARKER: &str = "... (truncated)";
    match cut(stderr, STDERR_CHARS_MAX) {
        (complete, false) => complete.into(),
        (start, true) => {
            format!("{}{MARKER}", cut(start, STDERR_CHARS_MAX - MARKER.len()).0).into()
        }
    }
}

/// M2: `additionalData`, an object of strings.
struct Strings(Vec<(String, String)>);

impl Strings {
    fn of(failure: &Failure, is_misfit: bool, losses: &mut Losses) -> Strings {
        let mut facts = Facts::of_failure(failure, &failure.details);
        if is_misfit {
            facts.add("origin_code", &failure.origin_code);
        }
        let mut texts = Facts::default();
        for (name, value) in facts.iter() {
            let (name, text) = code::fact(failure, name, value);
            if text.is_none() && value.kind() != Kind::String {
                losses.add("details", "values that are not strings are written as JSON text");
            }
            texts.add(name, &text.unwrap_or_else(|| text_of(value)));
        }
        losses.add_clashes(&facts);
        losses.add_clashes(&texts);
        let texts = texts.iter().map(|(name, text)| (name.to_owned(), text_of(text)));
        Strings(texts.collect())
    }
}

impl Emit for Strings {
    fn emit(&self, out: &mut Vec<u8>) {
        Pairs(&self.0).emit(out);
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

fn add_losses(call: &Call, notes: &Notes, provenance: &Provenance, losses: &mut Losses) {
    let Call {
        tool_id,
        tool_version,
        request_id,
        tier,
        duration,
        deterministic: _,
        capabilities,
        id_source: _,
    } = call;
    let Notes {
        warnings,
        pagination: _,
        rate_limit: _,
        telemetry: _,
        upgrade_hints,
        metadata: _,
        meta,
        fidelity: _,
    } = notes;
    losses.add_if(tool_id.is_some() || tool_version.is_some(), "tool");
    losses.add_if(capabilities.is_some(), "capabilities");
    losses.add_if(request_id.is_some(), "request_id");
    losses.add_if(*tier != Tier::default(), "tier");
    losses.add_if(duration.is_some(), "duration_ms");
    losses.add_if(!warnings.is_empty(), "warnings");
    losses.add_notes(notes);
    losses.add_if(!upgrade_hints.is_empty(), "upgrade_hints");
    losses.add_if(!meta.is_empty(), "meta");
    losses.add_provenance(provenance);
}
