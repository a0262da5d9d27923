//! Arguments: params and tool arguments, read into the types that the handlers want.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Number;

use super::rpc_error::RpcError;

/// Reads the JSON object `json` as a `T`.
pub(super) fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, RpcError> {
    // An array would pass for a struct, field by field.
    if !json.starts_with('{') {
        return Err(RpcError::invalid_params("params and arguments must be objects"));
    }
    serde_json::from_str(json).map_err(|error| RpcError::invalid_params(error.to_string()))
}

/// No arguments at all.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

/// A whole number within limits; `3.0` is one, as it is for JSON Schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole<const MIN: u64, const MAX: u64>(pub(super) u64);

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let number = Number::deserialize(value)?;
        match whole(&number) {
            Some(whole) if (MIN..=MAX).contains(&whole) => Ok(Whole(whole)),
            Some(_) | None => Err(D::Error::custom(format!(
                "a number must be whole and from {MIN} to {MAX}, but is {number}"
            ))),
        }
    }
}

fn whole(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| format!("{}", number.as_f64()?).parse().ok())
}
