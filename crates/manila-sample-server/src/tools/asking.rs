//! Asking: tools that need something from the client before they can answer.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::conduct::{Conduct, Stop};
use super::super::era::{Capability, Era};
use super::super::input::Question;
use super::super::message::Reply;
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const ASK_USER: Tool = Tool {
    name: "ask_user",
    title: "Ask the user",
    description: "Asks the person at the client your question, in a form with one field, and \
                  answers with what came back. Needs a client that supports elicitation.",
    input_schema: r#"{
        "type": "object",
        "properties": {"question": {"type": "string", "description": "What to ask."}},
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

fn ask_user(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let AskUserArguments { question } = call.arguments()?;
    let params = format!(
        concat!(
            r#"{{"message":{},"requestedSchema":{{"type":"object","properties":{{"answer":"#,
            r#"{{"type":"string","title":"Your answer"}}}},"required":["answer"]}}}}"#,
        ),
        Value::from(question)
    );
    let asked = Asked { key: "answer", method: "elicitation/create", needs: Capability::Form };
    ask(call, out, &asked, params, |result| result.get().to_owned())
}

pub(super) const ASK_MODEL: Tool = Tool {
    name: "ask_model",
    title: "Ask the model",
    description: "Lets the client's model answer your prompt, and answers with what it said. \
                  Needs a client that supports sampling.",
    input_schema: r#"{
        "type": "object",
        "properties": {"prompt": {"type": "string", "description": "What the model is asked."}},
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

fn ask_model(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let AskModelArguments { prompt } = call.arguments()?;
    let params = format!(
        concat!(
            r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}],"#,
            r#""maxTokens":200}}"#,
        ),
        Value::from(prompt)
    );
    let asked =
        Asked { key: "message", method: "sampling/createMessage", needs: Capability::Sampling };
    ask(call, out, &asked, params, |result| result.get().to_owned())
}

pub(super) const ROOTS: Tool = Tool {
    name: "roots",
    title: "Roots of the client",
    description: "Asks the client for its roots, the folders that it works in, and lists them. \
                  Needs a client that supports roots.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: roots,
};

fn roots(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    let asked = Asked { key: "roots", method: "roots/list", needs: Capability::Roots };
    ask(call, out, &asked, "{}".to_owned(), roots_as_text)
}

/// How a question is put in either era.
struct Asked {
    /// The name of the answer, where the call comes again with it.
    key: &'static str,
    method: &'static str,
    needs: Capability,
}

/// Asks while the call waits, or lets the call come again with the answer, as the era has it.
fn ask(
    call: &Call<'_>,
    out: &mut Vec<u8>,
    asked: &Asked,
    params: String,
    as_text: fn(&RawValue) -> String,
) -> Result<Conduct, Stop> {
    let Asked { key, method, needs } = *asked;
    let Era::Modern(client) = call.era else {
        return Ok(Conduct::later(move |wait, out| {
            let reply = wait.ask(method, &params)?;
            relay(out, &reply, as_text);
            Ok(())
        }));
    };
    client.require(needs)?;
    let question = Question { key, method, params: &params };
    match call.returned.answer(&question)? {
        Some(result) => {
            relay(out, &Reply::Result(result.to_owned()), as_text);
            Ok(Conduct::Answer)
        }
        None => Ok(Conduct::Unfinished { kind: "input_required", members: question.members() }),
    }
}

/// The answer of the client as the tool's own: a result becomes structured content.
fn relay(out: &mut Vec<u8>, reply: &Reply, as_text: fn(&RawValue) -> String) {
    match reply {
        Reply::Result(result) if result.get().starts_with('{') => {
            result::structured(out, &as_text(result), result.get());
        }
        Reply::Result(result) => {
            result::failure(out, &format!("the client answered with no object: {result}"));
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

/// One root per line; a result of another shape as it is.
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
