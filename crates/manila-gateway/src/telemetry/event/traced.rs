//! Events in the form of `tracing`: a name, a level, fields, and a sentence for people.

use std::sync::Arc;
use std::time::Duration;

use manila::{Code, JsonObject};
use tracing::{debug, info, warn};

use super::{Consent, Event, Events};

/// Hands events to whoever subscribed with `tracing`, with the target `manila`. What nobody wants
/// to hear is not put into words.
///
/// `server` is whom they are about; it is empty where that is the gateway itself. Numbers and texts
/// are fields of their own; `rules` is a JSON object.
///
/// ```
/// use std::time::Duration;
/// use manila_gateway::{Event, traced};
///
/// // A gateway is usually given these.
/// let events = traced("files");
/// events(Event::Stopping { n_open: 2, grace: Duration::from_secs(5) });
/// ```
#[must_use]
pub fn traced(server: &str) -> Events {
    let server = server.to_owned();
    Arc::new(move |event| trace(&event, &server))
}

fn trace(event: &Event, server: &str) {
    let about = (!server.is_empty()).then_some(server);
    match event {
        Event::Stderr(line) => {
            info!(name: "stderr", target: "manila", server = about, line, "[{server}] {line}");
        }
        Event::Ended { reason, next_start } => ended(server, reason, *next_start),
        Event::Unusable(reason) => {
            warn!(
                name: "unusable", target: "manila", server = about, reason,
                "the server `{server}` sent {reason}"
            );
        }
        Event::SchemaUnusable { tool, reason } => {
            warn!(
                name: "schema_unusable", target: "manila", server = about, tool, reason,
                "tool `{tool}`: {reason}; it is not checked"
            );
        }
        Event::Stopping { n_open, grace } => {
            info!(
                name: "stopping", target: "manila", n_open, grace_ms = whole_ms(*grace),
                "stopping; {n_open} open requests have {grace:?}, a signal stops at once"
            );
        }
        Event::Refused(reason) => {
            warn!(
                name: "refused", target: "manila", reason,
                "refused a message of the client: {reason}"
            );
        }
        Event::Disconnected(reason) => {
            debug!(name: "disconnected", target: "manila", reason, "lost {reason}");
        }
        Event::Unredacted { tool, why } => {
            let (consent, what, because) = match why {
                Consent::Operator => ("operator", "answer", "the configuration says so"),
                Consent::Passthrough => {
                    ("passthrough", "envelope", "the configuration passes it on")
                }
                Consent::Caller => ("caller", "answer", "the caller asked for it"),
            };
            warn!(
                name: "unredacted", target: "manila", server = about, tool, consent,
                "the {what} of `{tool}` was not redacted: {because}"
            );
        }
        Event::Redacted { place, findings } => {
            debug!(
                name: "redacted", target: "manila", server = about, place,
                rules = %object(findings),
                "hid secrets in {place}: {}", listed(findings)
            );
        }
        Event::Called { tool, failure, duration } => {
            debug!(
                name: "called", target: "manila", server = about, tool,
                code = failure.map_or("ok", Code::name), duration_ms = ms(*duration),
                "called {tool}: {} in {duration:.1?}", failure.map_or("ok", Code::name)
            );
        }
        Event::Started { n_earlier, era, duration } => started(server, *n_earlier, *era, *duration),
    }
}

fn ended(server: &str, reason: &str, next_start: Option<Duration>) {
    let when = match next_start {
        None => String::new(),
        Some(Duration::ZERO) => "; it is started again at once".to_owned(),
        Some(delay) => format!("; it is started again in {delay:?}"),
    };
    let named = if is_named(reason, server) { "" } else { &format!("{server}: ") };
    warn!(
        name: "ended", target: "manila", server, reason, next_start_ms = next_start.map(whole_ms),
        "{named}{reason}{when}"
    );
}

/// Whether a reason begins with the program or the URL that this is the name of.
fn is_named(reason: &str, server: &str) -> bool {
    let quoted = reason.strip_prefix('`').unwrap_or_default();
    let program = quoted.split([' ', '`']).next().unwrap_or_default();
    program == server || program.rsplit(['/', '\\']).next() == Some(server)
}

fn started(server: &str, n_restarts: u64, era: Option<&str>, duration: Duration) {
    let again = if n_restarts > 0 { " again" } else { "" };
    debug!(
        name: "started", target: "manila", server, n_restarts, era,
        duration_ms = ms(duration), "{server} is ready{again} after {duration:.1?}{}",
        era.map(|era| format!(", speaking MCP {era}")).unwrap_or_default()
    );
}

/// Milliseconds, to the microsecond.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Rules and how often each found something, for programs.
fn object(findings: &[(String, u64)]) -> JsonObject {
    JsonObject::build(|object| {
        for (rule, n_found) in findings {
            object.member(rule, n_found);
        }
    })
}

/// The same for people.
fn listed(findings: &[(String, u64)]) -> String {
    let rules: Vec<String> = findings.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    rules.join(", ")
}

#[cfg(test)]
mod tests;
