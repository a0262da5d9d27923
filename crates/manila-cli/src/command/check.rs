//! `manila check`

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::check::{Checker, UnusableTool};
use manila::{DocumentKind, Profile, RawJson};

use crate::command::schema::SCHEMA_HINT;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::parallel::run_in_order;
use crate::progress::Progress;
use crate::refusal::Refusal;

mod document;
mod files;
mod human;
mod json_lines;
mod junit;
mod report;
mod sarif;
mod walk;
mod work;

use files::{Files, ReadOptions};
use report::{Format, Reporter};

/// Check that documents conform to their contract
///
/// Manila reports each violation with line, column, clause, JSON pointer and rule. It never prints
/// the value, which may be secret.
///
///   manila check result.json
///   manila call echo --arg message=hi -- manila sample-server | manila check
///   manila check --contract machine-readable-v1 results/
///   manila check --lines --format json results.log | jq .
///   manila check 'logs/**/*.jsonl'
///
/// Manila recognises the contract of an envelope by its members, e.g. meta.version.
/// machine-readable-v1 cannot be recognised and needs --contract. Other documents can be checked
/// too:
///
///   manila check --contract request-envelope --profile mcp requests.jsonl
///   manila check --contract tool-io --tool-schema tool.json inputs.jsonl
///
/// A file holds one document. In .jsonl and .ndjson files, and in all files with --lines, each line
/// is a document. In a folder, Manila checks the .json, .jsonl and .ndjson files, counts the
/// others as skipped, and does not follow links to folders.
///
/// With --format json, each line is an object {"file", "line", "subject", "kept", "findings"}.
/// "subject" is the contract, or null if it is not recognised; "kept" is true if the document
/// conforms. Each finding has {"grade", "pointer", "line", "column", "rule", "clause", "message"},
/// where "grade" is violation or advice. Lines of a .jsonl file are listed only if they have
/// findings. The last object is {"summary": {"documents", "kept", "broken", "violations",
/// "advice", "subjects", "findings_left_out", "unreadable", "skipped"}}, where "kept" and "broken"
/// count the documents that conform and that do not.
///
/// Recommendations of a contract are reported as advice, which does not change the exit status.
///
/// Exit status: 0 all documents conform; 1 some do not; 2 something could not be read. Manila still
/// checks everything that it can read.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Files, directories and globs (`*`, `?`, `**`, `[ab]`); `-` or none is stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Contract to check against; `auto` recognises it in each document
    #[arg(long, short, value_name = "CONTRACT", default_value = "auto")]
    #[arg(value_parser = kind_or_auto())]
    contract: ExpectedKind,

    /// Profile of request-envelope [default: strict]
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    profile: Option<Profile>,

    /// Tool for tool-io: name, inputSchema, outputSchema, as in tools/list
    #[arg(long, value_name = "FILE")]
    tool_schema: Option<PathBuf>,

    /// Treat each line as a document; skip blank lines
    #[arg(long)]
    lines: bool,

    /// Report format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Findings to report; all are counted
    #[arg(long, value_name = "N", default_value_t = 1000)]
    findings_max: usize,

    /// Largest document to read, in bytes
    #[arg(long, value_name = "N", default_value_t = 256 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64 * 1024 * 1024 * 1024))]
    bytes_max: u64,
}

/// Kind of document to check for.
#[derive(Debug, Clone, Copy)]
enum ExpectedKind {
    Auto,
    One(DocumentKind),
}

fn kind_or_auto() -> impl TypedValueParser<Value = ExpectedKind> {
    let ids = ["auto"].into_iter().chain(DocumentKind::ALL.map(DocumentKind::id));
    PossibleValuesParser::new(ids).try_map(|id| match id.as_str() {
        "auto" => Ok(ExpectedKind::Auto),
        id => DocumentKind::from_id(id).map(ExpectedKind::One),
    })
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(["strict", "mcp"]).map(|name| match name.as_str() {
        "mcp" => Profile::Mcp,
        _ => Profile::Strict,
    })
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let checker = checker(args)?;
    let rows_max = args.findings_max;
    let options = ReadOptions { is_by_line: args.lines, bytes_max: args.bytes_max };
    let files = Files::find(&args.files, options);
    let mut progress = Progress::start_lazily(|| files.n_bytes());
    let mut reporter = Reporter::begin(args.format, rows_max, files.n_skipped, out)?;
    let parts = work::parts(files.found);
    let mut results = run_in_order(parts, move |part| part.check(&checker, rows_max))?;
    while let Some(checked) = results.next()? {
        reporter.take(checked, &mut progress)?;
        if results.may_wait() {
            reporter.flush()?;
        }
    }
    drop(progress);
    let total = reporter.finish()?;
    Ok(if total.n_unreadable > 0 {
        ExitStatus::Error
    } else if total.tally.n_broken > 0 {
        ExitStatus::Failure
    } else {
        ExitStatus::Success
    })
}

/// Creates the checker, and validates the options that depend on the contract.
fn checker(args: &Args) -> anyhow::Result<Checker> {
    let checker = match args.contract {
        ExpectedKind::Auto => Checker::auto(),
        ExpectedKind::One(kind) => Checker::new(kind),
    };
    let is = |kind| matches!(args.contract, ExpectedKind::One(given) if given == kind);
    let checker = match args.profile {
        None => checker,
        Some(profile) if is(DocumentKind::RequestEnvelope) => checker.profile(profile),
        Some(_) => return Err(option_needs_contract("--profile", DocumentKind::RequestEnvelope)),
    };
    match &args.tool_schema {
        Some(path) if is(DocumentKind::ToolIo) => with_tool(checker, path),
        Some(_) => Err(option_needs_contract("--tool-schema", DocumentKind::ToolIo)),
        None if is(DocumentKind::ToolIo) => {
            let message = "the contract tool-io needs --tool-schema";
            let hint = "add `--tool-schema FILE` with a tool as in tools/list";
            Err(Refusal::new(message, hint).into())
        }
        None => Ok(checker),
    }
}

fn option_needs_contract(option: &str, kind: DocumentKind) -> anyhow::Error {
    let message = format!("{option} needs the contract {kind}");
    Refusal::new(message, format!("add `--contract {kind}`, or remove {option}")).into()
}

/// Adds the schemas of the tool in this file to the checker.
fn with_tool(checker: Checker, path: &Path) -> anyhow::Result<Checker> {
    const BYTES_MAX: u64 = 16 * 1024 * 1024;
    if path == Path::new("-") {
        let message = "--tool-schema must be a file; stdin is for the documents";
        return Err(Refusal::new(message, "save the tool to a file and pass its path").into());
    }
    let input = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX);
    let name = input.name();
    let tool = RawJson::parse(input.read()?).map_err(|error| {
        Refusal::new(format!("--tool-schema {name}: {error}"), error.hint().to_owned())
    })?;
    checker.tool(&tool).map_err(|unusable| {
        let hint = match unusable {
            UnusableTool::NotATool(_) => {
                "pass one tool as in tools/list: {\"name\": ..., \"inputSchema\": {...}}"
            }
            UnusableTool::Schema(_) => SCHEMA_HINT,
        };
        Refusal::new(format!("--tool-schema {name}: {unusable}"), hint).into()
    })
}
