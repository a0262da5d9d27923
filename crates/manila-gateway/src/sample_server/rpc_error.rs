//! JSON-RPC errors: the code, the message and the data of a request that was refused.

use std::borrow::Cow;

/// An error answer.
#[derive(Debug)]
pub(super) struct RpcError {
    /// The number that JSON-RPC or MCP gives to this kind of error.
    pub(super) code: i32,
    /// One sentence for people.
    pub(super) message: Cow<'static, str>,
    /// More about it, as JSON text.
    pub(super) data: Option<String>,
}

impl RpcError {
    /// The line is not JSON.
    pub(super) fn parse_error(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError::new(-32700, message)
    }

    /// The line is JSON, but no message.
    pub(super) fn invalid_request(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError::new(-32600, message)
    }

    /// The server has no such method.
    pub(super) fn method_not_found() -> RpcError {
        RpcError::new(-32601, "the method is not known here")
    }

    /// The params do not fit the method, or the arguments the tool.
    pub(super) fn invalid_params(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError::new(-32602, message)
    }

    /// The cursor is none that this server gives out.
    pub(super) fn unknown_cursor() -> RpcError {
        RpcError::invalid_params("the cursor is none that was given out")
    }

    /// The server itself failed.
    pub(super) fn internal(message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError::new(-32603, message)
    }

    /// There is no resource of this URI; the code is that of the revisions up to 2025-11-25.
    pub(super) fn resource_not_found(uri: &str) -> RpcError {
        let data = format!("{{\"uri\":{}}}", serde_json::Value::from(uri));
        RpcError { data: Some(data), ..RpcError::new(-32002, "there is no such resource") }
    }

    fn new(code: i32, message: impl Into<Cow<'static, str>>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }
}
