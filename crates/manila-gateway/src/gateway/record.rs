//! Records each completed request in the journal and the metrics.

use std::borrow::Cow;

use manila::pipeline::Redaction;
use manila::stage::record::{Record, RecordedFailure};
use manila::{DocumentKind, JsonObject, RawJson, Violation};
use tokio::time::Instant;

use super::Gateway;
use super::dispatch::Arrival;
use crate::backend::CallFailure;
use crate::protocol::meta_keys;
use crate::protocol::request_source::RequestSource;
use crate::rt::clock;

/// A completed request.
pub(super) struct Completed<'a> {
    pub(super) arrival: &'a Arrival<'a>,
    pub(super) source: &'a RequestSource,
    pub(super) started: Instant,
    pub(super) output_bytes: usize,
    pub(super) failure: Option<&'a CallFailure>,
    /// The contract of the response, if it has one.
    pub(super) contract: Option<&'static str>,
    /// The request id in the envelope, if there is one.
    pub(super) request_id: Option<&'a str>,
}

/// Counts the bytes of a request, and writes its line to the journal.
pub(super) fn record(gateway: &Gateway, completed: &Completed<'_>) {
    let Completed { arrival, source, started, output_bytes, failure, contract, request_id } =
        *completed;
    let Arrival { id, method, name, meta, n_bytes } = *arrival;
    gateway.metrics.count_bytes(n_bytes, output_bytes);
    let Some(journal) = gateway.journal() else { return };
    let meta = |key: &str| text(meta, key);
    let name = || name.and_then(RawJson::as_text);
    let (agent, task, step) =
        (meta(meta_keys::AGENT_ID), meta(meta_keys::TASK_ID), meta(meta_keys::STEP_ID));
    let tool = (method == Some("tools/call")).then(name).flatten();
    let prompt = (method == Some("prompts/get")).then(name).flatten();
    let rpc_id = id.map(|id| id.as_text().unwrap_or_else(|| Cow::Owned(id.to_string())));
    let request_id = source.request_id.effective_id(request_id);
    let details = failure.and_then(|failure| details(&failure.violations));
    let (trace, span) = (source.trace.trace_id(), source.trace.span_id());
    let mut record = Record::new(clock::timestamp(), method);
    record.agent_id = agent.as_deref();
    record.task_id = task.as_deref();
    record.step_id = step.as_deref();
    record.transport = Some(source.transport);
    record.route = Some(&source.route);
    record.request_id = Some(&request_id);
    record.rpc_id = rpc_id.as_deref();
    record.trace_id = Some(&trace);
    record.span_id = Some(&span);
    record.duration = Some(clock::now().saturating_duration_since(started));
    record.input_bytes = Some(n_bytes as u64);
    record.output_bytes = Some(output_bytes as u64);
    record.schema_version = Some(contract.unwrap_or(DocumentKind::RequestEnvelope.id()));
    record.tool_id = tool.as_deref();
    record.prompt_id = prompt.as_deref();
    record.failure = failure.map(|failure| RecordedFailure {
        code: failure.code,
        message: failure.message.as_deref().unwrap_or(failure.code.entry().message),
        details: details.as_ref(),
    });
    let settings = gateway.settings();
    journal.put(record.line(Redaction::Custom(&settings.redaction.redactor)));
}

/// Returns the details of a failure: the rules that the request violates.
fn details(violations: &[Violation]) -> Option<JsonObject> {
    let violations: Vec<Violation> =
        violations.iter().cloned().map(Violation::without_secrets).collect();
    let is_any = !violations.is_empty();
    is_any.then(|| JsonObject::build(|object| object.member("violations", &violations)))
}

fn text(object: Option<&RawJson>, key: &str) -> Option<String> {
    object?.get(key)?.as_text().map(Cow::into_owned)
}
