//! Completion: the values that are offered for arguments of prompts and of resource templates.

use std::borrow::Cow;

use serde::Deserialize;

use super::answer::{push, push_display, push_string};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::prompts::NAMES;
use super::rpc_error::RpcError;
use super::shelf::{PLACES, TEMPLATE};

/// What is completed: a kind of thing, its name or URI, an argument, and the values of that.
const COMPLETED: &[(&str, &str, &str, &[&str])] =
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
    /// A resource template has its URI in that place.
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

/// `completion/complete`.
pub(super) fn complete(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let Params { reference, argument } = request.params()?;
    let asked = (&*reference.kind, &*reference.name, &*argument.name);
    let known =
        COMPLETED.iter().find(|(kind, name, argument, _)| (*kind, *name, *argument) == asked);
    let Some((.., values)) = known else {
        let message = "only the argument `name` of the prompt `greet` and `place` of the resource \
                       template `sample://shelf/{place}` are completed";
        return Err(RpcError::invalid_params(message).into());
    };
    let wanted = argument.value.to_lowercase();
    let values = values.iter().filter(|value| value.to_lowercase().starts_with(&wanted));
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
    Ok(Conduct::Answer)
}
