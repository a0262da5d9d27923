//! `manila seal`

use bytes::Bytes;
use manila::pipeline::{self, Redaction, Settings, prepare};
use manila::{
    Context, Contract, IdPurpose, JsonObject, Observation, Problem, RawJson, ReadError, Reply,
    Syntax, deterministic_id, render,
};

use crate::command::contracts::{Chosen, one_or_all};
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::{InputArgs, Line};
use crate::output::{Layout, LayoutArgs, Output};
use crate::refusal::{Refusal, note, tell};

/// Put what was seen of a tool call into an envelope
///
/// The input is an observation: a JSON object whose `observed` says what was seen, in exactly
/// one of these ways:
///
///   {"observed": {"answered": ANY JSON}}              the tool answered JSON
///   {"observed": {"said": "text"}}                    the tool answered text
///   {"observed": {"mcp": {"content": [...]}}}         an MCP CallToolResult
///   {"observed": {"exited": {"command": "make", "code": 2, "stdout": "", "stderr": "..."}}}
///   {"observed": {"failed": {"code": "NOT_FOUND", "message": "..."}}}
///   {"observed": {"invalid": {"parameter": "path", "reason": "required"}}}
///   {"observed": {"unavailable": {"feature": "gpu", "reason": "no driver"}}}
///   {"observed": {"conflict": {"operation": "build", "target": "app", "conflicting": "test"}}}
///   {"observed": {"cancelled": {"stdout": "so far"}}}
///   {"observed": {"timed_out": {"after_ms": 30000}}}
///   {"observed": {"rate_limited": {"limit": 100, "period": "minute"}}}
///   {"observed": {"tier_required": {"feature": "f", "tier": "pro", "reason": "..."}}}
///   {"observed": {"feature_disabled": {"feature": "f"}}}
///
/// Beside `observed` may stand what else is known: tool, request_id, tier, duration_ms,
/// deterministic, warnings, pagination, rate_limit, telemetry, metadata, upgrade_hints, meta,
/// fidelity. An observation of a failure gives exit status 0: it was sealed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The contract of the envelope; `all` gives an object with one envelope for each
    #[arg(long, short, value_name = "CONTRACT", default_value = "response-v2")]
    #[arg(value_parser = one_or_all())]
    contract: Chosen,

    /// Read an observation from each line, and write its envelope on a line
    ///
    /// A line that cannot be sealed gives an empty line, its number and reason on standard
    /// error, and exit status 1. Blank lines stay blank. Not with --pretty.
    #[arg(long, conflicts_with = "pretty")]
    lines: bool,

    /// Tell on standard error what the contract could not carry as it is
    #[arg(long)]
    losses: bool,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    input: InputArgs,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let config = args.config.read()?;
    let mut settings = Settings::default();
    settings.redaction = Redaction::By(&config.hiding.redactor);
    if args.lines {
        return seal_lines(args, &settings, out);
    }
    let sealed = seal(args, &settings, args.input.read()?).map_err(|error| {
        Refusal::new(format!("{}: {error}", args.input.name()), hint(&error, args))
    })?;
    for loss in &sealed.losses {
        note(loss);
    }
    out.json(&sealed.envelope, args.layout.layout(out))?;
    Ok(ExitStatus::Good)
}

fn seal_lines(
    args: &Args,
    settings: &Settings<'_>,
    out: &mut Output,
) -> anyhow::Result<ExitStatus> {
    let (mut n_lines, mut n_bad) = (0u64, 0u64);
    let mut lines = args.input.lines()?;
    while let Some(Line { number, text }) = lines.next()? {
        n_lines = number;
        match seal_line(args, settings, number, text) {
            Ok(Some(sealed)) => {
                for loss in &sealed.losses {
                    note(&format!("line {number}, {loss}"));
                }
                out.json(&sealed.envelope, Layout::Compact)?;
            }
            Ok(None) => out.line(b"")?,
            Err((message, hint)) => {
                tell(&message, &hint);
                n_bad += 1;
                out.line(b"")?;
            }
        }
        if lines.may_wait() {
            out.flush()?;
        }
    }
    if n_bad == 0 {
        return Ok(ExitStatus::Good);
    }
    note(&format!("{n_bad} of {n_lines} lines could not be sealed"));
    Ok(ExitStatus::BadNews)
}

/// What a line gives: an envelope, nothing if it is blank, or what is wrong and the next step.
fn seal_line(
    args: &Args,
    settings: &Settings<'_>,
    number: u64,
    text: Option<Bytes>,
) -> Result<Option<Sealed>, (String, String)> {
    let name = args.input.name();
    let Some(text) = text else {
        let limit = args.input.bytes_max();
        let message = format!("{name}, line {number} is over the limit of {limit} bytes");
        return Err((message, "raise the limit with `--bytes-max`".to_owned()));
    };
    if text.trim_ascii().is_empty() {
        return Ok(None);
    }
    seal(args, settings, text).map(Some).map_err(|error| {
        let place = format!("line {number}, column {}", error.column);
        (format!("{name}, {place}: {}", error.reason()), hint(&error, args))
    })
}

/// The next step, in the words of this command.
fn hint(error: &ReadError, args: &Args) -> String {
    match &error.problem {
        Problem::Syntax(Syntax::Trailing) if args.lines => {
            "put each observation on a line of its own".to_owned()
        }
        Problem::Syntax(Syntax::Trailing) => {
            "give one observation; for one on each line, use `--lines`".to_owned()
        }
        Problem::Syntax(Syntax::Empty) => {
            "give an observation, e.g. {\"observed\": {\"said\": \"hello\"}}".to_owned()
        }
        Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint().to_owned(),
    }
}

/// What one observation gives.
struct Sealed {
    envelope: RawJson,
    losses: Vec<String>,
}

fn seal(args: &Args, settings: &Settings<'_>, json: Bytes) -> Result<Sealed, ReadError> {
    let observation = Observation::from_json(json.clone())?;
    let context = Context::new(fresh(&observation, json));
    let sealed = match args.contract {
        Chosen::One(contract) => {
            let reply = pipeline::seal(observation, contract, settings, &context);
            Sealed { losses: told(args, contract, &reply), envelope: reply.envelope }
        }
        Chosen::All => all(args, observation, settings, &context),
    };
    Ok(sealed)
}

/// An object with one envelope for each contract.
fn all(
    args: &Args,
    observation: Observation,
    settings: &Settings<'_>,
    context: &Context,
) -> Sealed {
    let mut losses = Vec::new();
    let prepared = prepare(observation, settings, context);
    let envelopes = Contract::ALL.into_iter().map(|contract| {
        let reply = render(&prepared, contract, context);
        losses.extend(told(args, contract, &reply));
        (contract.id(), reply.envelope)
    });
    let envelope = JsonObject::from_members(envelopes).into();
    Sealed { envelope, losses }
}

fn told(args: &Args, contract: Contract, reply: &Reply) -> Vec<String> {
    if !args.losses {
        return Vec::new();
    }
    let beside = (!reply.blocks.is_empty())
        .then(|| format!("in {contract}: blocks: media beside structured content are not written"));
    let losses = reply.losses.iter().map(|loss| format!("in {contract}: {loss}"));
    losses.chain(beside).collect()
}

/// The bytes for an id that the caller did not give: random, or Q7's where the answer must
/// not depend on chance.
fn fresh(observation: &Observation, json: Bytes) -> [u8; 16] {
    let call = &observation.call;
    if call.request_id.as_deref().is_some_and(|id| !id.trim().is_empty()) {
        // Nobody will look at it, and randomness costs a system call a line.
        return [0; 16];
    }
    let observed = || RawJson::parse(json).ok()?.get("observed");
    match (call.deterministic == Some(true)).then(observed).flatten() {
        Some(observed) => deterministic_id(IdPurpose::Request, "tools/call", &observed),
        None => uuid::Uuid::new_v4().into_bytes(),
    }
}
