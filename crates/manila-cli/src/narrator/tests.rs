use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use manila::Code;
use manila_gateway::journal::JournalEvent;
use manila_gateway::{Consent, Event, Revision, traced};
use serde_json::Value;
use tracing::span::{Attributes, Id};
use tracing::subscriber::with_default;
use tracing::{Span, Subscriber, debug_span, error_span};
use tracing_subscriber::Registry;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::failure::{failed, panicked};
use super::layer::lost;
use super::line::Line;
use super::{Lines, LogFormat, Notice, Verbosity, build_subscriber};
use crate::clock;
use crate::refusal::Refusal;

const SECOND: Duration = Duration::from_secs(1);

/// What is written while `work` is done.
fn written(format: LogFormat, verbosity: Verbosity, work: impl FnOnce()) -> String {
    written_by(|lines| build_subscriber(lines, format, verbosity), work)
}

/// Returns what the subscriber's log has written once `work` is done.
fn written_by<S>(build: impl FnOnce(Lines) -> S, work: impl FnOnce()) -> String
where
    S: Subscriber + Send + Sync + 'static,
{
    let written = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&written);
    let lines = Lines::written_by(move |line| *kept.lock().unwrap() += line);
    with_default(build(lines.clone()), work);
    lines.finish();
    let written = written.lock().unwrap();
    written.clone()
}

/// One of each, with everything that it can say.
fn tell_everything() {
    let text = |text: &str| text.to_owned();
    let events = [
        Event::Stderr(text("a line")),
        Event::Ended { reason: text("it died"), next_start: Some(SECOND) },
        Event::Unusable(text("nonsense")),
        Event::SchemaUnusable { tool: text("read"), reason: text("it is wrong") },
        Event::Stopping { n_open: 1, grace: SECOND },
        Event::Refused(text("a batch")),
        Event::Disconnected(text("a connection: it was reset")),
        Event::Unredacted { tool: text("read"), why: Consent::Passthrough },
        Event::Redacted { place: text("read"), findings: vec![(text("jwt"), 2)] },
        Event::Called { tool: text("read"), failure: Some(Code::Timeout), duration: SECOND },
        Event::Started { n_earlier: 1, era: Some(Revision::LATEST.date()), duration: SECOND },
    ];
    let events_of_files = traced("files");
    for event in events {
        events_of_files(event);
    }
    let (file, at) = (Path::new("manila.toml"), ([127, 0, 0, 1], 7300).into());
    Notice::Waiting.tell();
    Notice::Listening(at).tell();
    Notice::Sample(at).tell();
    Notice::Reloaded { file, n_servers: 2 }.tell();
    Notice::NeedsRestart { file, tables: &["[listen]", "[journal]"] }.tell();
    Notice::ReloadFailed { file, error: &error() }.tell();
    Notice::Journal(&JournalEvent::Trouble { reason: text("no room") }).tell();
    Notice::Journal(&JournalEvent::Over { n_lost: 3 }).tell();
    Notice::Journal(&JournalEvent::NoLatest { reason: text("no link") }).tell();
}

fn error() -> anyhow::Error {
    Refusal::new("it is wrong", "make it right").into()
}

const TEXT: &str = "\
[files] a line
manila: files: it died; it is started again in 1s
manila: the server `files` sent nonsense
manila: tool `read`: it is wrong; it is not checked
manila: stopping; 1 open requests have 1s, a signal stops at once
manila: refused a message of the client: a batch
manila: lost a connection: it was reset
manila: the envelope of `read` was not redacted: the configuration passes it on
manila: hid secrets in read: jwt 2
manila: called read: TIMEOUT in 1.0s
manila: files is ready again after 1.0s, speaking MCP 2025-11-25
manila: waiting for an MCP client on standard input; to call a tool by hand, use \
    `manila call`, to serve over HTTP, `--http 127.0.0.1:7300`
manila: serving MCP at http://127.0.0.1:7300/mcp, and plain HTTP at http://127.0.0.1:7300/tools
manila: there is no manila.toml, so this is the sample server; try
  curl http://127.0.0.1:7300/tools
  curl -d '{\"message\": \"hello\"}' http://127.0.0.1:7300/tools/echo
  manila call secrets --url http://127.0.0.1:7300/mcp
manila: read manila.toml again: 2 servers
manila: what changed in [listen], [journal] of manila.toml holds after a restart
manila: the configuration stays as it was: it is wrong
manila: the journal cannot be written: no room; serving goes on
manila: the journal is written again; 3 lines are lost
manila: the link to the latest journal is not set: no link
";

#[test]
fn text_is_for_people() {
    assert_eq!(written(LogFormat::Text, Verbosity::Verbose, tell_everything), TEXT);
    let is_quiet =
        |line: &&str| !["hid", "called", "is ready", "lost a"].iter().any(|it| line.contains(it));
    let usual: Vec<&str> = TEXT.lines().filter(is_quiet).collect();
    let told = written(LogFormat::Text, Verbosity::Usual, tell_everything);
    assert_eq!(told.lines().collect::<Vec<_>>(), usual);
    let one_call: Vec<&str> = usual.into_iter().filter(|line| !line.contains("died")).collect();
    let told = written(LogFormat::Text, Verbosity::OneCall, tell_everything);
    assert_eq!(told.lines().collect::<Vec<_>>(), one_call);
}

/// The lines that are not traced.
fn direct() -> [Line; 3] {
    [lost(7), failed(&error()), panicked("no such tide", "src/harbour.rs:27:9")]
}

#[test]
fn json_says_the_same_and_more() {
    let told = written(LogFormat::Json, Verbosity::Verbose, tell_everything);
    let messages = told.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["message"].as_str().unwrap().to_owned()
    });
    let plain = TEXT.lines().map(|line| line.trim_start_matches("manila: ").trim_start());
    assert_eq!(messages.collect::<Vec<_>>(), plain.collect::<Vec<_>>());
    let called = told.lines().find(|line| line.contains("\"called\"")).unwrap();
    let (stamp, rest) = called.split_at(r#"{"timestamp":"2026-01-02T03:04:05.678Z""#.len());
    assert!(stamp.starts_with(r#"{"timestamp":""#) && stamp.ends_with("Z\""), "{called}");
    let expected = concat!(
        r#","level":"debug","event":"called","message":"called read: TIMEOUT in 1.0s","#,
        r#""server":"files","tool":"read","code":"TIMEOUT","duration_ms":1000.0}"#,
    );
    assert_eq!(rest, expected);
    assert!(told.contains(r#""rules":{"jwt":2}}"#), "{told}");
    assert!(told.contains(r#""n_restarts":1,"era":"2025-11-25""#), "{told}");
}

/// Name, level and members of every event, as the document has them.
fn documented() -> BTreeSet<String> {
    let document = include_str!("../../../../docs/serve.md");
    let table = document.split("| event | level |").nth(1).unwrap();
    let rows = table.split("\n\n").next().unwrap().lines().skip(2);
    rows.map(|row| row.rsplit_once(" | ").unwrap().0.replace('`', "")).collect()
}

#[test]
fn the_document_lists_every_event_with_its_members() {
    let mut told = written(LogFormat::Json, Verbosity::Verbose, tell_everything);
    for line in direct() {
        told += &line.written(LogFormat::Json, clock::moment);
    }
    let row_of = |line: &str| {
        let line = manila::RawJson::parse(line.to_owned()).unwrap();
        let names: Vec<String> = line.members().map(|member| member.key().into_owned()).collect();
        assert_eq!(names[..4], ["timestamp", "level", "event", "message"]);
        let text = |name| line.get(name).unwrap().as_text().unwrap().into_owned();
        let members = names[4..].join(", ");
        format!("| {} | {} | {}", text("event"), text("level"), members).trim_end().to_owned()
    };
    let rows: BTreeSet<String> = told.lines().map(row_of).collect();
    let documented: BTreeSet<String> =
        documented().iter().map(|row| row.trim_end().to_owned()).collect();
    assert_eq!(rows, documented);
    let source = include_str!("notice.rs").to_owned()
        + include_str!("../../../manila-gateway/src/telemetry/event/traced.rs");
    for name in source.split("name: \"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let start = format!("| {name} | ");
        assert!(rows.iter().any(|row| row.starts_with(&start)), "{name} is not told here");
    }
}

#[test]
fn whatever_is_said_stays_in_its_line() {
    let hostile = "\u{1b}[31mred\u{1b}[0m\nmanila: all is well\r\n\
                   \u{202e}\u{9b}\"},{\"event\":\"x\"}\u{2028}\0";
    let shown = "red\\nmanila: all is well\\r\\n\\u{202e}\\u{9b}\"},{\"event\":\"x\"}\\u{2028}";
    let tell = || traced("files")(Event::Stderr(hostile.to_owned()));
    assert_eq!(written(LogFormat::Text, Verbosity::Usual, tell), format!("[files] {shown}\n"));
    let told = written(LogFormat::Json, Verbosity::Usual, tell);
    assert_eq!(told.matches('\n').count(), 1);
    let line: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(line["event"], "stderr");
    assert_eq!(line["line"], shown);
    assert_eq!(line["message"], format!("[files] {shown}"));
}

#[test]
fn a_panic_tells_no_secret() {
    let secret = ["password: hunter", "2-not-real"].concat();
    let line = panicked(&format!("oh\n{secret}"), "here").written(LogFormat::Json, clock::moment);
    assert!(!line.contains("hunter"), "{line}");
    assert_eq!(line.matches('\n').count(), 1);
}

#[test]
fn what_cannot_be_written_in_time_is_counted() {
    let (go_on, wait) = std::sync::mpsc::channel::<()>();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&kept);
    let lines = Lines::written_by(move |line| {
        // Once nobody holds the other end, nothing is waited for.
        let _ = wait.recv();
        written.lock().unwrap().push(line.len());
    });
    let say = |n_bytes: usize| traced("files")(Event::Stderr("x".repeat(n_bytes)));
    let subscriber = build_subscriber(lines.clone(), LogFormat::Json, Verbosity::Usual);
    with_default(subscriber, || {
        say(4 * 1024 * 1024);
        say(1);
        say(2);
        drop(go_on);
        lines.finish();
        say(3);
    });
    lines.finish();
    let n_written = kept.lock().unwrap().len();
    assert_eq!(n_written, 3, "the long one, how many were lost, and the last");
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
    let subscriber = build_subscriber(Lines::written_by(|_| ()), LogFormat::Json, verbosity);
    // Only an enabled span has its metadata.
    for span in with_default(Registry::default(), open_spans) {
        let interest = subscriber.register_callsite(span.metadata().unwrap());
        assert!(interest.is_never(), "{verbosity:?}: {span:?}");
    }
    for span in with_default(subscriber, open_spans) {
        assert!(span.is_disabled(), "{verbosity:?}: {span:?}");
    }
}

/// A layer that wants spans, and keeps their names.
#[derive(Clone, Default)]
struct SpanNames(Arc<Mutex<Vec<&'static str>>>);

impl<S: Subscriber> Layer<S> for SpanNames {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        self.0.lock().unwrap().push(span.metadata().name());
    }
}

/// Checks that a layer beside the log sees the spans, and that the log stays the same.
#[track_caller]
fn check_beside<S>(verbosity: Verbosity, stack: impl Fn(Lines, LogFormat, SpanNames) -> S)
where
    S: Subscriber + Send + Sync + 'static,
{
    let without_timestamps = |log: &str| -> Vec<String> {
        log.lines().map(|line| line.split_once(",\"level\"").unwrap().1.to_owned()).collect()
    };
    let names = SpanNames::default();
    let beside = |format| {
        written_by(
            |lines| stack(lines, format, names.clone()),
            || {
                let [request, upstream] = open_spans();
                request.in_scope(|| upstream.in_scope(tell_everything));
            },
        )
    };
    let alone = |format| written(format, verbosity, tell_everything);
    assert_eq!(beside(LogFormat::Text), alone(LogFormat::Text));
    let (json, json_alone) = (beside(LogFormat::Json), alone(LogFormat::Json));
    assert_eq!(without_timestamps(&json), without_timestamps(&json_alone));
    assert_eq!(*names.0.lock().unwrap(), ["request", "upstream", "request", "upstream"]);
}

/// One test, because whether a span is enabled is kept for all threads: elsewhere, only the log
/// listens.
#[test]
fn spans_are_for_the_layers_beside_the_log() {
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
