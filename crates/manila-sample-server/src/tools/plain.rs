//! Plain tools: text in and text out, like most tools.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::Number;

use super::super::arguments::IntegerIn;
use super::super::disposition::{Disposition, HandlerError};
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const ECHO: Tool = Tool {
    name: "echo",
    title: "Echo",
    description: "Returns your message unchanged. The first tool to try: if it works, \
                  the connection works in both directions.",
    input_schema: r#"{
        "type": "object",
        "properties": {"message": {"type": "string", "description": "The text to return."}},
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

fn echo(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: EchoArguments<'_> = call.arguments()?;
    result::text(out, &arguments.message);
    Ok(Disposition::Answer)
}

pub(super) const ADD: Tool = Tool {
    name: "add",
    title: "Add",
    description: "Adds two numbers. Returns the sum twice: as structured content that matches \
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

fn add(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let AddArguments { a, b } = call.arguments()?;
    match sum(&a, &b) {
        Some(sum) => result::push_structured(out, &sum.to_string(), &format!("{{\"sum\":{sum}}}")),
        None => result::failure(out, "the sum is too large for a number"),
    }
    Ok(Disposition::Answer)
}

/// Adds two numbers: exactly for 64-bit integers, as floats otherwise.
fn sum(a: &Number, b: &Number) -> Option<Number> {
    let exact = a.as_i64().zip(b.as_i64()).and_then(|(a, b)| a.checked_add(b));
    exact.map(Number::from).or_else(|| Number::from_f64(a.as_f64()? + b.as_f64()?))
}

pub(super) const TEXT: Tool = Tool {
    name: "text",
    title: "Three lines",
    description: "Returns three lines of prose, without any machine-readable content.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: text,
};

fn text(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    let lines = "The harbour opens at six.\nTwo ships are waiting outside.\nThe tide is rising.";
    result::text(out, lines);
    Ok(Disposition::Answer)
}

pub(super) const JSON: Tool = Tool {
    name: "json",
    title: "JSON in text",
    description: "Returns text that is JSON, without structured content, \
                  like tools from before structured content existed.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: json,
};

fn json(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
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
    Ok(Disposition::Answer)
}

pub(super) const LIST: Tool = Tool {
    name: "list",
    title: "A list",
    description: "Returns text that is a JSON array with the requested number of objects. \
                  Shows how clients and gateways handle long results.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "count": {
                "type": "integer", "minimum": 0, "maximum": 100000, "default": 3,
                "description": "The number of objects."
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
    count: Option<IntegerIn<0, 100_000>>,
}

fn list(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: ListArguments = call.arguments()?;
    let IntegerIn(count) = arguments.count.unwrap_or(IntegerIn(3));
    let mut array = String::from("[");
    for number in 1..=count {
        let comma = if number == 1 { "" } else { "," };
        let even = number % 2 == 0;
        let object =
            format_args!("{{\"id\":{number},\"name\":\"crate {number}\",\"even\":{even}}}");
        write!(array, "{comma}{object}").expect("writing to a string cannot fail");
    }
    array.push(']');
    result::text(out, &array);
    Ok(Disposition::Answer)
}
