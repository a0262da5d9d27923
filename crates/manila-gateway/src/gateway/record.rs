//! What became of each request, for the journal and the metrics.

use std::borrow::Cow;

use manila::pipeline::Redaction;
use manila::stage::record::{Record, RecordedFailure};
use manila::{JsonObject, RawJson, Subject, Violation};
use tokio::time::Instant;

use super::Gateway;
use super::dispatch::Arrival;
use crate::backend::Failed;
use crate::protocol::origin::Origin;
use crate::protocol::own_meta;
use crate::rt::clock;

/// A request that is over.
pub(super) struct Completed<'a> {
    pub(super) arrival: &'a Arrival<'a>,
    pub(super) origin: &'a Origin,
    pub(super) started: Instant,
    pub(super) output_bytes: usize,
    pub(super) failure: Option<&'a Failed>,
    /// The contract of the answer, where it has one.
    pub(super) contract: Option<&'static str>,
    /// The request id in the envelope, where there is one.
    pub(super) request_id: Option<&'a str>,
}

/// Writes the record of a request: the one line that the journal has of it.
pub(super) fn record(gateway: &Gateway, completed: &Completed<'_>) {
    let Completed { arrival, origin, started, output_bytes, failure, contract, request_id } =
        *completed;
    let Arrival { id, method, name, meta, n_bytes } = *arrival;
    gateway.metrics.count_bytes(n_bytes, output_bytes);
    let Some(journal) = gateway.journal() else { return };
    let meta = |key: &str| text(meta, key);
    let name = || name.and_then(RawJson::as_text);
    let (agent, task, step) =
        (meta(own_meta::AGENT_ID), meta(own_meta::TASK_ID), meta(own_meta::STEP_ID));
    let tool = (method == Some("tools/call")).then(name).flatten();
    let prompt = (method == Some("prompts/get")).then(name).flatten();
    let rpc_id = id.map(|id| id.as_text().unwrap_or_else(|| Cow::Owned(id.to_string())));
    let request_id = origin.request_id.known_as(request_id);
    let details = failure.and_then(|failure| details(&failure.violations));
    let (trace, span) = (origin.trace.trace_id(), origin.trace.span_id());
    let mut record = Record::new(clock::moment(), method);
    record.agent_id = agent.as_deref();
    record.task_id = task.as_deref();
    record.step_id = step.as_deref();
    record.transport = Some(origin.transport);
    record.route = Some(&origin.route);
    record.request_id = Some(&request_id);
    record.rpc_id = rpc_id.as_deref();
    record.trace_id = Some(&trace);
    record.span_id = Some(&span);
    record.duration = Some(clock::now().saturating_duration_since(started));
    record.input_bytes = Some(n_bytes as u64);
    record.output_bytes = Some(output_bytes as u64);
    record.schema_version = Some(contract.unwrap_or(Subject::RequestEnvelope.id()));
    record.tool_id = tool.as_deref();
    record.prompt_id = prompt.as_deref();
    record.failure = failure.map(|failure| RecordedFailure {
        code: failure.code,
        message: failure.message.as_deref().unwrap_or(failure.code.entry().message),
        details: details.as_ref(),
    });
    let settings = gateway.settings();
    journal.put(record.line(Redaction::By(&settings.hiding.redactor)));
}

/// What is known of a failure beside its message: the rules that the request breaks.
fn details(violations: &[Violation]) -> Option<JsonObject> {
    let violations: Vec<Violation> =
        violations.iter().cloned().map(Violation::without_secrets).collect();
    let is_any = !violations.is_empty();
    is_any.then(|| JsonObject::build(|object| object.member("violations", &violations)))
}

fn text(object: Option<&RawJson>, key: &str) -> Option<String> {
    object?.get(key)?.as_text().map(Cow::into_owned)
}
