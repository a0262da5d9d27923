//! `manila redact`

use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use manila::RawJson;
use manila_redact::{Found, Redactor, Stream, Tally, apply};

use crate::blocks::Line;
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::progress::Progress;
use crate::refusal::Refusal;

mod report;
mod rules;
mod told;

use report::{Report, ReportFormat};

/// Hide the secrets in text and JSON: a filter for files and pipes
///
/// Passwords, tokens, keys and cookies become [REDACTED]; everything else is passed on as it
/// is, line for line, as soon as it is there:
///
///   tail -f app.log | manila redact
///   manila redact app.log > app.clean.log
///   manila redact --json events.jsonl | jq .
///
/// A file of any size needs only the memory of its lines. With --report nothing is passed on;
/// the findings are listed by rule and place, never the secret, and the exit status is 1 if there
/// are any, so that a script or a CI job can ask whether a file is clean:
///
///   manila redact --report app.log
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(rustdoc::broken_intra_doc_links, reason = "it is the mark, shown as it is written")]
pub(crate) struct Args {
    /// The files to read, one after the other; `-` is standard input, and so is no file at all
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The input is JSON: one document, or one on each line
    ///
    /// Then a secret is known by its key, escapes hide nothing, and what comes out is JSON of the
    /// same structure, with plain line ends. If the first line is a document, each line is one, and
    /// a line that is none is filtered as text. With --rules and --report it chooses JSON for what
    /// is printed.
    #[arg(long)]
    json: bool,

    /// List what would be hidden: file, line, column and rule
    #[arg(long)]
    report: bool,

    /// List the rules: name, what each protects, and what it looks for
    #[arg(long, exclusive = false, conflicts_with_all = ["files", "report"])]
    rules: bool,

    #[command(flatten)]
    config: ConfigArgs,

    /// The largest JSON document that is read, in bytes
    #[arg(long, value_name = "N", default_value_t = 1024 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64 * 1024 * 1024 * 1024))]
    bytes_max: u64,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    if args.rules {
        return rules::list(args.json, out);
    }
    let config = args.config.read()?;
    let format = if args.json { ReportFormat::Json } else { ReportFormat::Human };
    let mut sink = Sink { out, report: args.report.then(|| Report::new(format)) };
    let mut tally = Tally::default();
    let files: Vec<Option<PathBuf>> = match args.files.as_slice() {
        [] => vec![None],
        files => files.iter().cloned().map(Some).collect(),
    };
    for file in files {
        let input = InputArgs::new(file, args.bytes_max);
        let redactor = &config.hiding.redactor;
        if args.json {
            json(&input, redactor, &mut sink, &mut tally)?;
        } else {
            text(&input, redactor, &mut sink, &mut tally)?;
        }
    }
    let is_report = sink.report.is_some();
    sink.finish()?;
    told::summary(&tally, is_report);
    let is_bad = is_report && !tally.is_empty();
    Ok(if is_bad { ExitStatus::BadNews } else { ExitStatus::Good })
}

/// Where text goes, or findings.
struct Sink<'a> {
    out: &'a mut Output,
    report: Option<Report>,
}

impl Sink<'_> {
    fn put(&mut self, text: &[u8], found: &[Found], input: &InputArgs) -> anyhow::Result<()> {
        match &mut self.report {
            Some(report) => report.add(found, &input.label(), self.out),
            None => self.out.raw(text),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.report {
            Some(report) => report.finish(self.out),
            None => Ok(()),
        }
    }
}

/// Filters text as it comes.
fn text(
    input: &InputArgs,
    redactor: &Redactor,
    sink: &mut Sink<'_>,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let (mut source, size) = input.open()?;
    let mut progress = Progress::start(size);
    let mut stream = Stream::new(redactor);
    let mut piece = vec![0; 256 * 1024];
    let mut is_first = true;
    loop {
        let n_read = match source.read(&mut piece) {
            Ok(0) => break,
            Ok(n_read) => n_read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(input.unreadable(&error).into()),
        };
        let read = piece.get(..n_read).unwrap_or_default();
        if std::mem::take(&mut is_first) && matches!(read, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
            // Nothing would be found in it.
            let message = format!("{}: is UTF-16, and only UTF-8 is read", input.name());
            let hint = "convert it first: `iconv -f UTF-16 -t UTF-8 FILE | manila redact`";
            return Err(Refusal::new(message, hint).into());
        }
        let ready = stream.push(read);
        sink.put(&ready.text, &ready.found, input)?;
        progress.pass(n_read);
        // Whoever waits for a line at the other end of a pipe gets it.
        if size.is_none() {
            sink.out.flush()?;
        }
    }
    let ready = stream.finish();
    sink.put(&ready.text, &ready.found, input)?;
    tally.merge(stream.tally());
    Ok(())
}

/// Filters JSON: one document on each line, if the first line is one, or one in all.
fn json(
    input: &InputArgs,
    redactor: &Redactor,
    sink: &mut Sink<'_>,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let mut lines = input.lines()?;
    let mut whole = Vec::new();
    let mut n_others = 0u64;
    // The first line that says something decides whether each line is a document.
    let mut is_decided = false;
    while let Some(Line { number, text }) = lines.next()? {
        let Some(text) = text else { return Err(input.too_large().into()) };
        let is_blank = text.trim_ascii().is_empty();
        let is_json = is_blank || RawJson::parse(text.clone()).is_ok();
        if (!is_decided && !is_json) || !whole.is_empty() {
            whole.extend_from_slice(&text);
            whole.push(b'\n');
            if whole.len() as u64 > input.bytes_max() {
                return Err(input.too_large().into());
            }
            continue;
        }
        is_decided |= !is_blank;
        n_others += u64::from(!is_json);
        let edits = if is_json { redactor.json(&text) } else { redactor.text(&text) };
        tally.add(&edits);
        let found = manila_redact::places(&text, &edits, number);
        let mut hidden = apply(&text, &edits);
        hidden.push(b'\n');
        sink.put(&hidden, &found, input)?;
        if lines.may_wait() {
            sink.out.flush()?;
        }
    }
    if !whole.is_empty() {
        let document = RawJson::parse(whole.clone()).map_err(|error| {
            let message = format!("{}: {error}", input.name());
            Refusal::new(message, "without `--json` it is filtered as text")
        });
        document?;
        let edits = redactor.json(&whole);
        tally.add(&edits);
        let found = manila_redact::places(&whole, &edits, 1);
        sink.put(&apply(&whole, &edits), &found, input)?;
    }
    told::others(n_others);
    Ok(())
}
