//! Events of `tracing`: a name, a level, fields, and a message for people.

use std::sync::Arc;
use std::time::Duration;

use manila::{Code, JsonObject};
use tracing::{debug, info, warn};

use super::{Consent, Event, Events};

/// Creates a callback that forwards events to the `tracing` subscriber, with the target `manila`.
/// Messages are formatted only if the subscriber is interested in the event.
///
/// `server` is the name of the server; it is empty for events of the gateway itself. Numbers and
/// texts are separate fields; `rules` is a JSON object.
///
/// ```
/// use std::time::Duration;
/// use manila_gateway::{Event, tracing_events};
///
/// // Usually passed to a `Gateway`.
/// let events = tracing_events("files");
/// events(Event::Stopping { n_open: 2, grace: Duration::from_secs(5) });
/// ```
#[must_use]
pub fn tracing_events(server: &str) -> Events {
    let server = server.to_owned();
    Arc::new(move |event| trace(&event, &server))
}

fn trace(event: &Event, server: &str) {
    let named_server = (!server.is_empty()).then_some(server);
    match event {
        Event::Stderr(line) => {
            info!(
                name: "stderr", target: "manila", server = named_server, line,
                "[{server}] {line}"
            );
        }
        Event::Ended { reason, next_start } => trace_ended(server, reason, *next_start),
        Event::Unusable(reason) => {
            warn!(
                name: "unusable", target: "manila", server = named_server, reason,
                "the server `{server}` {reason}"
            );
        }
        Event::SchemaUnusable { tool, reason } => {
            warn!(
                name: "schema_unusable", target: "manila", server = named_server, tool, reason,
                "tool `{tool}` is not checked against its schema: {reason}"
            );
        }
        Event::LeftOut { method, name, reason } => {
            warn!(
                name: "left_out", target: "manila", server = named_server, method, item = name,
                reason, "`{name}` is left out of `{method}`: {reason}"
            );
        }
        Event::Stopping { n_open, grace } => {
            let requests = if *n_open == 1 { "request" } else { "requests" };
            info!(
                name: "stopping", target: "manila", n_open, grace_ms = whole_ms(*grace),
                "stopping; waiting up to {grace:?} for {n_open} open {requests}; \
                 a second signal stops at once"
            );
        }
        Event::Refused(reason) => {
            warn!(
                name: "refused", target: "manila", reason,
                "refused {reason}"
            );
        }
        Event::Disconnected(reason) => {
            debug!(name: "disconnected", target: "manila", reason, "lost {reason}");
        }
        Event::Unredacted { tool, why } => trace_unredacted(named_server, tool, *why),
        Event::Redacted { place, findings } => {
            debug!(
                name: "redacted", target: "manila", server = named_server, place,
                rules = %object(findings),
                "redacted {} in {place}: {}", count_secrets(findings), join_findings(findings)
            );
        }
        Event::Called { tool, failure, duration } => {
            debug!(
                name: "called", target: "manila", server = named_server, tool,
                code = failure.map_or("ok", Code::name), duration_ms = ms(*duration),
                "called {tool}: {} in {}", failure.map_or("ok", Code::name), show(*duration)
            );
        }
        Event::Started { n_earlier_starts, era, duration } => {
            trace_started(server, *n_earlier_starts, *era, *duration);
        }
    }
}

fn trace_ended(server: &str, reason: &str, next_start: Option<Duration>) {
    let when = match next_start {
        None => String::new(),
        Some(Duration::ZERO) => "; restarting at once".to_owned(),
        Some(delay) => format!("; restarting in {delay:?}"),
    };
    let prefix = if is_named(reason, server) { "" } else { &format!("{server}: ") };
    let end = reason.find("; last lines of stderr: ").unwrap_or(reason.len());
    let (cause, stderr) = reason.split_at(end);
    warn!(
        name: "ended", target: "manila", server, reason, next_start_ms = next_start.map(whole_ms),
        "{prefix}{cause}{when}{stderr}"
    );
}

fn trace_unredacted(server: Option<&str>, tool: &str, why: Consent) {
    let (consent, what, reason) = match why {
        Consent::Operator => ("operator", "response", "the configuration disables redaction"),
        Consent::Passthrough => {
            ("passthrough", "envelope", "the configuration forwards such envelopes unchanged")
        }
        Consent::Caller => ("caller", "response", "the caller requested it"),
    };
    warn!(
        name: "unredacted", target: "manila", server, tool, consent,
        "the {what} of `{tool}` was not redacted: {reason}"
    );
}

/// Returns whether a reason begins with the program or the URL that has this name.
fn is_named(reason: &str, server: &str) -> bool {
    let quoted = reason.strip_prefix('`').unwrap_or_default();
    let program = quoted.split([' ', '`']).next().unwrap_or_default();
    program == server || program.rsplit(['/', '\\']).next() == Some(server)
}

fn trace_started(server: &str, n_restarts: u64, era: Option<&str>, duration: Duration) {
    let again = if n_restarts > 0 { " again" } else { "" };
    debug!(
        name: "started", target: "manila", server, n_restarts, era,
        duration_ms = ms(duration), "the server `{server}` is ready{again} after {}{}",
        show(duration), era.map(|era| format!(", using MCP {era}")).unwrap_or_default()
    );
}

/// Formats a duration for people, in milliseconds or a larger unit.
fn show(duration: Duration) -> String {
    if duration < Duration::from_millis(1) {
        format!("{:.1}ms", ms(duration))
    } else {
        format!("{duration:.1?}")
    }
}

/// Returns the milliseconds, rounded to microseconds.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the rules with their number of matches, for programs.
fn object(findings: &[(String, u64)]) -> JsonObject {
    JsonObject::build(|object| {
        for (rule, n_found) in findings {
            object.member(rule, n_found);
        }
    })
}

/// Returns the number of secrets, for people.
fn count_secrets(findings: &[(String, u64)]) -> String {
    match findings.iter().map(|(_, n)| n).sum::<u64>() {
        1 => "1 secret".to_owned(),
        n => format!("{n} secrets"),
    }
}

/// Returns the rules with their number of matches, for people.
fn join_findings(findings: &[(String, u64)]) -> String {
    let rules: Vec<String> = findings.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
    rules.join(", ")
}

#[cfg(test)]
mod tests;
