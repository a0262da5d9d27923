//! `manila convert`

use std::io::Write;
use std::path::PathBuf;

use bytes::Bytes;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::check::Finding;
use manila::pipeline::{Redaction, Settings};
use manila::{Context, Contract, Converted, NotConverted, Problem, ReadError, Subject, Syntax};
use manila_gateway::Config;

use crate::by_line::{BadLine, by_line};
use crate::command::contracts::one_contract;
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::{LayoutArgs, Output};
use crate::refusal::{Refusal, visible};
use crate::row::Row;
use crate::words::counted;

mod losses;

use losses::{Keeper, Losses};

/// Convert an envelope of one contract into another
///
/// Any contract can be read, and any can be written. What the other contract cannot carry is
/// reported on standard error:
///
///   manila convert --to envelope-v1 answer.json
///   manila seal examples/security_scan.json | manila convert --to machine-readable-v1 --pretty
///   manila convert --from machine-readable-v1 --to response-v2 result.json
///   manila convert --to mcp.envelope.v0.1 --lines --losses lost.jsonl answers.jsonl > new.jsonl
///
/// An envelope says by itself which contract it has, except in machine-readable-v1, which has no
/// mark and is never recognised: name that one with --from. An envelope that breaks its contract is
/// not converted; what is wrong with it is told, as `manila check` does. Secrets are hidden on the
/// way, as everywhere. An envelope without a request id gets a fresh one where the other contract
/// wants one.
///
/// Exit status: 0 it was converted, whatever was lost; 1 some lines were not; 2 it could not be
/// done.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The contract to convert to
    #[arg(long, value_name = "CONTRACT", value_parser = one_contract())]
    to: Contract,

    /// The contract to convert from; `auto` goes by the envelope's mark
    #[arg(long, value_name = "CONTRACT", default_value = "auto", value_parser = one_or_auto())]
    from: From,

    /// Read an envelope from each line, and write its conversion on a line
    ///
    /// A line that cannot be converted gives an empty line, its number and reason on standard
    /// error (of the first 1000 such lines), and exit status 1. Blank lines stay blank. Not with
    /// --pretty. All cores work; what comes out has the order of the input. Each kind of loss is
    /// told when it first occurs, and counted.
    #[arg(long, conflicts_with = "pretty")]
    lines: bool,

    /// Write what was lost into this file, instead of telling it
    ///
    /// Each line of the file is an object for one envelope that lost something: {"line", "from",
    /// "to", "losses": [{"what", "why"}]}, "line" only with --lines. The file is written anew, and
    /// stays empty if nothing was lost. `-` is refused: standard output is for envelopes.
    #[arg(long, value_name = "FILE")]
    losses: Option<PathBuf>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    input: InputArgs,
}

/// Which contract an envelope has.
#[derive(Debug, Clone, Copy)]
enum From {
    Auto,
    One(Contract),
}

fn one_or_auto() -> impl TypedValueParser<Value = From> {
    let ids = ["auto"].into_iter().chain(Contract::ALL.map(Contract::id));
    PossibleValuesParser::new(ids).try_map(|id| match id.as_str() {
        "auto" => Ok(From::Auto),
        id => Contract::from_id(id).map(From::One),
    })
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let converting = Converting {
        from: match args.from {
            From::Auto => None,
            From::One(contract) => Some(contract),
        },
        to: args.to,
        config: args.config.read()?,
    };
    let mut keeper = Keeper::new(args)?;
    if args.lines {
        return convert_lines(converting, &args.input, keeper, out);
    }
    let converted = converting.convert(&args.input.read()?);
    let converted = converted.map_err(|not| refuse(not, &args.input))?;
    let mut losses = Losses::default();
    losses.add(None, &converted, keeper.kind(), args.to);
    keeper.take(&losses)?;
    out.json(&converted.reply.envelope, args.layout.layout(out))?;
    Ok(ExitStatus::Good)
}

fn convert_lines(
    converting: Converting,
    input: &InputArgs,
    mut keeper: Keeper,
    out: &mut Output,
) -> anyhow::Result<ExitStatus> {
    let (name, label, kind) = (input.name(), input.label(), keeper.kind());
    let work = move |number, text, losses: &mut Losses| match converting.convert(&text) {
        Ok(converted) => {
            losses.add(Some(number), &converted, kind, converting.to);
            Ok(converted.reply.envelope)
        }
        Err(not) => Err(bad_line(not, number, &name, &label)),
    };
    let count = by_line(input, out, work, |losses, progress| {
        if losses.is_empty() {
            return Ok(());
        }
        progress.aside(|| keeper.take(&losses))
    })?;
    keeper.finish();
    count.tell("converted");
    Ok(if count.is_good() { ExitStatus::Good } else { ExitStatus::BadNews })
}

/// What is done with every envelope.
struct Converting {
    from: Option<Contract>,
    to: Contract,
    config: Config,
}

impl Converting {
    fn convert(&self, envelope: &Bytes) -> Result<Converted, NotConverted> {
        let mut settings = Settings::default();
        settings.redaction = Redaction::By(&self.config.hiding.redactor);
        let context = Context::new(uuid::Uuid::new_v4().into_bytes());
        manila::convert(envelope, self.from, self.to, &settings, &context)
    }
}

/// Why the one envelope was not converted. All that is wrong with it is told, up to a limit.
fn refuse(not: NotConverted, input: &InputArgs) -> Refusal {
    const FINDINGS_MAX: usize = 100;
    let name = input.name();
    match not {
        NotConverted::NotJson(error) => {
            let hint = match &error.problem {
                Problem::Syntax(Syntax::Trailing) => {
                    "give one envelope; for one on each line, use `--lines`".to_owned()
                }
                Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint().to_owned(),
            };
            Refusal::new(format!("{name}: {error}"), hint)
        }
        NotConverted::Unrecognised(why) => Refusal::new(format!("{name} {why}"), NAME_IT),
        NotConverted::Broken { contract, findings } => {
            let n_findings = findings.len();
            let label = visible(&input.label());
            for finding in findings.into_iter().take(FINDINGS_MAX) {
                let row = Row::of(finding, 1);
                let told = row.told(Some(Subject::Envelope(contract)));
                let (line, column) = (row.line, row.column);
                // What cannot be told changes nothing about the result.
                let _ = writeln!(anstream::stderr(), "{label}:{line}:{column}: {told}");
            }
            let violations = counted(n_findings as u64, "violation", "violations");
            let message = format!("{name} does not keep {contract}: {violations}");
            Refusal::new(message, check_it(contract, "", &input.label()))
        }
    }
}

const NAME_IT: &str = "name the contract of an envelope with `--from`; machine-readable-v1 has no \
                       mark, and is never recognised by itself";

/// The next step about an envelope that breaks its contract; `options` say how it was read.
fn check_it(contract: Contract, options: &str, label: &str) -> String {
    let file = match label {
        "-" => "FILE".to_owned(),
        label if label.chars().all(|it| it.is_alphanumeric() || "/._-+=:@,%".contains(it)) => {
            label.to_owned()
        }
        label => format!("'{}'", label.replace('\'', r"'\''")),
    };
    format!(
        "mend it and look again with `manila check --contract {contract} {options}{file}`, or name \
         another contract with `--from`"
    )
}

/// Why a line was not converted.
fn bad_line(not: NotConverted, number: u64, name: &str, label: &str) -> BadLine {
    match not {
        NotConverted::NotJson(error) => {
            let hint = match &error.problem {
                Problem::Syntax(Syntax::Trailing) => "put each envelope on a line of its own",
                Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint(),
            };
            let hint = hint.to_owned();
            let ReadError { column, .. } = error;
            let message = format!("{name}, line {number}, column {column}: {}", error.reason());
            BadLine { message, hint }
        }
        NotConverted::Unrecognised(why) => {
            let message = format!("{name}, line {number}: it {why}");
            BadLine { message, hint: NAME_IT.to_owned() }
        }
        NotConverted::Broken { contract, findings } => {
            let message = format!("{name}, {}", first_of(findings, contract, number));
            BadLine { message, hint: check_it(contract, "--lines ", label) }
        }
    }
}

/// The first of these findings, and how many more there are.
fn first_of(findings: Vec<Finding>, contract: Contract, number: u64) -> String {
    let n_more = findings.len().saturating_sub(1);
    let Some(first) = findings.into_iter().next() else {
        return format!("line {number} does not keep {contract}");
    };
    let row = Row::of(first, number);
    let told = row.told(Some(Subject::Envelope(contract)));
    let more = if n_more > 0 { format!(", and {n_more} more") } else { String::new() };
    format!("line {number}, column {}: {told}{more}", row.column)
}
