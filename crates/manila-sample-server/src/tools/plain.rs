//! Plain tools: text in, text out, as most tools in the world do it.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::Number;

use super::super::arguments::Whole;
use super::super::conduct::{Conduct, Stop};
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const ECHO: Tool = Tool {
    name: "echo",
    title: "Echo",
    description: "Gives your message back unchanged. The first tool to try: when it works, \
                  the way there and back works.",
    input_schema: r#"{
        "type": "object",
        "properties": {"message": {"type": "string", "description": "What to give back."}},
        "required": ["message"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: echo,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EchoArguments<'a> {
    #[serde(borrow)]
    message: Cow<'a, str>,
}

fn echo(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: EchoArguments<'_> = call.arguments()?;
    result::text(out, &arguments.message);
    Ok(Conduct::Answer)
}

pub(super) const ADD: Tool = Tool {
    name: "add",
    title: "Add",
    description: "Adds two numbers. The answer comes twice: as structured content that fits \
                  the output schema, and as text for clients that show only text.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "a": {"type": "number", "description": "The first number."},
            "b": {"type": "number", "description": "The number to add to it."}
        },
        "required": ["a", "b"],
        "additionalProperties": false
    }"#,
    output_schema: Some(
        r#"{
        "type": "object",
        "properties": {"sum": {"type": "number"}},
        "required": ["sum"],
        "additionalProperties": false
    }"#,
    ),
    meta: None,
    handler: add,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddArguments {
    a: Number,
    b: Number,
}

fn add(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let AddArguments { a, b } = call.arguments()?;
    match sum(&a, &b) {
        Some(sum) => result::structured(out, &sum.to_string(), &format!("{{\"sum\":{sum}}}")),
        None => result::failure(out, "the sum is too large for a number"),
    }
    Ok(Conduct::Answer)
}

/// Exact for integers of 64 bits, as close as a float gets for everything else.
fn sum(a: &Number, b: &Number) -> Option<Number> {
    let exact = a.as_i64().zip(b.as_i64()).and_then(|(a, b)| a.checked_add(b));
    exact.map(Number::from).or_else(|| Number::from_f64(a.as_f64()? + b.as_f64()?))
}

pub(super) const TEXT: Tool = Tool {
    name: "text",
    title: "Three lines",
    description: "Answers with three lines of prose and nothing that a machine could read.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: text,
};

fn text(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    let lines = "The harbour opens at six.\nTwo ships are waiting outside.\nThe tide is rising.";
    result::text(out, lines);
    Ok(Conduct::Answer)
}

pub(super) const JSON: Tool = Tool {
    name: "json",
    title: "JSON in text",
    description: "Answers with a text that happens to be JSON, without structured content: \
                  the habit of tools from before there was structured content.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: json,
};

fn json(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    let pretty = r#"{
  "ship": "Aurora",
  "berth": 4,
  "cargo": [
    "tea",
    "paper"
  ],
  "pilot": null
}"#;
    result::text(out, pretty);
    Ok(Conduct::Answer)
}

pub(super) const LIST: Tool = Tool {
    name: "list",
    title: "A list",
    description: "Answers with a text that is a JSON array of as many objects as you ask for. \
                  Good for seeing what happens to long answers.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "count": {
                "type": "integer", "minimum": 0, "maximum": 100000, "default": 3,
                "description": "How many objects."
            }
        },
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: list,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    count: Option<Whole<0, 100_000>>,
}

fn list(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: ListArguments = call.arguments()?;
    let Whole(count) = arguments.count.unwrap_or(Whole(3));
    let mut array = String::from("[");
    for number in 1..=count {
        let comma = if number == 1 { "" } else { "," };
        let even = number % 2 == 0;
        let object =
            format_args!("{{\"id\":{number},\"name\":\"crate {number}\",\"even\":{even}}}");
        write!(array, "{comma}{object}").expect("a string takes every character");
    }
    array.push(']');
    result::text(out, &array);
    Ok(Conduct::Answer)
}
