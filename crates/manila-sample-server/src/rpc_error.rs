//! JSON-RPC errors: the code, the message and the data of a request that was refused.

use std::borrow::Cow;

use super::era::{Era, MODERN_REVISION};

/// An error answer.
#[derive(Debug)]
pub(super) struct RpcError {
    /// The number that JSON-RPC or MCP gives to this kind of error.
    pub(super) code: i32,
    /// One sentence for people.
    pub(super) message: Cow<'static, str>,
    /// More about it, as JSON text.
    pub(super) data: Option<String>,
    /// The HTTP status that the modern era has for it.
    pub(super) status: u16,
}

impl RpcError {
    /// The line is not JSON.
    pub(super) fn parse_error(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::new(-32700, message) }
    }

    /// The line is JSON, but no message.
    pub(super) fn invalid_request(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::new(-32600, message) }
    }

    /// The server has no such method.
    pub(super) fn method_not_found() -> RpcError {
        RpcError { status: 404, ..RpcError::new(-32601, "the method is not known here") }
    }

    /// The params do not fit the method, or the arguments the tool.
    pub(super) fn invalid_params(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError::new(-32602, message)
    }

    /// What every modern request must say is missing or wrong.
    pub(super) fn malformed(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::invalid_params(message) }
    }

    /// A header does not say what the message says.
    pub(super) fn header_mismatch(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 400, ..RpcError::new(-32020, message) }
    }

    /// The client did not declare what the request needs; `wanted` are capabilities as JSON text.
    pub(super) fn missing_capability(wanted: &str) -> RpcError {
        let data = Some(format!("{{\"requiredCapabilities\":{wanted}}}"));
        let message = "the call needs a capability that the client did not declare";
        RpcError { data, status: 400, ..RpcError::new(-32021, message) }
    }

    /// The request is of a revision that is not spoken here.
    pub(super) fn unsupported_version(requested: &str) -> RpcError {
        let requested = serde_json::Value::from(requested);
        let data = format!("{{\"supported\":[\"{MODERN_REVISION}\"],\"requested\":{requested}}}");
        let message = format!("the revision is not spoken here; spoken is {MODERN_REVISION}");
        RpcError { data: Some(data), status: 400, ..RpcError::new(-32022, message) }
    }

    /// The cursor is none that this server gives out.
    pub(super) fn unknown_cursor() -> RpcError {
        RpcError::invalid_params("the cursor is none that was given out")
    }

    /// The server itself failed.
    pub(super) fn internal(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { status: 500, ..RpcError::new(-32603, message) }
    }

    /// There is no resource of this URI; up to 2025-11-25, that had a code of its own.
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
