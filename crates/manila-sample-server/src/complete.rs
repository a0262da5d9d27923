//! Completion: suggested values for the arguments of prompts and resource templates.

use std::borrow::Cow;

use serde::Deserialize;

use super::changing_resources::{PLACES, TEMPLATE};
use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::jsonrpc::{push, push_display, push_string};
use super::prompts::NAMES;
use super::rpc_error::RpcError;

/// The arguments with completions: a reference type, its name or URI, the argument, and its values.
const COMPLETIONS: &[(&str, &str, &str, &[&str])] =
    &[("ref/prompt", "greet", "name", NAMES), ("ref/resource", TEMPLATE, "place", PLACES)];

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "ref")]
    reference: Reference<'a>,
    #[serde(borrow)]
    argument: Argument<'a>,
}

#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    /// A resource template has a URI instead of a name.
    #[serde(borrow, default, alias = "uri")]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Argument<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

/// Handles `completion/complete`.
pub(super) fn complete(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let Params { reference, argument } = request.params()?;
    let requested = (&*reference.kind, &*reference.name, &*argument.name);
    let known =
        COMPLETIONS.iter().find(|(kind, name, argument, _)| (*kind, *name, *argument) == requested);
    let Some((.., values)) = known else {
        let message = "only the argument `name` of the prompt `greet` and `place` of the resource \
                       template `sample://shelf/{place}` are completed";
        return Err(RpcError::invalid_params(message).into());
    };
    let prefix = argument.value.to_lowercase();
    let values = values.iter().filter(|value| value.to_lowercase().starts_with(&prefix));
    push(out, "{\"completion\":{\"values\":[");
    let mut n_values = 0;
    for value in values {
        push(out, if n_values == 0 { "" } else { "," });
        push_string(out, value);
        n_values += 1;
    }
    push(out, "],\"total\":");
    push_display(out, n_values);
    push(out, ",\"hasMore\":false}}");
    Ok(Disposition::Answer)
}
