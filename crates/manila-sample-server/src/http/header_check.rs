//! Checks of the headers of modern requests, which must match the message.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::dispatch::RawRequest;
use super::super::era::Meta;
use super::super::rpc_error::RpcError;
use super::super::tools;
use super::header_value::decode;
use super::incoming::Incoming;

/// Checks that the version in the header matches the message.
pub(super) fn check_version(request: &Incoming, meta: &Meta<'_>) -> Result<(), RpcError> {
    let Some(version) = meta.version() else { return Ok(()) };
    match request.header("mcp-protocol-version") {
        Some(header) if header == version.as_bytes() => Ok(()),
        Some(_) => Err(mismatch("MCP-Protocol-Version")),
        None => Err(missing_header("MCP-Protocol-Version")),
    }
}

/// Checks that the method in the header matches the message.
pub(super) fn check_method(request: &Incoming, raw: &RawRequest<'_>) -> Result<(), RpcError> {
    match request.header("mcp-method") {
        Some(header) if header == raw.method.as_bytes() => Ok(()),
        Some(_) => Err(mismatch("Mcp-Method")),
        None => Err(missing_header("Mcp-Method")),
    }
}

#[derive(Default, Deserialize)]
struct NamedParams<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "taskId")]
    task_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Checks that the name and the arguments in headers match the message.
pub(super) fn check_names(request: &Incoming, raw: &RawRequest<'_>) -> Result<(), RpcError> {
    let params = raw.params.map(|params| serde_json::from_str(params.get()));
    // The method itself refuses params of another type.
    let params: NamedParams<'_> = params.and_then(Result::ok).unwrap_or_default();
    let name = match &*raw.method {
        "tools/call" | "prompts/get" => &params.name,
        "resources/read" => &params.uri,
        method if method.starts_with("tasks/") => &params.task_id,
        _ => return Ok(()),
    };
    check("Mcp-Name", request.header("mcp-name"), name.as_deref())?;
    if raw.method != "tools/call" {
        return Ok(());
    }
    let arguments = params.arguments.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
    for (pointer, header) in tools::header_arguments(params.name.as_deref().unwrap_or_default()) {
        let value = arguments.as_ref().and_then(|arguments| arguments.pointer(pointer));
        let found = request.header(&header.to_ascii_lowercase());
        match value.and_then(Value::as_f64).filter(|_| found.is_some()) {
            Some(number) => check_number(header, found, number)?,
            None => check(header, found, value.and_then(as_text).as_deref())?,
        }
    }
    Ok(())
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
    }
}

fn check(header: &str, found: Option<&[u8]>, expected: Option<&str>) -> Result<(), RpcError> {
    match (found.map(decode), expected) {
        (None, None) => Ok(()),
        (Some(Some(found)), Some(expected)) if found == expected => Ok(()),
        (Some(_), _) => Err(mismatch(header)),
        (None, Some(_)) => Err(missing_header(header)),
    }
}

/// Checks a header by its numeric value: `42.0` matches `42`.
fn check_number(header: &str, found: Option<&[u8]>, expected: f64) -> Result<(), RpcError> {
    let found = found.and_then(decode).and_then(|text| text.parse::<f64>().ok());
    let is_same = found.is_some_and(|found| found.total_cmp(&expected).is_eq());
    if is_same { Ok(()) } else { Err(mismatch(header)) }
}

fn missing_header(header: &str) -> RpcError {
    RpcError::header_mismatch(format!("the header {header} is missing"))
}

fn mismatch(header: &str) -> RpcError {
    RpcError::header_mismatch(format!("the header {header} does not match the body"))
}
