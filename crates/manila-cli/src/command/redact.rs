//! `manila redact`

use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use manila::RawJson;
use manila_redact::{LocatedFinding, Redactor, Stream, Tally, apply};

use crate::blocks::Line;
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::progress::Progress;
use crate::refusal::Refusal;

mod encoding;
mod notes;
mod report;
mod rules;

use encoding::WideTextDetector;
use report::{Report, ReportFormat};

/// Redact secrets in text and JSON, as a filter for files and pipes
///
/// Manila replaces passwords, tokens, keys and cookies with [REDACTED] and copies everything else.
/// It processes input line by line and writes each line as soon as it can.
///
///   tail -f app.log | manila redact
///   manila redact app.log > app.clean.log
///   manila redact --json events.jsonl | jq .
///
/// With --report, Manila prints no text. It lists the rule and position of each secret, never the
/// secret itself, and exits with status 1 if there is one:
///
///   manila redact --report app.log
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(rustdoc::broken_intra_doc_links, reason = "it is the mark, not a link")]
pub(crate) struct Args {
    /// Files to read, in order; `-` or none is stdin
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Treat the input as JSON: one document, or one per line
    ///
    /// Manila then also finds secrets by their keys and inside escaped strings, and the output is
    /// valid JSON of the same structure. If the first line is a document, each line is treated as
    /// one; a line that is not JSON is filtered as text. With --rules or --report, Manila prints
    /// JSON, and --report also searches text that is not JSON.
    #[arg(long)]
    json: bool,

    /// List file, line, column and rule of each secret
    #[arg(long)]
    report: bool,

    /// List the rules with their descriptions and patterns
    #[arg(long, exclusive = false, conflicts_with_all = ["files", "report"])]
    rules: bool,

    #[command(flatten)]
    config: ConfigArgs,

    /// Largest JSON document to read, in bytes
    #[arg(long, value_name = "N", default_value_t = 1024 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64 * 1024 * 1024 * 1024))]
    bytes_max: u64,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    if args.rules {
        return rules::list(args.json, out);
    }
    let config = args.config.read()?;
    let format = if args.json { ReportFormat::Json } else { ReportFormat::Text };
    let mut sink = Sink { out, report: args.report.then(|| Report::new(format)) };
    let mut tally = Tally::default();
    let files: Vec<Option<PathBuf>> = match args.files.as_slice() {
        [] => vec![None],
        files => files.iter().cloned().map(Some).collect(),
    };
    for file in files {
        let input = InputArgs::new(file, args.bytes_max);
        let redactor = &config.redaction.redactor;
        if args.json {
            json(&input, redactor, &mut sink, &mut tally)?;
        } else {
            text(&input, redactor, &mut sink, &mut tally)?;
        }
    }
    let is_report = sink.report.is_some();
    sink.finish()?;
    notes::print_summary(&tally, is_report);
    let is_bad = is_report && !tally.is_empty();
    Ok(if is_bad { ExitStatus::Failure } else { ExitStatus::Success })
}

/// Destination of filtered text or findings.
struct Sink<'a> {
    out: &'a mut Output,
    report: Option<Report>,
}

impl Sink<'_> {
    /// Writes the text, or adds the findings to the report.
    fn put(
        &mut self,
        text: &[u8],
        found: &[LocatedFinding],
        input: &InputArgs,
    ) -> anyhow::Result<()> {
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

/// Filters text as it arrives.
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
    let mut detector = WideTextDetector::default();
    // The number of bytes at the start of `piece` that the detector has read, but not decided.
    let mut n_held = 0;
    loop {
        let n_read = match source.read(piece.get_mut(n_held..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(n_read) => n_read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(input.unreadable(&error).into()),
        };
        let n_filled = n_held + n_read;
        refuse_wide_text(&mut detector, piece.get(n_held..n_filled).unwrap_or_default(), input)?;
        let n_decided = n_filled.saturating_sub(detector.n_undecided());
        let ready = stream.push(piece.get(..n_decided).unwrap_or_default());
        piece.copy_within(n_decided..n_filled, 0);
        n_held = n_filled - n_decided;
        sink.put(&ready.text, &ready.findings, input)?;
        progress.advance(n_read);
        // A reader of a pipe may wait for this line.
        if size.is_none() {
            sink.out.flush()?;
        }
    }
    for ready in [stream.push(piece.get(..n_held).unwrap_or_default()), stream.finish()] {
        sink.put(&ready.text, &ready.findings, input)?;
    }
    tally.merge(stream.tally());
    Ok(())
}

/// Refuses UTF-16 and UTF-32, in which the rules would find nothing.
fn refuse_wide_text(
    detector: &mut WideTextDetector,
    text: &[u8],
    input: &InputArgs,
) -> Result<(), Refusal> {
    let Some(found) = detector.read(text) else { return Ok(()) };
    let (input, encoding) = (input.name(), found.name());
    let message = format!("{input} has text in {encoding}; only UTF-8 is supported");
    let hint = format!(
        "convert it first: `iconv -f {encoding}LE -t UTF-8 FILE | manila redact`; big-endian text \
         is {encoding}BE"
    );
    Err(Refusal::new(message, hint))
}

/// Filters JSON: one document on each line if the first line is one, otherwise a single document.
fn json(
    input: &InputArgs,
    redactor: &Redactor,
    sink: &mut Sink<'_>,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let mut lines = input.lines()?;
    let mut document = Vec::new();
    let mut n_not_json = 0u64;
    let (mut detector, mut first_line) = (WideTextDetector::default(), 1);
    // The first line that is not blank decides whether each line is a document.
    let mut is_decided = false;
    while let Some(Line { number, text }) = lines.next()? {
        let Some(text) = text else { return Err(input.too_large().into()) };
        refuse_wide_text(&mut detector, &text, input)?;
        let is_blank = text.trim_ascii().is_empty();
        let is_json = is_blank || RawJson::parse(text.clone()).is_ok();
        if (!is_decided && !is_json) || !document.is_empty() {
            first_line = if document.is_empty() { number } else { first_line };
            document.extend_from_slice(&text);
            document.push(b'\n');
            if document.len() as u64 > input.bytes_max() {
                return Err(input.too_large().into());
            }
            continue;
        }
        is_decided |= !is_blank;
        n_not_json += u64::from(!is_json);
        let edits = if is_json { redactor.json(&text) } else { redactor.text(&text) };
        tally.add(&edits);
        let found = manila_redact::locate(&text, &edits, number);
        let mut redacted = apply(&text, &edits);
        redacted.push(b'\n');
        sink.put(&redacted, &found, input)?;
        if lines.may_wait() {
            sink.out.flush()?;
        }
    }
    if !document.is_empty() {
        let parsed = RawJson::parse(document.clone());
        let edits = match parsed {
            Ok(_) => redactor.json(&document),
            // A report is JSON whatever the input is.
            Err(_) if sink.report.is_some() => {
                notes::print_searched_as_text(&input.name());
                redactor.text(&document)
            }
            Err(error) => {
                let message = format!("{}: {error}", input.name());
                return Err(Refusal::new(message, "remove `--json` to filter it as text").into());
            }
        };
        tally.add(&edits);
        let found = manila_redact::locate(&document, &edits, first_line);
        sink.put(&apply(&document, &edits), &found, input)?;
    }
    notes::print_not_json(n_not_json);
    Ok(())
}
