//! Arguments: params and tool arguments, parsed into the types of the handlers.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Number;

use super::rpc_error::RpcError;

/// Parses the JSON object `json` into a `T`.
pub(super) fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, RpcError> {
    // serde would accept an array as a struct, element by element.
    if !json.starts_with('{') {
        return Err(RpcError::invalid_params("params and arguments must be objects"));
    }
    serde_json::from_str(json).map_err(|error| RpcError::invalid_params(error.to_string()))
}

/// An empty object of arguments.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

/// An integer within limits. As in JSON Schema, `3.0` is an integer.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntegerIn<const MIN: u64, const MAX: u64>(pub(super) u64);

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for IntegerIn<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let number = Number::deserialize(value)?;
        match as_integer(&number) {
            Some(integer) if (MIN..=MAX).contains(&integer) => Ok(IntegerIn(integer)),
            Some(_) | None => Err(D::Error::custom(format!(
                "a number must be whole and from {MIN} to {MAX}, but is {number}"
            ))),
        }
    }
}

fn as_integer(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| format!("{}", number.as_f64()?).parse().ok())
}
