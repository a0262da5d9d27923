//! `manila log`

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use manila_gateway::{Config, journal};

use super::serve;
use crate::clock;
use crate::config::without_servers;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::refusal::{Refusal, note};
use crate::words::counted;

mod entry;
mod follow;
mod human;
mod summary;
mod wanted;

use entry::Entry;
use follow::Follower;
use human::Colours;
use summary::Summary;
use wanted::{Wanted, WantedArgs};

/// Lines of the journal are far shorter; a longer one is none of it.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// Read the journal: what became of every request
///
/// The gateway writes one line of JSON for each request: when, how it came, the tool, how long it
/// took, sizes, and the failure's code. Without FILE all files of the journal are read, the oldest
/// first: those in mcp_server below journal.folder of the configuration, or else below
/// $MANILA_HOME/runs, where MANILA_HOME is ./.manila unless it is set. --follow begins with the
/// latest.
///
/// For people, each line has: time (UTC), status, tool or method, duration, size of the request
/// and of the answer, and what went wrong. With --json the lines come as they are, for jq.
///
/// Examples:
///   manila log --follow                        watch what happens, until Ctrl-C
///   manila log --status failed --since 1h      what failed in the last hour
///   manila log --tool search --json | jq .durationMs
///   manila log --summary                       which codes, how often; which tools are slow
///   zcat old.jsonl.gz | manila log --summary -
///
/// Lines that cannot be read are counted and told on standard error; they stop nothing.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The journal to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The configuration that says where the journal is; ./manila.toml if it is there
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    config: Option<PathBuf>,

    /// Wait for more, also in the next file when one is full, until Ctrl-C
    #[arg(long, short, conflicts_with = "summary")]
    follow: bool,

    #[command(flatten)]
    wanted: WantedArgs,

    /// Print JSON: the lines as they are, or the summary
    #[arg(long)]
    json: bool,

    /// Count instead: calls, failures by code, and the slowest tools
    #[arg(long)]
    summary: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let form = match (args.summary, args.json) {
        (true, true) => Form::Numbers(Summary::default()),
        (true, false) => Form::Table(Summary::default()),
        (false, true) => Form::Json,
        (false, false) => Form::Human(Colours::of(out)),
    };
    let wanted = args.wanted.seen_from(clock::moment());
    let mut report = Report { wanted, form, n_lines: 0, n_told: 0, n_broken: 0, out };
    match &args.file {
        // Standard input and pipes are followed by reading them.
        Some(path) if args.follow && path.is_file() => follow(path, &mut report)?,
        Some(path) => read(path, &mut report)?,
        None if args.follow => follow(&journal::latest(&folder(args)?), &mut report)?,
        None => read_all(&folder(args)?, &mut report)?,
    }
    report.finish()?;
    Ok(ExitStatus::Good)
}

/// Where the journal is kept.
fn folder(args: &Args) -> anyhow::Result<PathBuf> {
    let config = match (&args.config, serve::usual_file()) {
        (Some(path), _) => without_servers(path)?,
        (None, Some(path)) => without_servers(&path).unwrap_or_else(|error| {
            note(&format!("the journal is looked for where it usually is: {error}"));
            Config::default()
        }),
        (None, None) => Config::default(),
    };
    Ok(serve::journal_folder(&config.journal))
}

/// Tells the lines of all files of a journal, the oldest first.
fn read_all(folder: &Path, report: &mut Report<'_>) -> anyhow::Result<()> {
    let files = match journal::kept(folder) {
        Ok(files) if !files.is_empty() => files,
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let message = format!("cannot read the journal in `{}`: {error}", folder.display());
            return Err(Refusal::new(message, "check the folder, and who may read it").into());
        }
        Ok(_) | Err(_) => return Err(missing(folder).into()),
    };
    // Whoever writes may have removed the oldest by now.
    files.iter().filter(|path| path.exists()).try_for_each(|path| read(path, report))
}

fn missing(folder: &Path) -> Refusal {
    Refusal::new(
        format!("there is no journal in `{}`", folder.display()),
        "it begins with the first request through `manila serve` with a configuration; set \
         MANILA_HOME or --config if it is elsewhere, or give a FILE",
    )
}

/// Tells all lines of an input; those of a pipe as they come.
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

/// Tells all lines of a file and those that are added, until Ctrl-C.
fn follow(path: &Path, report: &mut Report<'_>) -> anyhow::Result<()> {
    if path.exists() {
        // Says why it cannot be read, if so.
        input(path).open()?;
    } else {
        note(&format!("waiting for the journal to begin at `{}`", path.display()));
    }
    let mut follower = Follower::new(path.to_path_buf(), LINE_BYTES_MAX);
    follow::until_interrupted(|| {
        follower.read(|line| report.line(line))?;
        report.out.flush()
    })
}

/// How lines are told.
enum Form {
    Human(Colours),
    Json,
    Table(Summary),
    Numbers(Summary),
}

/// What is told of a journal, and what was seen so far.
struct Report<'a> {
    wanted: Wanted,
    form: Form,
    n_lines: u64,
    n_told: u64,
    n_broken: u64,
    out: &'a mut Output,
}

impl Report<'_> {
    /// Takes a line; `None` is one that is too long.
    fn line(&mut self, line: Option<&[u8]>) -> anyhow::Result<()> {
        if line.is_some_and(|line| line.trim_ascii().is_empty()) {
            return Ok(());
        }
        self.n_lines += 1;
        let Some((line, entry)) = line.and_then(|line| Some((line, Entry::read(line)?))) else {
            self.n_broken += 1;
            return Ok(());
        };
        if !self.wanted.has(&entry) {
            return Ok(());
        }
        self.n_told += 1;
        match &mut self.form {
            Form::Human(colours) => self.out.line(human::told(&entry, *colours).as_bytes()),
            Form::Json => self.out.line(line),
            Form::Table(summary) | Form::Numbers(summary) => {
                summary.add(entry);
                Ok(())
            }
        }
    }

    /// Tells the summary, and what there is to say beside the lines.
    fn finish(self) -> anyhow::Result<()> {
        let Report { form, n_lines, n_told, n_broken, out, .. } = self;
        match form {
            Form::Human(_) | Form::Json => {}
            Form::Table(summary) => out.line(summary.told().table().as_bytes())?,
            Form::Numbers(summary) => out.line(&serde_json::to_vec_pretty(&summary.told())?)?,
        }
        out.flush()?;
        let n_read = n_lines - n_broken;
        if n_told == 0 && n_read > 0 {
            note(&format!("none of {} is what was asked for", counted(n_read, "line", "lines")));
        }
        if n_broken > 0 {
            let lines = counted(n_broken, "line", "lines");
            note(&format!("{lines} could not be read, and {} left out", be(n_broken)));
        }
        Ok(())
    }
}

fn be(n: u64) -> &'static str {
    if n == 1 { "was" } else { "were" }
}
