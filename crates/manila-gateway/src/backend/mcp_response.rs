//! Reads the responses to `tools/call`, and builds results without an envelope.

use manila::json::Kind;
use manila::stage::attest::Attested;
use manila::stage::classify::code_from_text;
use manila::{Code, Ended, Failed, Failure, JsonObject, McpResult, Observed, RawJson};

use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::verbatim::URL_ELICITATION_REQUIRED;
pub(super) use crate::protocol::verbatim::error_number;
use crate::upstream::Unavailable;

/// Returns whether an error of a server of this era requires the client to act, for example to use
/// another version. The legacy era defines only the request to visit a page.
pub(super) fn requires_client_action(error: &RawJson, era: Era) -> bool {
    match error_number(error) {
        Some(URL_ELICITATION_REQUIRED) => true,
        Some(-32022..=-32020) => era == Era::Modern,
        Some(_) | None => false,
    }
}

/// Returns whether a result is not final: the server requests input, or has started a task. Where
/// the server or the client uses the legacy era, `resultType` has no meaning.
pub(super) fn is_unfinished(result: &McpResult, server: Era, client: Era) -> bool {
    let is_modern = server == Era::Modern && client == Era::Modern;
    result.is_task_handle() || (is_modern && result.is_interim())
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
