//! One line from the client, told apart: a request, a notification, or an answer.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::rpc_error::RpcError;

/// A message of the client.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// It wants an answer under this id.
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// It wants no answer.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// It answers a request of ours.
    Answer { id: &'a RawValue, reply: Reply },
}

/// What the client answered.
#[derive(Debug)]
pub(super) enum Reply {
    /// The request succeeded with this result.
    Result(Box<RawValue>),
    /// The request failed with this error object.
    Error(Box<RawValue>),
}

/// A line that is no message, with the id to answer under when one could be read.
#[derive(Debug)]
pub(super) struct Rejected<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) error: RpcError,
}

/// Reads one line.
pub(super) fn read(line: &[u8]) -> Result<Message<'_>, Rejected<'_>> {
    let text = str::from_utf8(line).map_err(|_| Rejected {
        id: None,
        error: RpcError::parse_error("the line is not UTF-8"),
    })?;
    // An array would pass for a struct, field by field.
    let fields = if text.trim_start().starts_with('[') {
        serde_json::from_str::<&RawValue>(text)
            .and(Err(serde::de::Error::custom("a batch is not served")))
    } else {
        serde_json::from_str::<Fields<'_>>(text)
    };
    match fields {
        Ok(fields) => told_apart(fields),
        Err(error) if error.is_data() => {
            Err(Rejected { id: None, error: RpcError::invalid_request(error.to_string()) })
        }
        Err(error) => Err(Rejected { id: None, error: RpcError::parse_error(error.to_string()) }),
    }
}

fn told_apart(fields: Fields<'_>) -> Result<Message<'_>, Rejected<'_>> {
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
        (Some(Word(method)), Some(id), _, _) => Ok(Message::Request { id, method, params }),
        (Some(Word(method)), None, _, _) => Ok(Message::Notification { method, params }),
        (None, Some(id), Some(error), _) => {
            Ok(Message::Answer { id, reply: Reply::Error(error.to_owned()) })
        }
        (None, Some(id), None, Some(result)) => {
            Ok(Message::Answer { id, reply: Reply::Result(result.to_owned()) })
        }
        (None, id, _, _) => {
            let error = RpcError::invalid_request("a message must have a method or a result");
            Err(Rejected { id, error })
        }
    }
}

/// The fields of all messages; which are there tells what kind it is.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Word<'a>>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Word<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Text that is borrowed from the line unless it holds escapes; serde borrows a bare `Cow` only.
#[derive(Deserialize)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

/// Keeps a `null` that is there apart from a field that is not.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(field).map(Some)
}
