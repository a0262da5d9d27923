use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use manila::Code;
use manila_gateway::journal::JournalEvent;
use manila_gateway::{Consent, Event, Revision, tracing_events};
use serde_json::Value;
use tracing::span::{Attributes, Id};
use tracing::subscriber::with_default;
use tracing::{Span, Subscriber, debug_span, error_span};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::failure::{failure_line, panic_line};
use super::layer::lost_line;
use super::line::Line;
use super::{LogFormat, LogWriter, ProgramEvent, Verbosity, build_subscriber};
use crate::clock;
use crate::refusal::Refusal;

const SECOND: Duration = Duration::from_secs(1);

/// Returns the log of `work`.
fn capture_log(format: LogFormat, verbosity: Verbosity, work: impl FnOnce()) -> String {
    capture_log_with(|lines| build_subscriber(lines, format, verbosity), work)
}

/// Returns the log of `work`, written by the given subscriber.
fn capture_log_with<S>(build: impl FnOnce(LogWriter) -> S, work: impl FnOnce()) -> String
where
    S: Subscriber + Send + Sync + 'static,
{
    let written = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&written);
    let lines = LogWriter::spawn(move |line| *sink.lock().unwrap() += line);
    with_default(build(lines.clone()), work);
    lines.finish();
    let written = written.lock().unwrap();
    written.clone()
}

/// Logs one event of each kind, with all its fields.
fn log_everything() {
    let text = |text: &str| text.to_owned();
    let era = Some(Revision::LATEST.date());
    let events = [
        Event::Stderr(text("a line")),
        Event::Ended { reason: text("it died"), next_start: Some(SECOND) },
        Event::Unusable(text("sent nonsense")),
        Event::SchemaUnusable { tool: text("read"), reason: text("it is wrong") },
        Event::LeftOut { method: "tools/list", name: text("read"), reason: text("it is odd") },
        Event::Stopping { n_open: 1, grace: SECOND },
        Event::Refused(text("a message from the client: a batch")),
        Event::Disconnected(text("a connection: it was reset")),
        Event::Unredacted { tool: text("read"), why: Consent::Passthrough },
        Event::Redacted { place: text("read"), findings: vec![(text("jwt"), 2)] },
        Event::Called { tool: text("read"), failure: Some(Code::Timeout), duration: SECOND },
        Event::Started { n_earlier_starts: 1, era, duration: SECOND },
    ];
    let events_of_files = tracing_events("files");
    for event in events {
        events_of_files(event);
    }
    let (file, at) = (Path::new("manila.toml"), ([127, 0, 0, 1], 7300).into());
    ProgramEvent::Waiting.log();
    ProgramEvent::Listening(at).log();
    ProgramEvent::Sample(at).log();
    ProgramEvent::Reloaded { file, n_servers: 2 }.log();
    ProgramEvent::NeedsRestart { file, tables: &["[listen]", "[journal]"] }.log();
    ProgramEvent::ReloadFailed { file, error: &error() }.log();
    ProgramEvent::Journal(&JournalEvent::Problem { reason: text("no room") }).log();
    ProgramEvent::Journal(&JournalEvent::Recovered { n_lost: 3 }).log();
    ProgramEvent::Journal(&JournalEvent::LinkFailed { reason: text("no link") }).log();
}

fn error() -> anyhow::Error {
    Refusal::new("it is wrong", "make it right").into()
}

const TEXT: &str = "\
[files] a line
manila: files: it died; restarting in 1s
manila: the server `files` sent nonsense
manila: tool `read` is not checked against its schema: it is wrong
manila: `read` is left out of `tools/list`: it is odd
manila: stopping; waiting up to 1s for 1 open request; a second signal stops at once
manila: refused a message from the client: a batch
manila: lost a connection: it was reset
manila: the envelope of `read` was not redacted: the configuration forwards such envelopes unchanged
manila: redacted 2 secrets in read: jwt 2
manila: called read: TIMEOUT in 1.0s
manila: the server `files` is ready again after 1.0s, using MCP 2025-11-25
manila: waiting for an MCP client on stdin; use `manila call` to call a tool by hand, or \
    `--http 127.0.0.1:7300` to serve over HTTP
manila: serving MCP at http://127.0.0.1:7300/mcp, and plain HTTP at http://127.0.0.1:7300/tools
manila: no manila.toml found, serving the sample server; try:
  curl http://127.0.0.1:7300/tools
  curl -d '{\"message\": \"hello\"}' http://127.0.0.1:7300/tools/echo
  manila call secrets --url http://127.0.0.1:7300/mcp
manila: reloaded manila.toml: 2 servers
manila: changes to [listen], [journal] in manila.toml take effect after a restart
manila: cannot reload the configuration, which stays unchanged: it is wrong
manila: the journal cannot be written: no room; requests are still served
manila: the journal is writable again; 3 lines were lost
manila: cannot update the link to the latest journal file: no link
";

#[test]
fn writes_text_by_verbosity() {
    assert_eq!(capture_log(LogFormat::Text, Verbosity::Verbose, log_everything), TEXT);
    let verbose = ["redacted 2 secrets", "called", "is ready", "lost a"];
    let is_quiet = |line: &&str| !verbose.iter().any(|it| line.contains(it));
    let usual: Vec<&str> = TEXT.lines().filter(is_quiet).collect();
    let log = capture_log(LogFormat::Text, Verbosity::Usual, log_everything);
    assert_eq!(log.lines().collect::<Vec<_>>(), usual);
    let one_call: Vec<&str> = usual.into_iter().filter(|line| !line.contains("died")).collect();
    let log = capture_log(LogFormat::Text, Verbosity::OneCall, log_everything);
    assert_eq!(log.lines().collect::<Vec<_>>(), one_call);
}

/// Returns the lines that are not `tracing` events.
fn untraced_lines() -> [Line; 3] {
    [lost_line(7), failure_line(&error()), panic_line("no such tide", "src/harbour.rs:27:9")]
}

#[test]
fn json_has_the_messages_and_fields() {
    let log = capture_log(LogFormat::Json, Verbosity::Verbose, log_everything);
    let messages = log.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["message"].as_str().unwrap().to_owned()
    });
    let plain = TEXT.lines().map(|line| line.trim_start_matches("manila: ").trim_start());
    assert_eq!(messages.collect::<Vec<_>>(), plain.collect::<Vec<_>>());
    let called = log.lines().find(|line| line.contains("\"called\"")).unwrap();
    let (stamp, rest) = called.split_at(r#"{"timestamp":"2026-01-02T03:04:05.678Z""#.len());
    assert!(stamp.starts_with(r#"{"timestamp":""#) && stamp.ends_with("Z\""), "{called}");
    let expected = concat!(
        r#","level":"debug","event":"called","message":"called read: TIMEOUT in 1.0s","#,
        r#""server":"files","tool":"read","code":"TIMEOUT","duration_ms":1000.0}"#,
    );
    assert_eq!(rest, expected);
    assert!(log.contains(r#""rules":{"jwt":2}}"#), "{log}");
    assert!(log.contains(r#""n_restarts":1,"era":"2025-11-25""#), "{log}");
}

/// Returns name, level and members of every event in the documentation.
fn documented_events() -> BTreeSet<String> {
    let document = include_str!("../../../../docs/serve.md");
    let table = document.split("| event | level |").nth(1).unwrap();
    let rows = table.split("\n\n").next().unwrap().lines().skip(2);
    rows.map(|row| row.rsplit_once(" | ").unwrap().0.replace('`', "")).collect()
}

#[test]
fn documentation_lists_every_event_with_its_members() {
    let mut log = capture_log(LogFormat::Json, Verbosity::Verbose, log_everything);
    for line in untraced_lines() {
        log += &line.encode(LogFormat::Json, clock::timestamp);
    }
    let row_of = |line: &str| {
        let line = manila::RawJson::parse(line.to_owned()).unwrap();
        let names: Vec<String> = line.members().map(|member| member.key().into_owned()).collect();
        assert_eq!(names[..4], ["timestamp", "level", "event", "message"]);
        let text = |name| line.get(name).unwrap().as_text().unwrap().into_owned();
        let members = names[4..].join(", ");
        format!("| {} | {} | {}", text("event"), text("level"), members).trim_end().to_owned()
    };
    let rows: BTreeSet<String> = log.lines().map(row_of).collect();
    let documented: BTreeSet<String> =
        documented_events().iter().map(|row| row.trim_end().to_owned()).collect();
    assert_eq!(rows, documented);
    let source = include_str!("events.rs").to_owned()
        + include_str!("../../../manila-gateway/src/telemetry/event/tracing_events.rs");
    for name in source.split("name: \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let start = format!("| {name} | ");
        assert!(rows.iter().any(|row| row.starts_with(&start)), "{name} is not logged here");
    }
}

#[test]
fn hostile_text_stays_on_its_line() {
    let hostile = "\u{1b}[31mred\u{1b}[0m\nmanila: all is well\r\n\
                   \u{202e}\u{9b}\"},{\"event\":\"x\"}\u{2028}\0";
    let shown = "red\\nmanila: all is well\\r\\n\\u{202e}\\u{9b}\"},{\"event\":\"x\"}\\u{2028}";
    let log = || tracing_events("files")(Event::Stderr(hostile.to_owned()));
    assert_eq!(capture_log(LogFormat::Text, Verbosity::Usual, log), format!("[files] {shown}\n"));
    let json = capture_log(LogFormat::Json, Verbosity::Usual, log);
    assert_eq!(json.matches('\n').count(), 1);
    let line: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(line["event"], "stderr");
    assert_eq!(line["line"], shown);
    assert_eq!(line["message"], format!("[files] {shown}"));
}

#[test]
fn redacts_secrets_in_panics() {
    let secret = ["password: hunter", "2-not-real"].concat();
    let line =
        panic_line(&format!("oh\n{secret}"), "here").encode(LogFormat::Json, clock::timestamp);
    assert!(!line.contains("hunter"), "{line}");
    assert_eq!(line.matches('\n').count(), 1);
}

#[test]
fn counts_lines_that_cannot_be_written_in_time() {
    let (resume, paused) = std::sync::mpsc::channel::<()>();
    let lengths = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&lengths);
    let lines = LogWriter::spawn(move |line| {
        // Returns at once when the sender is dropped.
        let _ = paused.recv();
        written.lock().unwrap().push(line.len());
    });
    let log = |n_bytes: usize| tracing_events("files")(Event::Stderr("x".repeat(n_bytes)));
    let subscriber = build_subscriber(lines.clone(), LogFormat::Json, Verbosity::Usual);
    with_default(subscriber, || {
        log(4 * 1024 * 1024);
        log(1);
        log(2);
        drop(resume);
        lines.finish();
        log(3);
    });
    lines.finish();
    let n_written = lengths.lock().unwrap().len();
    assert_eq!(n_written, 3, "the long line, the number of lost lines, and the last line");
}

const VERBOSITIES: [Verbosity; 3] = [Verbosity::Usual, Verbosity::Verbose, Verbosity::OneCall];

/// Opens a span of each kind that a filter by level could let through.
fn open_spans() -> [Span; 2] {
    let request = debug_span!(target: "manila", "request", tool = "read");
    [request, error_span!(target: "manila", "upstream", server = "files")]
}

/// Checks that spans are disabled when only the log listens.
#[track_caller]
fn check_alone(verbosity: Verbosity) {
    let subscriber = build_subscriber(LogWriter::spawn(|_| ()), LogFormat::Json, verbosity);
    // Only an enabled span has its metadata.
    for span in with_default(Registry::default(), open_spans) {
        let interest = subscriber.register_callsite(span.metadata().unwrap());
        assert!(interest.is_never(), "{verbosity:?}: {span:?}");
    }
    for span in with_default(subscriber, open_spans) {
        assert!(span.is_disabled(), "{verbosity:?}: {span:?}");
    }
}

/// A layer that enables spans and stores their names.
#[derive(Clone, Default)]
struct SpanNames(Arc<Mutex<Vec<&'static str>>>);

impl<S: Subscriber> Layer<S> for SpanNames {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        self.0.lock().unwrap().push(span.metadata().name());
    }
}

/// Checks that a layer beside the log sees the spans, and that the log stays the same.
#[track_caller]
fn check_beside<S>(verbosity: Verbosity, stack: impl Fn(LogWriter, LogFormat, SpanNames) -> S)
where
    S: Subscriber + Send + Sync + 'static,
{
    let without_timestamps = |log: &str| -> Vec<String> {
        log.lines().map(|line| line.split_once(",\"level\"").unwrap().1.to_owned()).collect()
    };
    let names = SpanNames::default();
    let beside = |format| {
        capture_log_with(
            |lines| stack(lines, format, names.clone()),
            || {
                let [request, upstream] = open_spans();
                request.in_scope(|| upstream.in_scope(log_everything));
            },
        )
    };
    let alone = |format| capture_log(format, verbosity, log_everything);
    assert_eq!(beside(LogFormat::Text), alone(LogFormat::Text));
    let (json, json_alone) = (beside(LogFormat::Json), alone(LogFormat::Json));
    assert_eq!(without_timestamps(&json), without_timestamps(&json_alone));
    assert_eq!(*names.0.lock().unwrap(), ["request", "upstream", "request", "upstream"]);
}

/// One test, because `tracing` caches for all threads whether a span is enabled. In the other
/// tests, only the log listens.
#[test]
fn only_other_layers_enable_spans() {
    for verbosity in VERBOSITIES {
        check_alone(verbosity);
        check_beside(verbosity, |lines, format, names| {
            build_subscriber(lines, format, verbosity).with(names)
        });
        check_beside(verbosity, |lines, format, names| {
            let our_spans = filter_fn(|it| it.is_span() && it.target() == "manila");
            build_subscriber(lines, format, verbosity).with(names.with_filter(our_spans))
        });
    }
}
