//! Reads the responses to `tools/call`, and builds results without an envelope.

use manila::json::Kind;
use manila::stage::attest::Attested;
use manila::stage::classify::code_from_text;
use manila::{Code, Ended, Failed, Failure, JsonObject, McpResult, Observed, RawJson};

use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::Unavailable;

/// Returns whether an error requires the client to act, for example to use another version.
pub(super) fn requires_client_action(error: &RawJson) -> bool {
    matches!(error_number(error), Some(-32042 | -32020 | -32021 | -32022))
}

/// Returns whether the result of a server of this era is not final: the server requests input, or
/// has started a task. In the legacy era, `resultType` is not defined and means nothing.
pub(super) fn is_unfinished(result: &McpResult, era: Era) -> bool {
    result.is_task_handle() || (era == Era::Modern && result.is_interim())
}

/// Returns the code of a JSON-RPC error.
pub(super) fn error_number(error: &RawJson) -> Option<i64> {
    error.get("code")?.as_str().parse().ok()
}

/// Returns the error object for a server that is unavailable.
pub(super) fn unavailable_error(unavailable: &Unavailable) -> RawJson {
    let message = format!("The server is not available: {}", unavailable.reason);
    jsonrpc::encode_part(&Fault::new(Code::UpstreamUnavailable).message(message)).into()
}

/// Returns the observation for a response whose `result` is not an object.
pub(super) fn observe_no_result() -> Observed {
    let message = "The server's response is not an MCP result: it must be an object";
    Observed::Failed(Box::new(Failed::new(Code::InvalidToolOutput, message)))
}

/// Returns the observation for a protocol error.
pub(super) fn observe_protocol_error(error: &RawJson) -> Observed {
    let message = error.get("message");
    let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    let number = error_number(error);
    let code = match number {
        Some(-32601) => Code::MethodNotFound,
        Some(-32602) => Code::InvalidToolInput,
        Some(-32002) => Code::NotFound,
        Some(_) | None => code_from_text(&message),
    };
    let mut failed = Failed::new(code, message);
    failed.details = JsonObject::build(|object| {
        object.member("jsonrpc_code", &number);
        object.member("jsonrpc_data", &error.get("data").filter(|it| it.kind() != Kind::Null));
    });
    Observed::Failed(Box::new(failed))
}

/// Returns whether a result is marked as an error.
pub(super) fn is_error(result: &RawJson) -> bool {
    result.get("isError").is_some_and(|it| it.as_bytes() == b"true")
}

/// Returns the failure, if the call failed.
pub(super) fn first_failure(prepared: &Attested) -> Option<&Failure> {
    match &prepared.outcome().ended {
        Ended::Done(_) => None,
        Ended::Failed { failures, .. } => Some(failures.first()),
    }
}

/// Returns an MCP result from the gateway, for callers that request results without an envelope.
pub(super) fn plain_result(text: &str, is_error: bool) -> RawJson {
    let block = JsonObject::build(|object| {
        object.member("type", "text");
        object.member("text", text);
    });
    let result = JsonObject::build(|object| {
        object.member("content", &[block][..]);
        object.member("isError", &is_error);
    });
    result.into()
}
