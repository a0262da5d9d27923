//! The request envelope (Q1, Q2): parsing and checking JSON-RPC messages.
//!
//! A message is parsed at its top level only. Its contents keep their original bytes, so that the
//! gateway can forward it with another id and change nothing else.

mod parts;

use bytes::Bytes;

use crate::catalogue::Code;
use crate::raw_json::{JsonObject, Kind, RawJson, Reader};
use crate::violation::Violation;

pub(crate) use parts::{AmbiguousParam, BrokenRule, Parts, RESPELLED, not_an_object};

/// The strictness of parsing a request (Q2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// Strict: `id` is a string, and `params` is required.
    #[default]
    Strict,
    /// As in MCP: `id` may be an integer, and `params` may be absent.
    Mcp,
}

/// A message, parsed at its top level.
#[derive(Debug, Clone)]
pub enum Message {
    /// A request, which expects a response.
    Request(Request),
    /// A notification, which expects no response.
    Notification(Notification),
    /// A response to a request.
    Response(Response),
}

/// A message that expects a response.
#[derive(Debug, Clone)]
pub struct Request {
    /// The id, a string or an integer with its original bytes.
    pub id: RawJson,
    /// The requested method.
    pub method: String,
    /// The parameters.
    pub params: Option<JsonObject>,
    /// The parameter `name`, such as the name of a tool; if repeated, the last one.
    pub name: Option<RawJson>,
    /// The parameter `arguments`; if repeated, the last one.
    pub arguments: Option<RawJson>,
    /// The parameter `_meta`; if repeated, the last one.
    pub meta: Option<RawJson>,
    /// The first of these three that is ambiguous.
    pub(crate) ambiguous: Option<AmbiguousParam>,
    /// The whole message.
    pub frame: RawJson,
}

/// A message that expects no response.
#[derive(Debug, Clone)]
pub struct Notification {
    /// The method.
    pub method: String,
    /// The parameters.
    pub params: Option<JsonObject>,
    /// The whole message.
    pub frame: RawJson,
}

/// A response to a request.
#[derive(Debug, Clone)]
pub struct Response {
    /// The id of the request, or `None` if the server could not read it.
    pub id: Option<RawJson>,
    /// The result, or the error object.
    pub answer: Result<RawJson, RawJson>,
    /// The whole message.
    pub frame: RawJson,
}

/// A message that was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedMessage {
    /// `PARSE_ERROR`, or `INVALID_ENVELOPE`.
    pub code: Code,
    /// The rule that it breaks.
    pub violation: Violation,
    /// The id, if the message has a valid one.
    pub id: Option<RawJson>,
}

impl Message {
    /// Parses a message as in MCP (Q2): ids may be integers, and `params` may be absent.
    ///
    /// ```
    /// use manila::request_envelope::Message;
    ///
    /// let refused = Message::from_json(r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#);
    /// assert_eq!(refused.unwrap_err().violation.pointer, "/id");
    /// ```
    pub fn from_json(json: impl Into<Bytes>) -> Result<Message, RefusedMessage> {
        let mut parts = Parts::default();
        let frame = parse_top_level(&json.into(), &mut parts)?;
        parts.message(frame).map_err(|broken| refuse(&parts, broken))
    }
}

impl Request {
    /// Parses a strict request (Q1), as accepted over plain HTTP: `id` is a string that is not
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
    pub fn from_json_strict(json: impl Into<Bytes>) -> Result<Request, RefusedMessage> {
        let mut parts = Parts::default();
        let frame = parse_top_level(&json.into(), &mut parts)?;
        parts.request(frame, Profile::Strict).map_err(|broken| refuse(&parts, broken))
    }
}

/// Parses a message into `parts`, and returns the whole message. Fails if it is not an object.
///
/// The parts are large, so they are filled in place and never moved.
fn parse_top_level(json: &Bytes, parts: &mut Parts) -> Result<RawJson, RefusedMessage> {
    let parsed = Reader::payload_document(json, |reader| {
        let kind = reader.next_kind();
        if kind == Kind::Object {
            reader.with_raw(|reader| parts.read(reader)).map(|((), frame)| Ok(frame))
        } else {
            reader.raw().map(|_| Err(kind))
        }
    });
    let frame = parsed.map_err(|error| {
        let violation = Violation::new(error.pointer.clone(), "json", error.to_string());
        RefusedMessage { code: Code::ParseError, violation, id: None }
    })?;
    frame.map_err(|kind| {
        let (rule, message) = not_an_object(kind);
        let violation = Violation::new("", rule, message);
        RefusedMessage { code: Code::InvalidEnvelope, violation, id: None }
    })
}

fn refuse(parts: &Parts, broken: BrokenRule) -> RefusedMessage {
    let BrokenRule { member, rule, message, clause: _ } = broken;
    let violation = Violation::new(format!("/{member}"), rule, message);
    RefusedMessage { code: Code::InvalidEnvelope, violation, id: parts.valid_id() }
}

#[cfg(test)]
mod tests;
