//! `machine-readable-v1`: what a command line said, and what its errors mean.

use std::borrow::Cow;

use super::content::{AsText, Pairs, text_of};
use super::facts::Facts;
use super::row::{Mark, Row};
use super::{Contract, Losses, response_v2};
use crate::catalogue::Code;
use crate::outcome::{
    Call, Content, Cut, Ended, Failure, NonEmpty, Notes, Outcome, Provenance, Receipt, Run, Text,
    Tier, exit_message,
};
use crate::raw_json::{Emit, Kind, shape};
use crate::schema::Unbound;
use crate::truncate::cut;

mod code;
mod plain_text;
mod raw_output;
mod read;
mod streams;

pub use plain_text::plain_text;
use raw_output::RawOutput;

/// What the contract offers. M1: its payload is the text of a string.
pub(super) static ROW: Row = Row {
    render: |outcome, _, out, losses| {
        render(outcome, out, losses);
        None
    },
    read: read::read,
    spell_id: response_v2::spell_id,
    spellings: code::spellings,
    shared_words: code::SHARED,
    code_of_group: code::code_of_category,
    place_of: |_| Err(Unbound::NoPlace(Contract::MachineReadableV1)),
    mark: Mark::Missing,
    described_by: None,
    payload_is_text: true,
};

shape! {
    /// M1: a call that is done.
    struct Success<'a> {
        success: bool,
        command: Option<&'a str>,
        output: AsText<'a>,
        exit_code as "exitCode": i64,
        metadata: Pairs<'a>,
    }
}

shape! {
    /// M2: a call that failed.
    struct Failed<'a> {
        success: bool,
        errors: Vec<Fault<'a>>,
        exit_code as "exitCode": i64,
        metadata: Pairs<'a>,
    }
}

shape! {
    /// M2: one error. Absent members are left out, never `null`.
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
    /// M5: on every failed command; and elsewhere, because clients look for the exit code.
    struct FaultData<'a> {
        command: Option<&'a str>,
        exit_code as "exitCode": i64,
        stderr: Option<Cow<'a, str>>,
        additional_data as "additionalData": Strings,
    }
}

/// M4: how many characters of stderr are a message.
const MESSAGE_CHARS_MAX: usize = 500;

/// M5: how many characters of stderr stand in `data`.
const STDERR_CHARS_MAX: usize = 1000;

/// M10: what stands after output that was cut.
const TRUNCATED: &str = "[Output truncated]";

/// What was hidden stands under this name in the metadata.
const REDACTED: &str = "redacted";

/// M2: the exit code of whatever never exited.
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
        came_in: _,
        verbatim: _,
        unread: _,
        unwrapped: _,
    } = outcome;
    lose(call, notes, provenance, losses);
    let run = run.as_ref();
    let metadata = with_receipt(&notes.metadata, receipt, losses);
    let metadata = Pairs(&metadata);
    if matches!(outcome.content(), Content::Json(json) if json.kind() != Kind::String) {
        let what = match ended {
            Ended::Done(_) => "payload",
            Ended::Failed { .. } => "partial",
        };
        losses.add(what, "it is told as JSON text");
    }
    match ended {
        Ended::Done(_) => {
            losses.add_if(run.is_some_and(|run| !run.stderr.is_empty()), "stderr");
            losses.add_if(run.is_some_and(|run| run.cut == Cut::Truncated), "truncated");
            losses.add_if(run.is_some_and(|run| run.command.is_none()), "run");
            if is_empty_text(outcome.content()) && run.is_none() {
                losses.add("payload", "an empty text is read as nothing");
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

/// The tool's own metadata, and what was hidden.
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
        losses.add("metadata", "its `redacted` tells what was hidden");
    }
    all.push((REDACTED.to_owned(), receipt.rules()));
    all.into()
}

fn faults<'a>(
    failures: &'a NonEmpty<Failure>,
    run: Option<&'a Run>,
    left: Content<'a>,
    losses: &mut Losses,
) -> Vec<Fault<'a>> {
    let is_diagnosed = failures.first().line.is_some();
    if let Some(run) = run {
        if is_diagnosed && !run.stdout.is_empty() {
            losses.add("stdout", "only its lines with diagnostics are told");
        }
        let ends_line = run.stdout.is_empty() || run.stdout.ends_with('\n');
        if run.cut == Cut::Truncated && run.exit.is_none() && !ends_line {
            losses.add("stdout", "its last line is ended before the mark of the cut");
        }
        // Where both streams are told as one, all of it is there.
        let has_all = run.exit.is_some() && !is_diagnosed;
        if !has_all && cut(&run.stderr, STDERR_CHARS_MAX).1 {
            losses.add("stderr", "the contract tells at most 1000 characters of it");
        }
    }
    if is_diagnosed && run.is_none() && !matches!(left, Content::Nothing) {
        losses.add("partial", "only the line with the diagnostic is told");
    }
    let is_bare = |run: &Run| {
        let Run { command, exit, stdout: _, stderr, cut } = run;
        command.is_none() && exit.is_none() && stderr.is_empty() && *cut == Cut::Whole
    };
    losses.add_if(run.is_some_and(is_bare), "run");
    if run.is_some_and(|run| run.exit == Some(NO_EXIT)) {
        losses.add("exit code", "-1 is read as none");
    }
    let all = failures.iter().enumerate();
    all.map(|(n, failure)| {
        let raw_output = match (&failure.line, n) {
            (Some(line), _) => RawOutput::Text(line),
            // What a call left is told once.
            (None, 0) => RawOutput::of(run, left),
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
        losses.add("data", "it is told among the details");
    }
    let is_plain_exit = *code == Code::CommandFailed && origin_code.is_none();
    let plain = run.filter(|_| is_plain_exit);
    let exit_code = run.and_then(|run| run.exit).unwrap_or(NO_EXIT);
    let own = origin_code.as_ref().filter(|own| code::may_stand_beside(own, exit_code));
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

/// M4: a command that printed no diagnostic says on stderr what happened. Where it said nothing,
/// somebody else may have.
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
        losses.add("message", "what the command printed on stderr is told");
    }
    said_on_stderr(&run.stderr)
}

/// M4: the message of a command that printed no diagnostic.
fn said_on_stderr(stderr: &str) -> Cow<'_, str> {
    match cut(stderr.trim(), MESSAGE_CHARS_MAX) {
        ("", _) => "Command failed with no error output".into(),
        (whole, false) => whole.into(),
        (start, true) => format!("{start}...").into(),
    }
}

/// M5: 1000 characters, the mark included.
fn short_stderr(stderr: &str) -> Cow<'_, str> {
    const MARK: &str = "... (truncated)";
    match cut(stderr, STDERR_CHARS_MAX) {
        (whole, false) => whole.into(),
        (start, true) => format!("{}{MARK}", cut(start, STDERR_CHARS_MAX - MARK.len()).0).into(),
    }
}

/// M2: `additionalData` is string to string.
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
                losses.add("details", "what is no text is told as JSON text");
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

fn lose(call: &Call, notes: &Notes, provenance: &Provenance, losses: &mut Losses) {
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
