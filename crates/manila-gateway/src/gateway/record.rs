//! What became of each request, for the journal and for those who watch us.

use std::borrow::Cow;

use manila::pipeline::Redaction;
use manila::request_envelope::Request;
use manila::stage::record::{Record, RecordedFailure, Transport};
use manila::{Code, JsonObject, RawJson, Violation};
use tokio::time::Instant;

use crate::downstream::encode::Fate;
use crate::gateway::Gateway;
use crate::protocol::caller::Caller;
use crate::protocol::own_meta;
use crate::rt::clock;

/// What is known of a request that is over.
pub(crate) struct Over<'a> {
    pub(crate) transport: Transport,
    pub(crate) route: &'a str,
    /// What could not be read is none.
    pub(crate) request: Option<&'a Request>,
    /// Its id; what cannot be read may still have one.
    pub(crate) id: Option<&'a RawJson>,
    pub(crate) started: Instant,
    pub(crate) input_bytes: usize,
    pub(crate) output_bytes: usize,
    pub(crate) fate: &'a Fate,
}

impl<'a> Over<'a> {
    /// A request of this caller.
    pub(crate) fn asked(
        request: &'a Request,
        caller: &'a Caller,
        started: Instant,
        output_bytes: usize,
        fate: &'a Fate,
    ) -> Over<'a> {
        Over {
            transport: caller.transport,
            route: &caller.route,
            request: Some(request),
            id: Some(&request.id),
            started,
            input_bytes: request.frame.as_bytes().len(),
            output_bytes,
            fate,
        }
    }
}

/// Tells what became of a request.
pub(crate) fn record(gateway: &Gateway, over: &Over<'_>) {
    gateway.metrics.count_bytes(over.input_bytes, over.output_bytes);
    let Some(journal) = gateway.journal() else { return };
    let request = over.request;
    let meta = |key: &str| text(request.and_then(|it| it.meta.as_ref()), key);
    let params = |key: &str| {
        let params = request.and_then(|it| it.params.as_ref());
        text(params.map(JsonObject::as_raw), key)
    };
    let method = request.map(|request| request.method.as_str());
    let (agent, task, step) =
        (meta(own_meta::AGENT_ID), meta(own_meta::TASK_ID), meta(own_meta::STEP_ID));
    let tool = params("name").filter(|_| method == Some("tools/call"));
    let prompt = params("name").filter(|_| method == Some("prompts/get"));
    let id = over.id.map(|id| match id.as_text() {
        Some(text) => text.into_owned(),
        None => id.to_string(),
    });
    let details = details(&over.fate.violations);
    let (trace, span) = trace(meta("traceparent").as_deref());
    let mut record = Record::new(clock::moment(), method);
    record.agent_id = agent.as_deref();
    record.task_id = task.as_deref();
    record.step_id = step.as_deref();
    record.transport = Some(over.transport);
    record.route = Some(over.route);
    record.request_id = id.as_deref();
    record.rpc_id = id.as_deref();
    record.trace_id = Some(&trace);
    record.span_id = Some(&span);
    record.duration = Some(clock::now().saturating_duration_since(over.started));
    record.input_bytes = Some(over.input_bytes as u64);
    record.output_bytes = Some(over.output_bytes as u64);
    record.schema_version = over.fate.contract;
    record.tool_id = tool.as_deref();
    record.prompt_id = prompt.as_deref();
    record.failure = over.fate.failure.map(|code| RecordedFailure {
        code,
        message: over.fate.message.as_deref().unwrap_or(code.entry().message),
        details: details.as_ref(),
    });
    let settings = gateway.settings();
    journal.put(record.line(Redaction::By(&settings.hiding.redactor)));
}

/// Tells of a request that its caller took back.
pub(crate) fn record_cancelled(
    gateway: &Gateway,
    request: &Request,
    caller: &Caller,
    started: Instant,
) {
    if request.method == "tools/call" {
        gateway.call_cancelled(request, started);
    }
    // Whoever listens does so until it does not want to any more.
    let is_end = request.method == "subscriptions/listen";
    let failure = (!is_end).then_some(Code::Cancelled);
    let fate = Fate { failure, ..Fate::default() };
    record(gateway, &Over::asked(request, caller, started, 0, &fate));
}

/// What is told of a failure beside its message: the rules that the request breaks.
fn details(violations: &[Violation]) -> Option<JsonObject> {
    let violations: Vec<Violation> =
        violations.iter().cloned().map(Violation::without_secrets).collect();
    let is_any = !violations.is_empty();
    is_any.then(|| JsonObject::build(|object| object.member("violations", &violations)))
}

/// Tells of what is no message.
pub(crate) fn record_refused(
    gateway: &Gateway,
    (transport, route): (Transport, &str),
    id: Option<&RawJson>,
    input_bytes: usize,
    output_bytes: usize,
    fate: &Fate,
) {
    let (request, started) = (None, clock::now());
    let over = Over { transport, route, request, id, started, input_bytes, output_bytes, fate };
    record(gateway, &over);
}

fn text(object: Option<&RawJson>, key: &str) -> Option<String> {
    object?.get(key)?.as_text().map(Cow::into_owned)
}

/// The trace that a caller names, and a span of our own in it; or a trace of our own.
fn trace(parent: Option<&str>) -> (String, String) {
    let fresh = uuid::Uuid::from_bytes(clock::fresh()).simple().to_string();
    let span = fresh.get(..16).unwrap_or_default().to_owned();
    let is_hex = |id: &&str| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = parent.and_then(|parent| parent.split('-').nth(1)).filter(is_hex);
    let own = || uuid::Uuid::from_bytes(clock::fresh()).simple().to_string();
    (named.map_or_else(own, str::to_owned), span)
}
