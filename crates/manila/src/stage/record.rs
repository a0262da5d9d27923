//! Record: tell what became of one request, in one line of JSON (Q6).
//!
//! This stage tells and changes nothing. A line has no secrets and is never long, whatever the
//! client sent: its texts are redacted before they are cut, or half a secret would slip through.

use std::borrow::Cow;
use std::time::Duration;

use manila_redact::apply;

use crate::catalogue::Code;
use crate::moment::Moment;
use crate::outcome::milliseconds;
use crate::prepared::redact::Redaction;
use crate::raw_json::{Emit, JsonObject, OrNull, RawJson, shape};
use crate::truncate::cut;

/// Longer texts are cut.
const CHARS_MAX: usize = 500;

/// Larger details are left out, and their size is told in their place.
const DETAILS_BYTES_MAX: usize = 16 * 1024;

/// What became of one request. `None` is what nobody knows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// When it was done.
    pub at: Moment,
    /// The agent that asked.
    pub agent_id: Option<&'a str>,
    /// What the agent works at.
    pub task_id: Option<&'a str>,
    /// Its step in that.
    pub step_id: Option<&'a str>,
    /// How the request came.
    pub transport: Option<Transport>,
    /// The endpoint on its transport.
    pub route: Option<&'a str>,
    /// The method; what could not be read has none.
    pub method: Option<&'a str>,
    /// The envelope's request id. For deterministic ones see
    /// [`deterministic_id`](crate::deterministic_id).
    pub request_id: Option<&'a str>,
    /// The id of the JSON-RPC message.
    pub rpc_id: Option<&'a str>,
    /// The trace that it belongs to.
    pub trace_id: Option<&'a str>,
    /// Its span in that trace.
    pub span_id: Option<&'a str>,
    /// How long it took; told to the microsecond.
    pub duration: Option<Duration>,
    /// The how manieth try it was, from 1.
    pub attempt: u64,
    /// The size of the request.
    pub input_bytes: Option<u64>,
    /// The size of the answer.
    pub output_bytes: Option<u64>,
    /// How it failed. Without a failure its status is `ok`.
    pub failure: Option<RecordedFailure<'a>>,
    /// The contract or schema that the answer keeps.
    pub schema_version: Option<&'a str>,
    /// Whether the same request has the same ids.
    pub deterministic: bool,
    /// The tool that was called.
    pub tool_id: Option<&'a str>,
    /// The prompt that was asked for.
    pub prompt_id: Option<&'a str>,
}

/// How a request failed.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedFailure<'a> {
    /// Its name.
    pub code: Code,
    /// What happened. Four codes have the same message in every log, and it is not used there;
    /// what else is known of them belongs in the details.
    pub message: &'a str,
    /// What else is known.
    pub details: Option<&'a JsonObject>,
}

/// How requests come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Over the standard streams.
    Stdio,
    /// Over HTTP.
    Http,
}

impl Transport {
    /// All of them.
    pub const ALL: [Transport; 2] = [Transport::Stdio, Transport::Http];

    /// Its name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
        }
    }
}

/// The status of what did not fail.
pub const OK: &str = "ok";

/// The status of what failed like this: the code's name in lower case.
#[must_use]
pub fn failed_status(code: Code) -> String {
    code.name().to_ascii_lowercase()
}

/// The message that a code has in every log, if it is one of the four of seed 002.
fn fixed_message(code: Code) -> Option<&'static str> {
    const FIXED: [Code; 4] =
        [Code::InvalidEnvelope, Code::InvalidToolInput, Code::ToolNotFound, Code::InternalError];
    FIXED.contains(&code).then(|| code.entry().message)
}

impl<'a> Record<'a> {
    /// The record of a request of which nothing is known but this.
    #[must_use]
    pub fn new(at: Moment, method: Option<&'a str>) -> Record<'a> {
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

    /// The record as one line of JSON, without a line end and without secrets.
    #[must_use]
    pub fn line(&self, redaction: Redaction<'_>) -> Vec<u8> {
        let mut line = Vec::with_capacity(640);
        self.shaped(redaction).emit(&mut line);
        match redaction.redactor().map(|redactor| redactor.json(&line)) {
            Some(edits) if !edits.is_empty() => apply(&line, &edits),
            Some(_) | None => line,
        }
    }

    fn shaped(&self, redaction: Redaction<'_>) -> Line<'a> {
        let text = |text: Option<&'a str>| OrNull(text.map(|text| short(text, redaction)));
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
            duration_ms: OrNull(self.duration.map(to_the_microsecond)),
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
            message: short(fixed_message(code).unwrap_or(message), redaction),
            details: OrNull(details.map(bounded)),
        }
    }
}

/// A text of bounded length. A short one is redacted with the whole line.
fn short<'a>(text: &'a str, redaction: Redaction<'_>) -> Cow<'a, str> {
    if !cut(text, CHARS_MAX).1 {
        return Cow::Borrowed(text);
    }
    let hidden = redaction.redactor().map(|redactor| {
        let edits = redactor.text(text.as_bytes());
        String::from_utf8_lossy(&apply(text.as_bytes(), &edits)).into_owned()
    });
    let whole = hidden.as_deref().unwrap_or(text);
    Cow::Owned(format!("{}...", cut(whole, CHARS_MAX).0))
}

fn bounded(details: &JsonObject) -> JsonObject {
    let n_bytes = details.as_raw().as_bytes().len();
    if n_bytes <= DETAILS_BYTES_MAX {
        return details.clone();
    }
    JsonObject::build(|object| object.member("leftOutBytes", &(n_bytes as u64)))
}

fn to_the_microsecond(duration: Duration) -> RawJson {
    let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    milliseconds(Duration::from_micros(microseconds))
}

#[cfg(test)]
mod tests;
