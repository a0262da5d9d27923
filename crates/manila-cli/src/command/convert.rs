//! `manila convert`

use std::io::Write;
use std::path::PathBuf;

use bytes::Bytes;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::check::Finding;
use manila::pipeline::{Redaction, Settings};
use manila::{
    Context, Contract, ConvertError, Converted, DocumentKind, Problem, ReadError, Syntax,
};
use manila_gateway::Config;

use crate::command::contracts::one_contract;
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::jsonl::{BadLine, map_lines};
use crate::output::{LayoutArgs, Output};
use crate::plural::pluralize;
use crate::refusal::{Refusal, visible};
use crate::row::Row;

mod losses;

use losses::{LossSink, Losses};

/// Convert an envelope from one contract to another
///
/// Manila reads and writes every contract. It reports on stderr what the target contract cannot
/// carry.
///
///   manila convert --to envelope-v1 envelope.json
///   manila seal examples/security_scan.json | manila convert --to machine-readable-v1 --pretty
///   manila convert --from machine-readable-v1 --to response-v2 result.json
///   manila convert --to mcp.envelope.v0.1 --lines --losses lost.jsonl envelopes.jsonl > new.jsonl
///
/// Manila recognises the contract of an envelope by its members, e.g. meta.version.
/// machine-readable-v1 cannot be recognised and needs --from. Manila does not convert an envelope
/// that breaks its contract, and reports the violations as `manila check` does. Secrets are
/// redacted. If the target contract requires a request id and the envelope has none, Manila
/// generates one.
///
/// Exit status: 0 converted, even with losses; 1 some lines could not be converted (--lines); 2 the
/// input could not be converted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Contract to convert to
    #[arg(long, value_name = "CONTRACT", value_parser = one_contract())]
    to: Contract,

    /// Contract to convert from; `auto` recognises it in the envelope
    #[arg(long, value_name = "CONTRACT", default_value = "auto", value_parser = one_or_auto())]
    from: From,

    /// Convert each line of the input
    ///
    /// The output has one line for each input line, in the same order. A line that cannot be
    /// converted becomes an empty line and makes the exit status 1; stderr has the number and
    /// reason of the first 1000 such lines. Blank lines stay blank. Each kind of loss is reported
    /// once, with its count.
    #[arg(long, conflicts_with = "pretty")]
    lines: bool,

    /// Write losses to this file instead of stderr
    ///
    /// Each line is an object for one envelope with losses: {"line", "from", "to", "losses":
    /// [{"what", "why"}]}. "line" is present only with --lines. An existing file is overwritten.
    /// `-` is refused, because stdout is for envelopes.
    #[arg(long, value_name = "FILE")]
    losses: Option<PathBuf>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    #[command(flatten)]
    input: InputArgs,
}

/// Contract of the input.
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
    let converter = Converter {
        from: match args.from {
            From::Auto => None,
            From::One(contract) => Some(contract),
        },
        to: args.to,
        config: args.config.read()?,
    };
    let mut sink = LossSink::new(args)?;
    if args.lines {
        return convert_lines(converter, &args.input, sink, out);
    }
    let result = converter.convert(&args.input.read()?);
    let conversion = result.map_err(|error| refuse(error, &args.input))?;
    let mut losses = Losses::default();
    losses.add(None, &conversion, sink.kind(), args.to);
    sink.take(&losses)?;
    out.json(&conversion.reply.envelope, args.layout.layout(out))?;
    Ok(ExitStatus::Success)
}

fn convert_lines(
    converter: Converter,
    input: &InputArgs,
    mut sink: LossSink,
    out: &mut Output,
) -> anyhow::Result<ExitStatus> {
    let (name, label, kind) = (input.name(), input.label(), sink.kind());
    let work = move |number, text, losses: &mut Losses| match converter.convert(&text) {
        Ok(conversion) => {
            losses.add(Some(number), &conversion, kind, converter.to);
            Ok(conversion.reply.envelope)
        }
        Err(error) => Err(bad_line(error, number, &name, &label)),
    };
    let count = map_lines(input, out, work, |losses, progress| {
        if losses.is_empty() {
            return Ok(());
        }
        progress.suspend(|| sink.take(&losses))
    })?;
    sink.finish();
    count.report("converted");
    Ok(if count.is_good() { ExitStatus::Success } else { ExitStatus::Failure })
}

/// Converts envelopes between contracts.
struct Converter {
    from: Option<Contract>,
    to: Contract,
    config: Config,
}

impl Converter {
    fn convert(&self, envelope: &Bytes) -> Result<Converted, ConvertError> {
        let mut settings = Settings::default();
        settings.redaction = Redaction::Custom(&self.config.redaction.redactor);
        let context = Context::new(uuid::Uuid::new_v4().into_bytes());
        manila::convert(envelope, self.from, self.to, &settings, &context)
    }
}

/// Returns the refusal for a single envelope, and prints its violations up to a limit.
fn refuse(error: ConvertError, input: &InputArgs) -> Refusal {
    const FINDINGS_MAX: usize = 100;
    let name = input.name();
    match error {
        ConvertError::NotJson(error) => {
            let hint = match &error.problem {
                Problem::Syntax(Syntax::Trailing) => {
                    "pass one envelope; for one on each line, use `--lines`".to_owned()
                }
                Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint().to_owned(),
            };
            Refusal::new(format!("{name}: {error}"), hint)
        }
        ConvertError::Unrecognised(why) => Refusal::new(format!("{name} {why}"), FROM_HINT),
        ConvertError::Broken { contract, findings } => {
            let n_findings = findings.len();
            let label = visible(&input.label());
            for finding in findings.into_iter().take(FINDINGS_MAX) {
                let row = Row::of(finding, 1);
                let description = row.describe(Some(DocumentKind::Envelope(contract)));
                let (line, column) = (row.line, row.column);
                // A failed write to stderr does not change the result.
                let _ = writeln!(anstream::stderr(), "{label}:{line}:{column}: {description}");
            }
            let violations = pluralize(n_findings as u64, "violation", "violations");
            let message = format!("{name} does not conform to {contract}: {violations}");
            Refusal::new(message, check_hint(contract, "", &input.label()))
        }
    }
}

const FROM_HINT: &str = "name the envelope's contract with `--from`; machine-readable-v1 is \
                         never recognised";

/// Returns the hint for an envelope that breaks its contract; `options` are the options of `manila
/// check` for this input.
fn check_hint(contract: Contract, options: &str, label: &str) -> String {
    let file = match label {
        "-" => "FILE".to_owned(),
        label if label.chars().all(|it| it.is_alphanumeric() || "/._-+=:@,%".contains(it)) => {
            label.to_owned()
        }
        label => format!("'{}'", label.replace('\'', r"'\''")),
    };
    format!(
        "fix it and check it with `manila check --contract {contract} {options}{file}`, or name \
         another contract with `--from`"
    )
}

/// Returns the error for a line that was not converted.
fn bad_line(error: ConvertError, number: u64, name: &str, label: &str) -> BadLine {
    match error {
        ConvertError::NotJson(error) => {
            let hint = match &error.problem {
                Problem::Syntax(Syntax::Trailing) => "put each envelope on its own line",
                Problem::Syntax(_) | Problem::Rule { .. } | _ => error.hint(),
            };
            let hint = hint.to_owned();
            let ReadError { column, .. } = error;
            let message = format!("{name}, line {number}, column {column}: {}", error.reason());
            BadLine { message, hint }
        }
        ConvertError::Unrecognised(why) => {
            let message = format!("{name}, line {number} {why}");
            BadLine { message, hint: FROM_HINT.to_owned() }
        }
        ConvertError::Broken { contract, findings } => {
            let message = format!("{name}, {}", describe_first(findings, contract, number));
            BadLine { message, hint: check_hint(contract, "--lines ", label) }
        }
    }
}

/// Describes the first finding and counts the others.
fn describe_first(findings: Vec<Finding>, contract: Contract, number: u64) -> String {
    let n_more = findings.len().saturating_sub(1);
    let Some(first) = findings.into_iter().next() else {
        return format!("line {number} does not conform to {contract}");
    };
    let row = Row::of(first, number);
    let description = row.describe(Some(DocumentKind::Envelope(contract)));
    let more = if n_more > 0 { format!(", and {n_more} more") } else { String::new() };
    format!("line {number}, column {}: {description}{more}", row.column)
}
