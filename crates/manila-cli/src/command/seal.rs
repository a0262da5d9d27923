//! `manila seal`

use std::io::Write;

use bytes::Bytes;
use manila::{
    Context, Contract, IdPurpose, Observation, RawJson, ReadError, Reply, deterministic_id,
};

use crate::command::contracts::{Chosen, one_or_all};
use crate::exit_status::ExitStatus;
use crate::input::{InputArgs, Line};
use crate::output::{Layout, LayoutArgs, Output};
use crate::refusal::{Refusal, tell};

/// Put what was seen of a tool call into an envelope
///
/// The input is an observation: a JSON object whose `observed` says what was seen. It has
/// exactly one of these members:
///
///   {"answered": ANY JSON}               the tool answered JSON
///   {"said": "text"}                     the tool answered text
///   {"mcp": {"content": [...]}}          an MCP CallToolResult
///   {"exited": {"command": "make", "code": 2, "stdout": "", "stderr": "..."}}
///   {"failed": {"code": "NOT_FOUND", "message": "..."}}
///   {"invalid": {"parameter": "path", "reason": "required"}}
///   also: unavailable, conflict, cancelled, timed_out, rate_limited, tier_required,
///   feature_disabled
///
/// Beside it may stand what else is known: tool, request_id, tier, duration_ms,
/// deterministic, warnings, pagination, rate_limit, telemetry, metadata, upgrade_hints,
/// meta, fidelity. docs/observations.md describes them all.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The contract of the envelope; `all` gives an object with one envelope a contract
    #[arg(long, short, value_name = "CONTRACT", default_value = "response-v2")]
    #[arg(value_parser = one_or_all())]
    contract: Chosen,

    /// Read one observation a line, and write one envelope a line
    ///
    /// A line that cannot be sealed gives an empty line, its number and reason on standard
    /// error, and exit status 1. Blank lines stay blank.
    #[arg(long, conflicts_with = "pretty")]
    lines: bool,

    /// Tell on standard error what the contract could not carry
    #[arg(long)]
    losses: bool,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    input: InputArgs,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    if args.lines {
        return seal_lines(args, out);
    }
    let sealed = seal(args, args.input.read()?)
        .map_err(|error| Refusal::new(format!("{}: {error}", args.input.name()), error.hint()))?;
    for loss in &sealed.losses {
        note(loss);
    }
    out.json(&sealed.envelope, args.layout.layout(out))?;
    Ok(ExitStatus::Good)
}

fn seal_lines(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let mut status = ExitStatus::Good;
    let mut lines = args.input.lines()?;
    while let Some(Line { number, text }) = lines.next()? {
        match text {
            Some(text) if text.trim_ascii().is_empty() => out.line(b"")?,
            Some(text) => match seal(args, text) {
                Ok(sealed) => {
                    for loss in &sealed.losses {
                        note(&format!("line {number}: {loss}"));
                    }
                    out.json(&sealed.envelope, Layout::Compact)?;
                }
                Err(error) => {
                    let place = format!("line {number}, column {}", error.column);
                    tell(
                        &format!("{}, {place}: {}", args.input.name(), error.reason()),
                        error.hint(),
                    );
                    status = ExitStatus::BadNews;
                    out.line(b"")?;
                }
            },
            None => {
                let (name, limit) = (args.input.name(), args.input.bytes_max());
                let message = format!("{name}, line {number} is over the limit of {limit} bytes");
                tell(&message, "raise the limit with `--bytes-max`");
                status = ExitStatus::BadNews;
                out.line(b"")?;
            }
        }
        if lines.is_drained() {
            out.flush()?;
        }
    }
    Ok(status)
}

/// What one observation gives.
struct Sealed {
    envelope: RawJson,
    losses: Vec<String>,
}

fn seal(args: &Args, json: Bytes) -> Result<Sealed, ReadError> {
    let observation = Observation::from_json(json.clone())?;
    let context = Context::new(fresh(&observation, json));
    let sealed = match args.contract {
        Chosen::One(contract) => {
            let reply = observation.seal(contract, &context);
            Sealed { losses: told(args, contract, &reply), envelope: reply.envelope }
        }
        Chosen::All => all(args, &observation, &context)?,
    };
    Ok(sealed)
}

/// An object with one envelope a contract.
fn all(args: &Args, observation: &Observation, context: &Context) -> Result<Sealed, ReadError> {
    let mut losses = Vec::new();
    let mut members = Vec::new();
    for contract in Contract::ALL {
        let reply = observation.clone().seal(contract, context);
        losses.extend(told(args, contract, &reply));
        members.push(format!("\"{contract}\":{}", reply.envelope));
    }
    let envelope = RawJson::parse(format!("{{{}}}", members.join(",")))?;
    Ok(Sealed { envelope, losses })
}

fn told(args: &Args, contract: Contract, reply: &Reply) -> Vec<String> {
    if !args.losses {
        return Vec::new();
    }
    let beside = (!reply.blocks.is_empty()).then(|| {
        format!("{contract} does not carry blocks: media beside structured content stays on MCP")
    });
    let losses = reply.losses.iter().map(|loss| format!("{contract} does not carry {loss}"));
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

fn note(text: &str) {
    // A note that cannot be told changes nothing about the result.
    let _ = writeln!(anstream::stderr(), "note: {text}");
}
