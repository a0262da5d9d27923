//! `manila seal`

use bytes::Bytes;
use manila::pipeline::{self, Redaction, Settings, prepare};
use manila::stage::attest::Attested;
use manila::{
    Context, Contract, IdPurpose, JsonObject, Observation, Problem, RawJson, ReadError, Reply,
    Syntax, deterministic_id, render,
};
use manila_gateway::Config;

use crate::command::contracts::{ContractChoice, one_or_all};
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::jsonl::{BadLine, map_lines};
use crate::output::{LayoutArgs, Output};
use crate::refusal::{Refusal, print_note};

/// Turn an observation of a tool call into an envelope
///
/// The input is an observation: a JSON object whose member `observed` has exactly one of these
/// forms:
///
///   {"observed": {"answered": ANY JSON}}              the tool returned JSON
///   {"observed": {"said": "text"}}                    the tool returned text
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
/// Optional members beside `observed`: tool, request_id, tier, duration_ms,
/// deterministic, warnings, pagination, rate_limit, telemetry, metadata, upgrade_hints, meta,
/// fidelity.
///
/// Exit status: 0 sealed, even if the observation is a failure; 1 some lines could not be
/// sealed (--lines); 2 the input could not be sealed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Contract for the envelope; `all` prints one envelope for each
    #[arg(long, short, value_name = "CONTRACT", default_value = "response-v2")]
    #[arg(value_parser = one_or_all())]
    contract: ContractChoice,

    /// Seal each line of the input
    ///
    /// The output has one line for each input line, in the same order. A line that cannot be sealed
    /// becomes an empty line and makes the exit status 1; stderr has the number and reason of the
    /// first 1000 such lines. Blank lines stay blank.
    #[arg(long, conflicts_with = "pretty")]
    lines: bool,

    /// Report on stderr what the contract cannot carry
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
    let sealer = Sealer {
        contract: args.contract,
        reports_losses: args.losses,
        is_by_line: args.lines,
        config: args.config.read()?,
    };
    if args.lines {
        return seal_lines(sealer, &args.input, out);
    }
    let result = sealer.seal(args.input.read()?).map_err(|error| {
        Refusal::new(format!("{}: {error}", args.input.name()), sealer.hint(&error))
    })?;
    for loss in &result.losses {
        print_note(loss);
    }
    out.json(&result.envelope, args.layout.layout(out))?;
    Ok(ExitStatus::Success)
}

fn seal_lines(sealer: Sealer, input: &InputArgs, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let name = input.name();
    let work = move |number, text, notes: &mut Vec<String>| match sealer.seal(text) {
        Ok(Sealed { envelope, losses }) => {
            notes.extend(losses.iter().map(|loss| format!("line {number}: {loss}")));
            Ok(envelope)
        }
        Err(error) => {
            let place = format!("line {number}, column {}", error.column);
            let message = format!("{name}, {place}: {}", error.reason());
            Err(BadLine { message, hint: sealer.hint(&error) })
        }
    };
    let count = map_lines(input, out, work, |notes, progress| {
        if !notes.is_empty() {
            progress.suspend(|| notes.iter().for_each(|text| print_note(text)));
        }
        Ok(())
    })?;
    count.report("sealed");
    Ok(if count.is_good() { ExitStatus::Success } else { ExitStatus::Failure })
}

/// Seals observations.
struct Sealer {
    contract: ContractChoice,
    reports_losses: bool,
    is_by_line: bool,
    config: Config,
}

/// Result of sealing one observation.
struct Sealed {
    envelope: RawJson,
    losses: Vec<String>,
}

impl Sealer {
    fn seal(&self, json: Bytes) -> Result<Sealed, ReadError> {
        let observation = Observation::from_json(json.clone())?;
        let context = Context::new(fresh_id_bytes(&observation, json));
        let mut settings = Settings::default();
        settings.redaction = Redaction::Custom(&self.config.redaction.redactor);
        let sealed = match self.contract {
            ContractChoice::One(contract) => {
                let reply = pipeline::seal(observation, contract, &settings, &context);
                Sealed { losses: self.describe_losses(contract, &reply), envelope: reply.envelope }
            }
            ContractChoice::All => {
                self.seal_all(&prepare(observation, &settings, &context), &context)
            }
        };
        Ok(sealed)
    }

    /// Seals into an object with one envelope for each contract.
    fn seal_all(&self, prepared: &Attested, context: &Context) -> Sealed {
        let mut losses = Vec::new();
        let envelopes = Contract::ALL.into_iter().map(|contract| {
            let reply = render(prepared, contract, context);
            losses.extend(self.describe_losses(contract, &reply));
            (contract.id(), reply.envelope)
        });
        let envelope = JsonObject::from_members(envelopes).into();
        Sealed { envelope, losses }
    }

    fn describe_losses(&self, contract: Contract, reply: &Reply) -> Vec<String> {
        if !self.reports_losses {
            return Vec::new();
        }
        let blocks = (!reply.blocks.is_empty()).then(|| {
            format!("{contract}: `blocks`: media beside structured content is not written")
        });
        let losses = reply.losses.iter().map(|loss| loss.describe(contract.id()));
        losses.chain(blocks).collect()
    }

    /// Returns the hint, adapted to this command.
    fn hint(&self, error: &ReadError) -> String {
        match &error.problem {
            Problem::Syntax(Syntax::Trailing) if self.is_by_line => {
                "put each observation on its own line".to_owned()
            }
            Problem::Syntax(Syntax::Trailing) => {
                "pass one observation; for one on each line, use `--lines`".to_owned()
            }
            Problem::Syntax(Syntax::Empty) => {
                "pass an observation, e.g. {\"observed\": {\"said\": \"hello\"}}".to_owned()
            }
            Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint().to_owned(),
        }
    }
}

/// Returns the bytes of a generated id: random, or derived as in Q7 if the result must be
/// deterministic.
fn fresh_id_bytes(observation: &Observation, json: Bytes) -> [u8; 16] {
    let call = &observation.call;
    if call.request_id.as_deref().is_some_and(|id| !id.trim().is_empty()) {
        // The id is not used, and randomness costs one system call per line.
        return [0; 16];
    }
    let observed = || RawJson::parse(json).ok()?.get("observed");
    match (call.deterministic == Some(true)).then(observed).flatten() {
        Some(observed) => deterministic_id(IdPurpose::Request, "tools/call", &observed),
        None => uuid::Uuid::new_v4().into_bytes(),
    }
}
