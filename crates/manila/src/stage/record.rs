//! Record: describe one completed request in one line of JSON (Q6).
//!
//! This stage only logs. A line has no secrets, and its length is limited for every request. Texts
//! are redacted before they are cut, because no rule recognises half a secret.

use std::borrow::Cow;
use std::time::Duration;

use manila_redact::apply;

use crate::catalogue::Code;
use crate::outcome::milliseconds;
use crate::prepared::redact::Redaction;
use crate::raw_json::{Emit, JsonObject, OrNull, RawJson, shape};
use crate::timestamp::Timestamp;
use crate::truncate::cut;

/// The maximum number of characters of a text; longer ones are cut.
const CHARS_MAX: usize = 500;

/// The maximum size of the details; larger ones are replaced by their size.
const DETAILS_BYTES_MAX: usize = 16 * 1024;

/// A completed request. `None` means unknown.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The time of completion.
    pub at: Timestamp,
    /// The agent that sent the request.
    pub agent_id: Option<&'a str>,
    /// The agent's task.
    pub task_id: Option<&'a str>,
    /// The step of the task.
    pub step_id: Option<&'a str>,
    /// The transport of the request.
    pub transport: Option<Transport>,
    /// The endpoint on its transport.
    pub route: Option<&'a str>,
    /// The method; absent if the request could not be parsed.
    pub method: Option<&'a str>,
    /// The envelope's request id. For deterministic ones see
    /// [`deterministic_id`](crate::deterministic_id).
    pub request_id: Option<&'a str>,
    /// The id of the JSON-RPC message.
    pub rpc_id: Option<&'a str>,
    /// The trace that the request belongs to.
    pub trace_id: Option<&'a str>,
    /// Its span in that trace.
    pub span_id: Option<&'a str>,
    /// The duration, written with microsecond precision.
    pub duration: Option<Duration>,
    /// The attempt number, starting at 1.
    pub attempt: u64,
    /// The size of the request.
    pub input_bytes: Option<u64>,
    /// The size of the response.
    pub output_bytes: Option<u64>,
    /// The failure. Without one, the status is `ok`.
    pub failure: Option<RecordedFailure<'a>>,
    /// The contract or schema of the response.
    pub schema_version: Option<&'a str>,
    /// Whether equal requests have equal ids.
    pub deterministic: bool,
    /// The tool that was called.
    pub tool_id: Option<&'a str>,
    /// The prompt that was requested.
    pub prompt_id: Option<&'a str>,
}

/// The failure of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedFailure<'a> {
    /// The code.
    pub code: Code,
    /// What happened. Four codes have a fixed message in every log, which replaces this one; other
    /// facts about them belong in the details.
    pub message: &'a str,
    /// Further facts.
    pub details: Option<&'a JsonObject>,
}

/// The transport of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// The standard streams.
    Stdio,
    /// HTTP.
    Http,
}

impl Transport {
    /// Every transport.
    pub const ALL: [Transport; 2] = [Transport::Stdio, Transport::Http];

    /// Returns the name that records use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
        }
    }
}

/// The status of a request that did not fail.
pub const OK: &str = "ok";

/// Returns the status of a request that failed with this code: its name in lower case.
#[must_use]
pub fn failed_status(code: Code) -> String {
    code.name().to_ascii_lowercase()
}

/// Returns the fixed message of a code, if it is one of the four in `request-envelope`.
fn fixed_message(code: Code) -> Option<&'static str> {
    const FIXED: [Code; 4] =
        [Code::InvalidEnvelope, Code::InvalidToolInput, Code::ToolNotFound, Code::InternalError];
    FIXED.contains(&code).then(|| code.entry().message)
}

impl<'a> Record<'a> {
    /// Creates a record in which only the time and the method are known.
    #[must_use]
    pub fn new(at: Timestamp, method: Option<&'a str>) -> Record<'a> {
        Record {
            at,
            agent_id: None,
            task_id: None,
            step_id: None,
            transport: None,
            route: None,
            method,
            request_id: None,
            rpc_id: None,
            trace_id: None,
            span_id: None,
            duration: None,
            attempt: 1,
            input_bytes: None,
            output_bytes: None,
            failure: None,
            schema_version: None,
            deterministic: false,
            tool_id: None,
            prompt_id: None,
        }
    }

    /// Returns the record as one line of JSON, without secrets and without a line break at its end.
    #[must_use]
    pub fn line(&self, redaction: Redaction<'_>) -> Vec<u8> {
        let mut line = Vec::with_capacity(640);
        self.build_line(redaction).emit(&mut line);
        match redaction.redactor().map(|redactor| redactor.json(&line)) {
            Some(edits) if !edits.is_empty() => apply(&line, &edits),
            Some(_) | None => line,
        }
    }

    fn build_line(&self, redaction: Redaction<'_>) -> Line<'a> {
        let text = |text: Option<&'a str>| OrNull(text.map(|text| shorten(text, redaction)));
        let failure = self.failure.as_ref();
        Line {
            ts: self.at.to_string(),
            agent_id: text(self.agent_id),
            task_id: text(self.task_id),
            step_id: text(self.step_id),
            transport: OrNull(self.transport.map(Transport::name)),
            route: text(self.route),
            method: text(self.method),
            request_id: text(self.request_id),
            rpc_id: text(self.rpc_id),
            trace_id: text(self.trace_id),
            span_id: text(self.span_id),
            status: failure.map_or(Cow::Borrowed(OK), |it| failed_status(it.code).into()),
            duration_ms: OrNull(self.duration.map(truncated_milliseconds)),
            attempt: self.attempt,
            input_bytes: OrNull(self.input_bytes),
            output_bytes: OrNull(self.output_bytes),
            error: OrNull(failure.map(|failure| Error::of(failure, redaction))),
            metadata: Metadata {
                schema_version: text(self.schema_version),
                deterministic: self.deterministic,
                tool_id: text(self.tool_id),
                prompt_id: text(self.prompt_id),
            },
        }
    }
}

shape! {
    /// Q6: these members, all of them, in this order.
    struct Line<'a> {
        ts: String,
        agent_id as "agentId": OrNull<Cow<'a, str>>,
        task_id as "taskId": OrNull<Cow<'a, str>>,
        step_id as "stepId": OrNull<Cow<'a, str>>,
        transport: OrNull<&'static str>,
        route: OrNull<Cow<'a, str>>,
        method: OrNull<Cow<'a, str>>,
        request_id as "requestId": OrNull<Cow<'a, str>>,
        rpc_id as "rpcId": OrNull<Cow<'a, str>>,
        trace_id as "traceId": OrNull<Cow<'a, str>>,
        span_id as "spanId": OrNull<Cow<'a, str>>,
        /// Q6: `ok`, or the canonical code in lower case.
        status: Cow<'static, str>,
        duration_ms as "durationMs": OrNull<RawJson>,
        attempt: u64,
        input_bytes as "inputBytes": OrNull<u64>,
        output_bytes as "outputBytes": OrNull<u64>,
        error: OrNull<Error<'a>>,
        metadata: Metadata<'a>,
    }
}

shape! {
    struct Error<'a> {
        code: &'static str,
        message: Cow<'a, str>,
        details: OrNull<JsonObject>,
    }
}

shape! {
    struct Metadata<'a> {
        schema_version as "schemaVersion": OrNull<Cow<'a, str>>,
        deterministic: bool,
        tool_id as "toolId": OrNull<Cow<'a, str>>,
        prompt_id as "promptId": OrNull<Cow<'a, str>>,
    }
}

impl<'a> Error<'a> {
    fn of(failure: &RecordedFailure<'a>, redaction: Redaction<'_>) -> Error<'a> {
        let RecordedFailure { code, message, details } = *failure;
        Error {
            code: code.name(),
            message: shorten(fixed_message(code).unwrap_or(message), redaction),
            details: OrNull(details.map(bound_details)),
        }
    }
}

/// Redacts a text that is too long, and cuts it. A shorter one is redacted later, with its line.
fn shorten<'a>(text: &'a str, redaction: Redaction<'_>) -> Cow<'a, str> {
    if !cut(text, CHARS_MAX).1 {
        return Cow::Borrowed(text);
    }
    let redacted = redaction.redactor().map(|redactor| {
        let edits = redactor.text(text.as_bytes());
        String::from_utf8_lossy(&apply(text.as_bytes(), &edits)).into_owned()
    });
    let text = redacted.as_deref().unwrap_or(text);
    Cow::Owned(format!("{}...", cut(text, CHARS_MAX).0))
}

fn bound_details(details: &JsonObject) -> JsonObject {
    let n_bytes = details.as_raw().as_bytes().len();
    if n_bytes <= DETAILS_BYTES_MAX {
        return details.clone();
    }
    JsonObject::build(|object| object.member("leftOutBytes", &(n_bytes as u64)))
}

fn truncated_milliseconds(duration: Duration) -> RawJson {
    let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    milliseconds(Duration::from_micros(microseconds))
}

#[cfg(test)]
mod tests;
