//! `manila check`

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::check::{Checker, UnusableTool};
use manila::{Profile, RawJson, Subject};

use crate::command::schema::SCHEMA_HINT;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::parallel::in_order;
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

use files::{Files, How};
use report::{Format, Reporter};

/// Check whether documents keep their contract
///
/// Each violation is told with its line, column, clause, JSON pointer and rule; never with a
/// value, which may be secret:
///
///   manila check answer.json
///   manila call echo --arg message=hi -- manila sample-server | manila check
///   manila check --contract machine-readable-v1 results/
///   manila check --lines --format json answers.log | jq .
///   manila check 'logs/**/*.jsonl'
///
/// An envelope says by itself which contract it has, except in machine-readable-v1, which has no
/// mark: name that one with --contract. Not only envelopes can be checked:
///
///   manila check --contract request-envelope --profile mcp requests.jsonl
///   manila check --contract tool-io --tool-schema tool.json inputs.jsonl
///
/// A file is one document; of a .jsonl or .ndjson file, or of any with --lines, each line is one.
/// A directory is walked for .json, .jsonl and .ndjson files; other files are skipped and counted,
/// and links to directories are not followed. All cores work; the report has the order of the
/// files.
///
/// With --format json each line is an object: {"file", "line", "subject", "kept", "findings"},
/// with "findings" of {"grade", "pointer", "line", "column", "rule", "clause", "message"}. A file
/// that is one document is always listed; of a file of lines, only those lines about which there is
/// something to say, with their "line". The last object is {"summary": {"documents", "kept",
/// "broken", "violations", "advice", "subjects", "findings_left_out", "unreadable", "skipped"}}.
///
/// What a contract only recommends is told as advice.
/// Exit status: 0 all documents keep their contract, whatever the advice; 1 some do not; 2 it could
/// not be done, or something could not be read. What can be read is checked all the same.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The files, directories and patterns (`*`, `?`, `**`, `[ab]`); `-` is standard input, and so
    /// is no file at all
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// What the documents must be; `auto` goes by the mark that each of them has
    #[arg(long, short, value_name = "CONTRACT", default_value = "auto")]
    #[arg(value_parser = subject_or_auto())]
    contract: Wanted,

    /// How strict request-envelope is: as its document says (the default), or as MCP has it
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    profile: Option<Profile>,

    /// The tool whose tool-io is checked, as tools/list gives it: name, inputSchema, outputSchema
    #[arg(long, value_name = "FILE")]
    tool_schema: Option<PathBuf>,

    /// Each line of every file is a document; blank lines are skipped
    #[arg(long)]
    lines: bool,

    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// How many findings are told; all of them are counted
    #[arg(long, value_name = "N", default_value_t = 1000)]
    findings_max: usize,

    /// The largest document that is read, in bytes
    #[arg(long, value_name = "N", default_value_t = 256 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64 * 1024 * 1024 * 1024))]
    bytes_max: u64,
}

/// What the documents must be.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Auto,
    One(Subject),
}

fn subject_or_auto() -> impl TypedValueParser<Value = Wanted> {
    let ids = ["auto"].into_iter().chain(Subject::ALL.map(Subject::id));
    PossibleValuesParser::new(ids).try_map(|id| match id.as_str() {
        "auto" => Ok(Wanted::Auto),
        id => Subject::from_id(id).map(Wanted::One),
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
    let how = How { is_by_line: args.lines, bytes_max: args.bytes_max };
    let files = Files::find(&args.files, how);
    let mut progress = Progress::beside(|| files.n_bytes());
    let mut reporter = Reporter::begin(args.format, rows_max, files.n_skipped, out)?;
    let parts = work::parts(files.found);
    let mut results = in_order(parts, move |part| part.check(&checker, rows_max))?;
    while let Some(checked) = results.next()? {
        reporter.take(checked, &mut progress)?;
        if results.may_wait() {
            reporter.flush()?;
        }
    }
    drop(progress);
    let total = reporter.finish()?;
    Ok(if total.n_unreadable > 0 {
        ExitStatus::CouldNot
    } else if total.tally.n_broken > 0 {
        ExitStatus::BadNews
    } else {
        ExitStatus::Good
    })
}

fn checker(args: &Args) -> anyhow::Result<Checker> {
    let checker = match args.contract {
        Wanted::Auto => Checker::auto(),
        Wanted::One(subject) => Checker::new(subject),
    };
    let is = |subject| matches!(args.contract, Wanted::One(wanted) if wanted == subject);
    let checker = match args.profile {
        None => checker,
        Some(profile) if is(Subject::RequestEnvelope) => checker.profile(profile),
        Some(_) => return Err(only_with("--profile", Subject::RequestEnvelope)),
    };
    match &args.tool_schema {
        Some(path) if is(Subject::ToolIo) => with_tool(checker, path),
        Some(_) => Err(only_with("--tool-schema", Subject::ToolIo)),
        None if is(Subject::ToolIo) => {
            let message = "tool-io is checked against a tool's schemas, and none are given";
            let hint = "add `--tool-schema FILE`: a tool as tools/list gives it";
            Err(Refusal::new(message, hint).into())
        }
        None => Ok(checker),
    }
}

fn only_with(option: &str, subject: Subject) -> anyhow::Error {
    let message = format!("{option} is for {subject}, and that is not what is checked");
    Refusal::new(message, format!("add `--contract {subject}`, or leave {option} out")).into()
}

fn with_tool(checker: Checker, path: &Path) -> anyhow::Result<Checker> {
    const BYTES_MAX: u64 = 16 * 1024 * 1024;
    if path == Path::new("-") {
        let message = "--tool-schema wants a file: standard input is for the documents";
        return Err(Refusal::new(message, "write the tool into a file, and name that").into());
    }
    let input = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX);
    let name = input.name();
    let tool = RawJson::parse(input.read()?).map_err(|error| {
        Refusal::new(format!("--tool-schema {name}: {error}"), error.hint().to_owned())
    })?;
    checker.tool(&tool).map_err(|unusable| {
        let hint = match unusable {
            UnusableTool::NoTool(_) => {
                "give one tool as tools/list has it: {\"name\": ..., \"inputSchema\": {...}}"
            }
            UnusableTool::Schema(_) => SCHEMA_HINT,
        };
        Refusal::new(format!("--tool-schema {name}: {unusable}"), hint).into()
    })
}
