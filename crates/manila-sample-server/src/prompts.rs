//! Prompts: the prompt `greet`, and the names that complete its argument.

use std::borrow::Cow;

use serde::Deserialize;

use super::answer::{push, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::rpc_error::RpcError;

/// The names that are offered for the argument of `greet`.
pub(super) const NAMES: &[&str] = &["Ada", "Agnes", "Alan", "Barbara", "Edsger", "Grace", "Tony"];

/// `prompts/list`.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.no_cursor()?;
    push(out, "{\"prompts\":[{\"name\":\"greet\",\"title\":\"Greet somebody\"");
    push(out, ",\"description\":\"Asks the model for a short greeting.\"");
    push(out, ",\"arguments\":[{\"name\":\"name\",\"description\":\"Who is greeted.\"");
    push(out, ",\"required\":true}]}]}");
    Ok(Conduct::Answer)
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

/// `prompts/get`.
pub(super) fn get(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let params: GetParams<'_> = request.params()?;
    if params.name != "greet" {
        return Err(RpcError::invalid_params("the only prompt is `greet`").into());
    }
    push(out, "{\"description\":\"Asks the model for a short greeting.\"");
    push(out, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
    push_string(out, &format!("Greet {} in one friendly sentence.", params.arguments.name));
    push(out, "}}]}");
    Ok(Conduct::Answer)
}
