//! Prompts: the prompt `greet`, and the names that complete its argument.

use std::borrow::Cow;

use serde::Deserialize;

use super::answer::{push, push_display, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::rpc_error::RpcError;

/// The names that are offered for the argument of `greet`.
const NAMES: &[&str] = &["Ada", "Agnes", "Alan", "Barbara", "Edsger", "Grace", "Tony"];

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

#[derive(Deserialize)]
struct CompleteParams<'a> {
    #[serde(borrow, rename = "ref")]
    reference: Reference<'a>,
    #[serde(borrow)]
    argument: Argument<'a>,
}

#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Argument<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

/// `completion/complete`.
pub(super) fn complete(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let CompleteParams { reference, argument } = request.params()?;
    if (&*reference.kind, &*reference.name, &*argument.name) != ("ref/prompt", "greet", "name") {
        let message = "only the argument `name` of the prompt `greet` is completed";
        return Err(RpcError::invalid_params(message).into());
    }
    let wanted = argument.value.to_lowercase();
    let names = NAMES.iter().filter(|name| name.to_lowercase().starts_with(&wanted));
    push(out, "{\"completion\":{\"values\":[");
    let mut n_values = 0;
    for name in names {
        push(out, if n_values == 0 { "" } else { "," });
        push_string(out, name);
        n_values += 1;
    }
    push(out, "],\"total\":");
    push_display(out, n_values);
    push(out, ",\"hasMore\":false}}");
    Ok(Conduct::Answer)
}
