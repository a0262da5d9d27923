//! The request envelope (Q1, Q2): what a JSON-RPC message must be before anybody looks inside.
//!
//! A message is opened at its top level only. What it holds stays as it was written, so that
//! whoever hands it on can splice an id and touch nothing else.

use bytes::Bytes;

use crate::catalogue::Code;
use crate::raw_json::{JsonObject, Kind, RawJson, ReadError, Reader};
use crate::violation::Violation;

/// How strict a request must be (Q2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// To the letter: `id` is a string, and `params` is there.
    #[default]
    Strict,
    /// As MCP has it: an `id` may be an integer, and `params` may be absent.
    Mcp,
}

/// One message, taken apart at its top level.
#[derive(Debug, Clone)]
pub enum Message {
    /// It asks for an answer.
    Request(Request),
    /// It asks for none.
    Notification(Notification),
    /// It answers a request.
    Response(Response),
}

/// A message that asks for an answer.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its id, a string or an integer as it was written.
    pub id: RawJson,
    /// What is asked for.
    pub method: String,
    /// The parameters.
    pub params: Option<JsonObject>,
    /// The whole message.
    pub frame: RawJson,
}

/// A message that asks for no answer.
#[derive(Debug, Clone)]
pub struct Notification {
    /// What is told.
    pub method: String,
    /// The parameters.
    pub params: Option<JsonObject>,
    /// The whole message.
    pub frame: RawJson,
}

/// A message that answers a request.
#[derive(Debug, Clone)]
pub struct Response {
    /// The id of the request, or `None` where it was not understood.
    pub id: Option<RawJson>,
    /// The result, or the error object.
    pub answer: Result<RawJson, RawJson>,
    /// The whole message.
    pub frame: RawJson,
}

/// A message that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// `PARSE_ERROR`, or `INVALID_ENVELOPE`.
    pub code: Code,
    /// The rule that it breaks.
    pub violation: Violation,
    /// The id, where it has one that can be answered.
    pub id: Option<RawJson>,
}

impl Message {
    /// Reads a message as MCP has it (Q2): ids may be integers and `params` may be absent.
    ///
    /// ```
    /// use manila::request_envelope::Message;
    ///
    /// let refused = Message::from_json(r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#);
    /// assert_eq!(refused.unwrap_err().violation.pointer, "/id");
    /// ```
    pub fn from_json(json: impl Into<Bytes>) -> Result<Message, Refused> {
        let read = Reader::payload_document(&json.into(), |reader| {
            let kind = reader.next_kind();
            if kind != Kind::Object {
                return Ok((Err(kind), reader.raw()?));
            }
            reader.with_raw(|reader| Parts::read(reader).map(Ok))
        });
        match read.map_err(|error| not_json(&error))? {
            (Ok(parts), frame) => parts.into_message(frame),
            (Err(Kind::Array), _) => {
                Err(refused("", "batch", "is a batch; send its messages one by one", None))
            }
            (Err(kind), _) => {
                let message = format!("must be an object, but is {}", kind.name());
                Err(refused("", "type", message, None))
            }
        }
    }
}

/// The members that make a message.
#[derive(Default)]
struct Parts {
    version: Option<RawJson>,
    id: Option<RawJson>,
    method: Option<RawJson>,
    params: Option<RawJson>,
    result: Option<RawJson>,
    error: Option<RawJson>,
    /// A pointer to one that is given twice.
    twice: Option<String>,
}

impl Parts {
    fn read(reader: &mut Reader<'_>) -> Result<Parts, ReadError> {
        let mut parts = Parts::default();
        reader.members(|reader, key| {
            let value = reader.raw()?;
            let place = match key {
                "jsonrpc" => &mut parts.version,
                "id" => &mut parts.id,
                "method" => &mut parts.method,
                "params" => &mut parts.params,
                "result" => &mut parts.result,
                "error" => &mut parts.error,
                _ => return Ok(()),
            };
            if place.replace(value).is_some() {
                parts.twice = Some(format!("/{key}"));
            }
            Ok(())
        })?;
        Ok(parts)
    }

    fn into_message(self, frame: RawJson) -> Result<Message, Refused> {
        let Parts { version, id, method, params, result, error, twice } = self;
        if let Some(pointer) = twice {
            // Two readers of such a message may take different ones.
            return Err(refused(&pointer, "unique", "is given twice", None));
        }
        let answerable = id.clone().filter(is_id);
        let refuse = |pointer: &str, rule: &str, message: &str| {
            Err(refused(pointer, rule, message, answerable.clone()))
        };
        let is_version_2 = version.as_ref().is_some_and(|it| it.as_bytes() == b"\"2.0\"");
        if !is_version_2 {
            return refuse("/jsonrpc", "const", "must be \"2.0\"");
        }
        let Some(method) = method else {
            let answer = match (result, error) {
                (Some(result), None) => Ok(result),
                (None, Some(error)) => Err(error),
                (Some(_), Some(_)) => return refuse("/error", "oneOf", "stands beside a result"),
                (None, None) => return refuse("/method", "required", "is required"),
            };
            let is_answer = id.as_ref().is_none_or(|id| is_id(id) || id.kind() == Kind::Null);
            if !is_answer {
                return refuse("/id", "type", "must be a string or an integer");
            }
            return Ok(Message::Response(Response { id: answerable, answer, frame }));
        };
        let Some(method) = method.as_text().filter(|method| !method.is_empty()) else {
            return refuse("/method", "type", "must be a string that is not empty");
        };
        let method = method.into_owned();
        // Many a client writes `null` where it has nothing to say.
        let params = params.filter(|params| params.kind() != Kind::Null);
        let params = match params.map(|params| JsonObject::new(params).ok_or(())) {
            None => None,
            Some(Ok(params)) => Some(params),
            Some(Err(())) => return refuse("/params", "type", "must be an object"),
        };
        match id {
            None => Ok(Message::Notification(Notification { method, params, frame })),
            Some(id) if is_id(&id) => Ok(Message::Request(Request { id, method, params, frame })),
            Some(_) => refuse("/id", "type", "must be an integer, or a string that is not empty"),
        }
    }
}

/// Q2: a string that is not empty, or an integer.
fn is_id(id: &RawJson) -> bool {
    match id.kind() {
        Kind::String => id.as_bytes().len() > 2,
        Kind::Number => !id.as_bytes().iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')),
        Kind::Object | Kind::Array | Kind::Bool | Kind::Null => false,
    }
}

fn not_json(error: &ReadError) -> Refused {
    let violation = Violation::new(error.pointer.clone(), "json", error.to_string());
    Refused { code: Code::ParseError, violation, id: None }
}

fn refused(pointer: &str, rule: &str, message: impl Into<String>, id: Option<RawJson>) -> Refused {
    let violation = Violation::new(pointer, rule, message);
    Refused { code: Code::InvalidEnvelope, violation, id }
}

#[cfg(test)]
mod tests;
