//! Reading what a server answered to `tools/call`.

use manila::json::Kind;
use manila::stage::attest::Attested;
use manila::stage::classify::code_from_text;
use manila::{Code, Ended, Failed, Failure, JsonObject, Observed, RawJson};

use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::Down;

/// Errors that the client itself must act on: a page to visit, a version to speak.
pub(super) fn is_for_the_client(error: &RawJson) -> bool {
    matches!(number(error), Some(-32042 | -32020 | -32021 | -32022))
}

/// The number of a JSON-RPC error.
pub(super) fn number(error: &RawJson) -> Option<i64> {
    error.get("code")?.as_str().parse().ok()
}

/// The error object for a server that cannot be asked.
pub(super) fn unavailable(down: &Down) -> RawJson {
    let message = format!("The server is not available: {}", down.reason);
    jsonrpc::written(&Fault::new(Code::UpstreamUnavailable).message(message)).into()
}

/// What a result is that is none.
pub(super) fn no_result() -> Observed {
    let message = "The server's answer is no MCP result: it must be an object";
    Observed::Failed(Box::new(Failed::new(Code::InvalidToolOutput, message)))
}

/// A tool's failure that came as an error of the protocol.
pub(super) fn protocol_error(error: &RawJson) -> Observed {
    let message = error.get("message");
    let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    let number = number(error);
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

/// Whether a result says that the tool failed.
pub(super) fn is_error(result: &RawJson) -> bool {
    result.get("isError").is_some_and(|it| it.as_bytes() == b"true")
}

/// What went wrong, if something did.
pub(super) fn failure(prepared: &Attested) -> Option<&Failure> {
    match &prepared.outcome().ended {
        Ended::Done(_) => None,
        Ended::Failed { failures, .. } => Some(failures.first()),
    }
}

/// What we say to a caller who wants results as they come: MCP's own form.
pub(super) fn plain(text: &str, is_error: bool) -> RawJson {
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
