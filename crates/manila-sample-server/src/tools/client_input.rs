//! Tools that need input from the client: from the user, from a model, or the list of roots.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::disposition::{Disposition, HandlerError};
use super::super::era::{Capability, Era};
use super::super::input::InputRequest;
use super::super::message::Reply;
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const ASK_USER: Tool = Tool {
    name: "ask_user",
    title: "Ask the user",
    description: "Shows your question to the user in a form with one field, and returns the \
                  response. Requires a client that supports elicitation.",
    input_schema: r#"{
        "type": "object",
        "properties": {"question": {"type": "string", "description": "The question."}},
        "required": ["question"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: ask_user,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskUserArguments {
    question: String,
}

fn ask_user(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let AskUserArguments { question } = call.arguments()?;
    let params = format!(
        concat!(
            r#"{{"message":{},"requestedSchema":{{"type":"object","properties":{{"answer":"#,
            r#"{{"type":"string","title":"Your answer"}}}},"required":["answer"]}}}}"#,
        ),
        Value::from(question)
    );
    let request =
        ClientRequest { key: "answer", method: "elicitation/create", needs: Capability::Form };
    request_input(call, out, &request, params, |result| result.get().to_owned())
}

pub(super) const ASK_MODEL: Tool = Tool {
    name: "ask_model",
    title: "Ask the model",
    description: "Sends your prompt to the client's model, and returns the model's response. \
                  Requires a client that supports sampling.",
    input_schema: r#"{
        "type": "object",
        "properties": {"prompt": {"type": "string", "description": "The prompt for the model."}},
        "required": ["prompt"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: ask_model,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskModelArguments {
    prompt: String,
}

fn ask_model(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let AskModelArguments { prompt } = call.arguments()?;
    let params = format!(
        concat!(
            r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}],"#,
            r#""maxTokens":200}}"#,
        ),
        Value::from(prompt)
    );
    let request = ClientRequest {
        key: "message",
        method: "sampling/createMessage",
        needs: Capability::Sampling,
    };
    request_input(call, out, &request, params, |result| result.get().to_owned())
}

pub(super) const ROOTS: Tool = Tool {
    name: "roots",
    title: "Roots of the client",
    description: "Requests the client's roots, the folders that it works in, and lists them. \
                  Requires a client that supports roots.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: roots,
};

fn roots(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    let request = ClientRequest { key: "roots", method: "roots/list", needs: Capability::Roots };
    request_input(call, out, &request, "{}".to_owned(), roots_as_text)
}

/// A request to the client, in either era.
struct ClientRequest {
    /// The key of the response in a retried call.
    key: &'static str,
    method: &'static str,
    needs: Capability,
}

/// Requests input from the client. In the legacy era, the call waits for the response; in the
/// modern era, the client retries the call with the response.
fn request_input(
    call: &Call<'_>,
    out: &mut Vec<u8>,
    request: &ClientRequest,
    params: String,
    as_text: fn(&RawValue) -> String,
) -> Result<Disposition, HandlerError> {
    let ClientRequest { key, method, needs } = *request;
    let Era::Modern(client) = call.era else {
        return Ok(Disposition::later(move |pending, out| {
            let reply = pending.send_request(method, &params)?;
            relay(out, &reply, as_text);
            Ok(())
        }));
    };
    client.require(needs)?;
    let request = InputRequest { key, method, params: &params };
    match call.retry.response_to(&request)? {
        Some(result) => {
            relay(out, &Reply::Result(result.to_owned()), as_text);
            Ok(Disposition::Answer)
        }
        None => Ok(Disposition::Unfinished { kind: "input_required", members: request.members() }),
    }
}

/// Appends the client's response as the tool's result: a result becomes structured content.
fn relay(out: &mut Vec<u8>, reply: &Reply, as_text: fn(&RawValue) -> String) {
    match reply {
        Reply::Result(result) if result.get().starts_with('{') => {
            result::push_structured(out, &as_text(result), result.get());
        }
        Reply::Result(result) => {
            result::failure(out, &format!("the client's result is not an object: {result}"));
        }
        Reply::Error(error) => result::failure(out, &format!("the client refused: {error}")),
    }
}

#[derive(Deserialize)]
struct Roots {
    roots: Vec<Root>,
}

#[derive(Deserialize)]
struct Root {
    uri: String,
    #[serde(default)]
    name: String,
}

/// Formats one root per line. A result of another type stays unchanged.
fn roots_as_text(result: &RawValue) -> String {
    let Ok(Roots { roots }) = serde_json::from_str(result.get()) else {
        return result.get().to_owned();
    };
    if roots.is_empty() {
        return "the client has no roots".to_owned();
    }
    let lines: Vec<String> = roots
        .iter()
        .map(|root| format!("{} {}", root.uri, root.name).trim_end().to_owned())
        .collect();
    lines.join("\n")
}
