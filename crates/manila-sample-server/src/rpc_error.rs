//! JSON-RPC errors: the code, message and data of the response to a refused request.

use std::borrow::Cow;

use super::era::{Era, MODERN_REVISION};

/// The error of an error response.
#[derive(Debug)]
pub(super) struct RpcError {
    /// The error code of JSON-RPC or MCP.
    pub(super) code: i32,
    /// A message for people.
    pub(super) message: Cow<'static, str>,
    /// Additional data, as JSON text.
    pub(super) data: Option<String>,
    /// The HTTP status in the modern era.
    pub(super) status: u16,
}

impl RpcError {
    /// Reports a line that is not JSON.
    pub(super) fn parse_error(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::new(-32700, message) }
    }

    /// Reports a line that is JSON, but not a message.
    pub(super) fn invalid_request(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::new(-32600, message) }
    }

    /// Reports a method that the server does not have.
    pub(super) fn method_not_found() -> RpcError {
        RpcError { status: 404, ..RpcError::new(-32601, "the method is unknown") }
    }

    /// Reports params that are invalid for the method, or arguments that are invalid for the tool.
    pub(super) fn invalid_params(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError::new(-32602, message)
    }

    /// Reports that the required metadata of a modern request is missing or invalid.
    pub(super) fn invalid_meta(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::invalid_params(message) }
    }

    /// Reports a header that differs from the message.
    pub(super) fn header_mismatch(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::new(-32020, message) }
    }

    /// Reports that the client did not declare the `required` capabilities, which are JSON text.
    pub(super) fn missing_capability(required: &str) -> RpcError {
        let data = Some(format!("{{\"requiredCapabilities\":{required}}}"));
        let message = "the call needs a capability that the client did not declare";
        RpcError { data, status: 400, ..RpcError::new(-32021, message) }
    }

    /// Reports a revision that the server does not support.
    pub(super) fn unsupported_version(requested: &str) -> RpcError {
        let requested = serde_json::Value::from(requested);
        let data = format!("{{\"supported\":[\"{MODERN_REVISION}\"],\"requested\":{requested}}}");
        let message = format!("unsupported protocol version; supported: {MODERN_REVISION}");
        RpcError { data: Some(data), status: 400, ..RpcError::new(-32022, message) }
    }

    /// Reports a cursor that this server did not return.
    pub(super) fn unknown_cursor() -> RpcError {
        RpcError::invalid_params("the cursor is unknown")
    }

    /// Reports a failure of the server itself.
    pub(super) fn internal(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 500, ..RpcError::new(-32603, message) }
    }

    /// Reports that there is no resource with this URI. Revisions up to 2025-11-25 have a separate
    /// code for this.
    pub(super) fn resource_not_found(era: &Era, uri: &str) -> RpcError {
        let code = match era {
            Era::Legacy => -32002,
            Era::Modern(_) => -32602,
        };
        let data = format!("{{\"uri\":{}}}", serde_json::Value::from(uri));
        RpcError { data: Some(data), ..RpcError::new(code, "there is no such resource") }
    }

    fn new(code: i32, message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { code, message: message.into(), data: None, status: 200 }
    }
}
