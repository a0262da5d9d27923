//! Messages of the client: requests, notifications and responses.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::rpc_error::RpcError;

/// A message of the client, by kind.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// A request, which expects a response with this id.
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// A notification, which has no response.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// A response to a request of the server.
    Response { id: &'a RawValue, reply: Reply },
}

/// The content of a response.
#[derive(Debug)]
pub(super) enum Reply {
    /// The request succeeded with this result.
    Result(Box<RawValue>),
    /// The request failed with this error object.
    Error(Box<RawValue>),
}

/// A line that is not a valid message, with the id for the response if one could be read.
#[derive(Debug)]
pub(super) struct Rejected<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) error: RpcError,
}

/// Parses a line.
pub(super) fn read(line: &[u8]) -> Result<Message<'_>, Rejected<'_>> {
    let text = str::from_utf8(line).map_err(|_| Rejected {
        id: None,
        error: RpcError::parse_error("the line is not UTF-8"),
    })?;
    // serde would accept an array as a struct, element by element.
    let fields = if text.trim_start().starts_with('[') {
        serde_json::from_str::<&RawValue>(text)
            .and(Err(serde::de::Error::custom("batches are not supported")))
    } else {
        serde_json::from_str::<Fields<'_>>(text)
    };
    match fields {
        Ok(fields) => classify(fields),
        Err(error) if error.is_data() => {
            Err(Rejected { id: None, error: RpcError::invalid_request(error.to_string()) })
        }
        Err(error) => Err(Rejected { id: None, error: RpcError::parse_error(error.to_string()) }),
    }
}

fn classify(fields: Fields<'_>) -> Result<Message<'_>, Rejected<'_>> {
    let Fields { jsonrpc, id, method, params, result, error } = fields;
    if id.is_some_and(|id| !id.get().starts_with(|first: char| "\"-0123456789".contains(first))) {
        let error = RpcError::invalid_request("an id must be a string or a number");
        return Err(Rejected { id: None, error });
    }
    if jsonrpc.is_none_or(|version| version.0 != "2.0") {
        let error = RpcError::invalid_request("`jsonrpc` must be \"2.0\"");
        return Err(Rejected { id, error });
    }
    match (method, id, error, result) {
        (Some(Text(method)), Some(id), _, _) => Ok(Message::Request { id, method, params }),
        (Some(Text(method)), None, _, _) => Ok(Message::Notification { method, params }),
        (None, Some(id), Some(error), _) => {
            Ok(Message::Response { id, reply: Reply::Error(error.to_owned()) })
        }
        (None, Some(id), None, Some(result)) => {
            Ok(Message::Response { id, reply: Reply::Result(result.to_owned()) })
        }
        (None, id, _, _) => {
            let error = RpcError::invalid_request("a message must have a method or a result");
            Err(Rejected { id, error })
        }
    }
}

/// The fields of all messages. The fields that are present determine the kind.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Text<'a>>,
    #[serde(default, borrow, deserialize_with = "read_present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "read_present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Text that is borrowed from the line unless it contains escapes. serde borrows only a bare `Cow`,
/// not an optional one.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Deserializes a field that is present, so that `null` differs from an absent field.
fn read_present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(field).map(Some)
}
