//! The request envelope (Q1, Q2): what a JSON-RPC message must be before anybody looks inside.
//!
//! A message is opened at its top level only. What it holds stays as it was written, so that
//! whoever hands it on can splice an id and touch nothing else.

mod parts;

use bytes::Bytes;

use crate::catalogue::Code;
use crate::raw_json::{JsonObject, Kind, RawJson, Reader};
use crate::violation::Violation;

pub(crate) use parts::{Broken, Parts, not_an_object};

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
    /// The parameter `name`, such as the name of a tool; of several, the last.
    pub name: Option<RawJson>,
    /// The parameter `arguments`; of several, the last.
    pub arguments: Option<RawJson>,
    /// The parameter `_meta`; of several, the last.
    pub meta: Option<RawJson>,
    /// The first of these three that is given twice.
    pub(crate) repeated: Option<&'static str>,
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
        let mut parts = Parts::default();
        let frame = open(&json.into(), &mut parts)?;
        parts.message(frame).map_err(|broken| refused(&parts, broken))
    }
}

impl Request {
    /// Reads a request to the letter of Q1, as plain HTTP takes it: `id` is a string that is not
    /// empty, and `params` is an object. There are no notifications.
    ///
    /// ```
    /// use manila::request_envelope::Request;
    ///
    /// let request = r#"{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {}}"#;
    /// assert_eq!(Request::from_json_strict(request).unwrap().method, "tools/call");
    /// let refused = Request::from_json_strict(request.replace("\"a\"", "7")).unwrap_err();
    /// assert_eq!(refused.violation.pointer, "/id");
    /// ```
    pub fn from_json_strict(json: impl Into<Bytes>) -> Result<Request, Refused> {
        let mut parts = Parts::default();
        let frame = open(&json.into(), &mut parts)?;
        parts.request(frame, Profile::Strict).map_err(|broken| refused(&parts, broken))
    }
}

/// Reads a message into `parts`, and returns the whole message. Fails if it is not an object.
///
/// The parts are large: they are filled in place, and never moved.
fn open(json: &Bytes, parts: &mut Parts) -> Result<RawJson, Refused> {
    let read = Reader::payload_document(json, |reader| {
        let kind = reader.next_kind();
        if kind == Kind::Object {
            reader.with_raw(|reader| parts.read(reader)).map(|((), frame)| Ok(frame))
        } else {
            reader.raw().map(|_| Err(kind))
        }
    });
    let opened = read.map_err(|error| {
        let violation = Violation::new(error.pointer.clone(), "json", error.to_string());
        Refused { code: Code::ParseError, violation, id: None }
    })?;
    opened.map_err(|kind| {
        let (rule, message) = not_an_object(kind);
        let violation = Violation::new("", rule, message);
        Refused { code: Code::InvalidEnvelope, violation, id: None }
    })
}

fn refused(parts: &Parts, broken: Broken) -> Refused {
    let Broken { member, rule, message, clause: _ } = broken;
    let violation = Violation::new(format!("/{member}"), rule, message);
    Refused { code: Code::InvalidEnvelope, violation, id: parts.answerable() }
}

#[cfg(test)]
mod tests;
