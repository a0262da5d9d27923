//! `manila seal`

use bytes::Bytes;
use manila::pipeline::{self, Redaction, Settings, prepare};
use manila::stage::attest::Attested;
use manila::{
    Context, Contract, IdPurpose, JsonObject, Observation, Problem, RawJson, ReadError, Reply,
    Syntax, deterministic_id, render,
};
use manila_gateway::Config;

use crate::by_line::{BadLine, by_line};
use crate::command::contracts::{Chosen, one_or_all};
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::{LayoutArgs, Output};
use crate::refusal::{Refusal, note};

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
    /// error (of the first 1000 such lines), and exit status 1. Blank lines stay blank. Not with
    /// --pretty. All cores work; what comes out has the order of the input.
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
    let sealing = Sealing {
        contract: args.contract,
        tells_losses: args.losses,
        is_by_line: args.lines,
        config: args.config.read()?,
    };
    if args.lines {
        return seal_lines(sealing, &args.input, out);
    }
    let sealed = sealing.seal(args.input.read()?).map_err(|error| {
        Refusal::new(format!("{}: {error}", args.input.name()), sealing.hint(&error))
    })?;
    for loss in &sealed.losses {
        note(loss);
    }
    out.json(&sealed.envelope, args.layout.layout(out))?;
    Ok(ExitStatus::Good)
}

fn seal_lines(sealing: Sealing, input: &InputArgs, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let name = input.name();
    let work = move |number, text, notes: &mut Vec<String>| match sealing.seal(text) {
        Ok(Sealed { envelope, losses }) => {
            notes.extend(losses.iter().map(|loss| format!("line {number}, {loss}")));
            Ok(envelope)
        }
        Err(error) => {
            let place = format!("line {number}, column {}", error.column);
            let message = format!("{name}, {place}: {}", error.reason());
            Err(BadLine { message, hint: sealing.hint(&error) })
        }
    };
    let count = by_line(input, out, work, |notes, progress| {
        if !notes.is_empty() {
            progress.aside(|| notes.iter().for_each(|text| note(text)));
        }
        Ok(())
    })?;
    count.tell("sealed");
    Ok(if count.is_good() { ExitStatus::Good } else { ExitStatus::BadNews })
}

/// What is done with every observation.
struct Sealing {
    contract: Chosen,
    tells_losses: bool,
    is_by_line: bool,
    config: Config,
}

/// What one observation gives.
struct Sealed {
    envelope: RawJson,
    losses: Vec<String>,
}

impl Sealing {
    fn seal(&self, json: Bytes) -> Result<Sealed, ReadError> {
        let observation = Observation::from_json(json.clone())?;
        let context = Context::new(fresh(&observation, json));
        let mut settings = Settings::default();
        settings.redaction = Redaction::By(&self.config.hiding.redactor);
        let sealed = match self.contract {
            Chosen::One(contract) => {
                let reply = pipeline::seal(observation, contract, &settings, &context);
                Sealed { losses: self.told(contract, &reply), envelope: reply.envelope }
            }
            Chosen::All => self.all(&prepare(observation, &settings, &context), &context),
        };
        Ok(sealed)
    }

    /// An object with one envelope for each contract.
    fn all(&self, prepared: &Attested, context: &Context) -> Sealed {
        let mut losses = Vec::new();
        let envelopes = Contract::ALL.into_iter().map(|contract| {
            let reply = render(prepared, contract, context);
            losses.extend(self.told(contract, &reply));
            (contract.id(), reply.envelope)
        });
        let envelope = JsonObject::from_members(envelopes).into();
        Sealed { envelope, losses }
    }

    fn told(&self, contract: Contract, reply: &Reply) -> Vec<String> {
        if !self.tells_losses {
            return Vec::new();
        }
        let beside = (!reply.blocks.is_empty()).then(|| {
            format!("in {contract}: blocks: media beside structured content are not written")
        });
        let losses = reply.losses.iter().map(|loss| format!("in {contract}: {loss}"));
        losses.chain(beside).collect()
    }

    /// The next step, in the words of this command.
    fn hint(&self, error: &ReadError) -> String {
        match &error.problem {
            Problem::Syntax(Syntax::Trailing) if self.is_by_line => {
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
