//! The tool `fail`, which fails the way real tools do.

use serde::Deserialize;

use super::super::disposition::{Disposition, HandlerError};
use super::super::jsonrpc::push;
use super::super::result;
use super::super::rpc_error::RpcError;
use super::{Call, Tool};

pub(super) const FAIL: Tool = Tool {
    name: "fail",
    title: "Fail",
    description: "Fails in the way you choose. `text`, `json` and `traceback` are formats of a \
                  message, and `empty` has none; `not_found`, `permission`, `timeout`, \
                  `rate_limit` and `too_large` are typical messages; `protocol_error` and \
                  `invalid_params` are JSON-RPC errors.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "how": {
                "type": "string",
                "enum": ["text", "json", "not_found", "permission", "timeout", "rate_limit",
                    "too_large", "empty", "traceback", "protocol_error", "invalid_params"],
                "description": "The way to fail."
            }
        },
        "required": ["how"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: fail,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FailArguments {
    how: How,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Text,
    Json,
    NotFound,
    Permission,
    Timeout,
    RateLimit,
    TooLarge,
    Empty,
    Traceback,
    ProtocolError,
    InvalidParams,
}

const TRACEBACK: &str = r#"Traceback (most recent call last):
  File "/srv/harbour/tools/berth.py", line 41, in assign
    berth = berths[ship.length_m]
            ~~~~~~^^^^^^^^^^^^^^^
KeyError: 312"#;

fn fail(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let FailArguments { how } = call.arguments()?;
    let text = match how {
        How::Text => "The manifest could not be printed: the printer is out of paper.",
        How::Json => {
            r#"{"success":false,"error":"the database is locked","error_code":"DB_LOCKED"}"#
        }
        How::NotFound => "File not found: /srv/harbour/manifest-2031.csv",
        How::Permission => "EACCES: permission denied, open '/srv/harbour/private/ledger.db'",
        How::Timeout => "Request timed out after 30000 ms",
        How::RateLimit => "429 Too Many Requests: rate limit exceeded, retry after 30 seconds",
        How::TooLarge => "Response too large: 52428800 bytes exceed the limit of 10485760 bytes",
        How::Traceback => TRACEBACK,
        How::Empty => {
            push(out, r#"{"content":[],"isError":true}"#);
            return Ok(Disposition::Answer);
        }
        How::ProtocolError => {
            let data = Some(r#"{"component":"berth planner","retry":true}"#.to_owned());
            return Err(RpcError { data, ..RpcError::internal("the berth planner broke") }.into());
        }
        How::InvalidParams => {
            let message = "the berth must be from 1 to 9, but is 12";
            return Err(RpcError::invalid_params(message).into());
        }
    };
    result::failure(out, text);
    Ok(Disposition::Answer)
}
