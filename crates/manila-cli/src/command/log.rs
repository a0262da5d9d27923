//! `manila log`

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use manila_gateway::{Config, journal};

use super::serve;
use crate::clock;
use crate::config::read_without_servers;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::plural::pluralize;
use crate::refusal::{Refusal, print_note};

mod entry;
mod filter;
mod follow;
mod human;
mod summary;

use entry::Entry;
use filter::{Filter, FilterArgs};
use follow::Follower;
use human::Colours;
use summary::Summary;

/// The journal's lines are far shorter; a longer line is not one of them.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// Read the journal of requests
///
/// The gateway writes one JSON line for each request: time, transport, tool, duration, sizes and
/// failure code. Without FILE, `manila log` reads all files of the journal, oldest first. The
/// journal is in the folder mcp_server, inside journal.folder of the configuration. Without that
/// key it is inside $MANILA_HOME/runs; MANILA_HOME defaults to ./.manila.
///
/// Each printed line has: time (UTC), status, tool or method, duration, request size, response size
/// and the error. --json prints the journal's lines unchanged, for jq.
///
/// Examples:
///   manila log --follow                        follow the journal until Ctrl-C
///   manila log --status failed --since 1h      failures of the last hour
///   manila log --tool search --json | jq .durationMs
///   manila log --summary                       counts by code, and the slowest tools
///   zcat old.jsonl.gz | manila log --summary -
///
/// Manila skips lines that it cannot read and reports their number on stderr.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Journal file to read; `-` is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Configuration with the journal's folder [default: ./manila.toml if it exists]
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    config: Option<PathBuf>,

    /// Start with the latest file and wait for new lines until Ctrl-C
    #[arg(long, short, conflicts_with = "summary")]
    follow: bool,

    #[command(flatten)]
    filter: FilterArgs,

    /// Print the journal's lines, or the summary, as JSON
    #[arg(long)]
    json: bool,

    /// Print counts: calls, failures by code, and the slowest tools
    #[arg(long)]
    summary: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let format = match (args.summary, args.json) {
        (true, true) => OutputFormat::Numbers(Summary::default()),
        (true, false) => OutputFormat::Table(Summary::default()),
        (false, true) => OutputFormat::Json,
        (false, false) => OutputFormat::Human(Colours::of(out)),
    };
    let filter = args.filter.resolve(clock::timestamp());
    let mut report = Report { filter, format, n_lines: 0, n_printed: 0, n_broken: 0, out };
    match &args.file {
        // Reading stdin or a pipe already follows it.
        Some(path) if args.follow && path.is_file() => follow(path, &mut report)?,
        Some(path) => read(path, &mut report)?,
        None if args.follow => follow(&journal::latest(&folder(args)?), &mut report)?,
        None => read_all(&folder(args)?, &mut report)?,
    }
    report.finish()?;
    Ok(ExitStatus::Success)
}

/// Returns the journal's folder.
fn folder(args: &Args) -> anyhow::Result<PathBuf> {
    let config = match (&args.config, serve::default_file()) {
        (Some(path), _) => read_without_servers(path)?,
        (None, Some(path)) => read_without_servers(&path).unwrap_or_else(|error| {
            print_note(&format!(
                "cannot read the configuration, so the journal's default folder is used: {error}"
            ));
            Config::default()
        }),
        (None, None) => Config::default(),
    };
    let folder = serve::journal_folder(&config.journal);
    if config.journal.files_max == 0 && !args.follow && !folder.exists() {
        let hint = "set journal.files_max in manila.toml, or pass a FILE";
        return Err(Refusal::new("the journal is disabled", hint).into());
    }
    Ok(folder)
}

/// Reports the lines of all files of a journal, oldest first.
fn read_all(folder: &Path, report: &mut Report<'_>) -> anyhow::Result<()> {
    let files = match journal::list_files(folder) {
        Ok(files) if !files.is_empty() => files,
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let message = format!("cannot read the journal in `{}`: {error}", folder.display());
            return Err(Refusal::new(message, "check the folder and its permissions").into());
        }
        Ok(_) | Err(_) => return Err(missing_journal(folder).into()),
    };
    // The gateway may have removed the oldest file in the meantime.
    files.iter().filter(|path| path.exists()).try_for_each(|path| read(path, report))
}

fn missing_journal(folder: &Path) -> Refusal {
    Refusal::new(
        format!("there is no journal in `{}`", folder.display()),
        "`manila serve` with a configuration creates it on the first request; if it \
         is elsewhere, set MANILA_HOME, or pass --config or a FILE",
    )
}

/// Reports all lines of an input, and those of a pipe as they arrive.
fn read(path: &Path, report: &mut Report<'_>) -> anyhow::Result<()> {
    let mut lines = input(path).lines()?;
    loop {
        if lines.may_wait() {
            report.out.flush()?;
        }
        let Some(line) = lines.next()? else { return Ok(()) };
        report.line(line.text.as_deref())?;
    }
}

fn input(path: &Path) -> InputArgs {
    InputArgs::new(Some(path.to_path_buf()), LINE_BYTES_MAX)
}

/// Reports all lines of a file and those appended to it, until Ctrl-C.
fn follow(path: &Path, report: &mut Report<'_>) -> anyhow::Result<()> {
    if path.exists() {
        // Fails with a reason if the file cannot be read.
        input(path).open()?;
    } else {
        print_note(&format!("waiting for the journal `{}`", path.display()));
    }
    let mut follower = Follower::new(path.to_path_buf(), LINE_BYTES_MAX);
    follow::follow_until_interrupted(|| {
        follower.read(|line| report.line(line))?;
        report.out.flush()
    })
}

/// Output format of lines.
enum OutputFormat {
    Human(Colours),
    Json,
    Table(Summary),
    Numbers(Summary),
}

/// Writes the report, and counts lines.
struct Report<'a> {
    filter: Filter,
    format: OutputFormat,
    n_lines: u64,
    n_printed: u64,
    n_broken: u64,
    out: &'a mut Output,
}

impl Report<'_> {
    /// Processes a line; `None` is a line that is too long.
    fn line(&mut self, line: Option<&[u8]>) -> anyhow::Result<()> {
        if line.is_some_and(|line| line.trim_ascii().is_empty()) {
            return Ok(());
        }
        self.n_lines += 1;
        let Some((line, entry)) = line.and_then(|line| Some((line, Entry::read(line)?))) else {
            self.n_broken += 1;
            return Ok(());
        };
        if !self.filter.matches(&entry) {
            return Ok(());
        }
        self.n_printed += 1;
        match &mut self.format {
            OutputFormat::Human(colours) => {
                self.out.line(human::format_entry(&entry, *colours).as_bytes())
            }
            OutputFormat::Json => self.out.line(line),
            OutputFormat::Table(summary) | OutputFormat::Numbers(summary) => {
                summary.add(entry);
                Ok(())
            }
        }
    }

    /// Prints the summary and the notes.
    fn finish(self) -> anyhow::Result<()> {
        let Report { format, n_lines, n_printed, n_broken, out, .. } = self;
        match format {
            OutputFormat::Human(_) | OutputFormat::Json => {}
            OutputFormat::Table(summary) => out.line(summary.into_totals().table().as_bytes())?,
            OutputFormat::Numbers(summary) => {
                out.line(&serde_json::to_vec_pretty(&summary.into_totals())?)?;
            }
        }
        out.flush()?;
        let n_read = n_lines - n_broken;
        if n_printed == 0 && n_read > 0 {
            print_note(&format!(
                "no line matches the filter ({} read)",
                pluralize(n_read, "line", "lines")
            ));
        }
        if n_broken > 0 {
            let lines = pluralize(n_broken, "line", "lines");
            print_note(&format!("{lines} could not be read and {} skipped", was_or_were(n_broken)));
        }
        Ok(())
    }
}

fn was_or_were(n: u64) -> &'static str {
    if n == 1 { "was" } else { "were" }
}
