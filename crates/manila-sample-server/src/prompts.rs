//! Prompts: the prompt `greet`, and the completions of its argument.

use std::borrow::Cow;

use serde::Deserialize;

use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::jsonrpc::{push, push_string};
use super::rpc_error::RpcError;

/// The completions of the argument of `greet`.
pub(super) const NAMES: &[&str] = &["Ada", "Agnes", "Alan", "Barbara", "Edsger", "Grace", "Tony"];

/// Handles `prompts/list`.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    request.reject_cursor()?;
    push(out, "{\"prompts\":[{\"name\":\"greet\",\"title\":\"Greet a person\"");
    push(out, ",\"description\":\"Asks the model for a short greeting.\"");
    push(out, ",\"arguments\":[{\"name\":\"name\",\"description\":\"The person to greet.\"");
    push(out, ",\"required\":true}]}]}");
    Ok(Disposition::Answer)
}

#[derive(Deserialize)]
struct GetParams<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: GreetArguments<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GreetArguments<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

/// Handles `prompts/get`.
pub(super) fn get(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let params: GetParams<'_> = request.params()?;
    if params.name != "greet" {
        return Err(RpcError::invalid_params("the only prompt is `greet`").into());
    }
    push(out, "{\"description\":\"Asks the model for a short greeting.\"");
    push(out, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    push_string(out, &format!("Greet {} in one friendly sentence.", params.arguments.name));
    push(out, "}}]}");
    Ok(Disposition::Answer)
}
