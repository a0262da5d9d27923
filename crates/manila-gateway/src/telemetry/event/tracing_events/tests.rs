use std::fmt::Debug;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use manila::Code;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Level, Metadata, Subscriber};

use super::{Consent, Event, tracing_events};

/// Records the level, the name and the fields of each event. The message is one of the fields.
#[derive(Clone)]
struct RecordingSubscriber {
    finest: Level,
    recorded: Arc<Mutex<String>>,
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for RecordingSubscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.finest
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let (metadata, mut recorded) = (event.metadata(), self.recorded.lock().unwrap());
        assert_eq!(metadata.target(), "manila");
        write!(recorded, "{} {}", metadata.level(), metadata.name()).unwrap();
        event.record(&mut Fields(&mut recorded));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn record_event(event: Event, server: &str, finest: Level) -> String {
    let subscriber = RecordingSubscriber { finest, recorded: Arc::default() };
    with_default(subscriber.clone(), || tracing_events(server)(event));
    let recorded = subscriber.recorded.lock().unwrap();
    recorded.clone()
}

#[track_caller]
fn check(event: Event, server: &str, expected: &str) {
    assert_eq!(record_event(event, server, Level::TRACE), expected);
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn every_event_has_a_name_fields_and_a_message() {
    check(
        Event::Stderr("oh".to_owned()),
        "files",
        r#"INFO stderr message=[files] oh server="files" line="oh""#,
    );
    check(
        Event::Ended { reason: "it died".to_owned(), next_start: Some(SECOND) },
        "files",
        r#"WARN ended message=files: it died; restarting in 1s server="files" reason="it died" next_start_ms=1000"#,
    );
    check(
        Event::Ended { reason: "`files` died".to_owned(), next_start: None },
        "files",
        r#"WARN ended message=`files` died server="files" reason="`files` died""#,
    );
    check(
        Event::Unusable("sent nonsense".to_owned()),
        "files",
        r#"WARN unusable message=the server `files` sent nonsense server="files" reason="sent nonsense""#,
    );
    check(
        Event::SchemaUnusable { tool: "read".to_owned(), reason: "no".to_owned() },
        "files",
        r#"WARN schema_unusable message=tool `read` is not checked against its schema: no server="files" tool="read" reason="no""#,
    );
    check(
        Event::LeftOut {
            method: "tools/list",
            name: "read".to_owned(),
            reason: "it is odd".to_owned(),
        },
        "files",
        r#"WARN left_out message=`read` is left out of `tools/list`: it is odd server="files" method="tools/list" item="read" reason="it is odd""#,
    );
    check(
        Event::Stopping { n_open: 2, grace: SECOND },
        "",
        "INFO stopping message=stopping; waiting up to 1s for 2 open requests; a second signal stops at once n_open=2 grace_ms=1000",
    );
    check(
        Event::Refused("a message from the client: a batch".to_owned()),
        "",
        r#"WARN refused message=refused a message from the client: a batch reason="a message from the client: a batch""#,
    );
    check(
        Event::Unredacted { tool: "read".to_owned(), why: Consent::Passthrough },
        "files",
        r#"WARN unredacted message=the envelope of `read` was not redacted: the configuration forwards such envelopes unchanged server="files" tool="read" consent="passthrough""#,
    );
}

#[test]
fn events_of_level_debug_have_their_figures() {
    let findings = vec![("jwt".to_owned(), 2), ("key".to_owned(), 1)];
    check(
        Event::Redacted { place: "read".to_owned(), findings },
        "files",
        r#"DEBUG redacted message=redacted 3 secrets in read: jwt 2, key 1 server="files" place="read" rules={"jwt":2,"key":1}"#,
    );
    check(
        Event::Disconnected("a connection: reset".to_owned()),
        "",
        r#"DEBUG disconnected message=lost a connection: reset reason="a connection: reset""#,
    );
    let duration = Duration::from_nanos(1_234_567);
    check(
        Event::Called { tool: "read".to_owned(), failure: None, duration },
        "files",
        r#"DEBUG called message=called read: ok in 1.2ms server="files" tool="read" code="ok" duration_ms=1.235"#,
    );
    // An unknown tool belongs to no server.
    check(
        Event::Called { tool: "red".to_owned(), failure: Some(Code::ToolNotFound), duration },
        "",
        r#"DEBUG called message=called red: TOOL_NOT_FOUND in 1.2ms tool="red" code="TOOL_NOT_FOUND" duration_ms=1.235"#,
    );
    check(
        Event::Started { n_earlier_starts: 1, era: None, duration },
        "files",
        r#"DEBUG started message=the server `files` is ready again after 1.2ms server="files" n_restarts=1 duration_ms=1.235"#,
    );
}

#[test]
fn events_below_the_level_are_not_recorded() {
    let call = Event::Called { tool: "read".to_owned(), failure: None, duration: SECOND };
    assert_eq!(record_event(call, "files", Level::INFO), "");
    let refused = Event::Refused("a batch".to_owned());
    assert_ne!(record_event(refused, "files", Level::INFO), "");
}
