//! Validate: parse the parameters of a `tools/call` request, or refuse it.
//!
//! The parameters are parsed once, with the message. So the tool that the gateway looks up and the
//! arguments that it checks are those that the server receives. A duplicate member is refused here,
//! because the server might use the other value.

use std::borrow::Cow;

use crate::raw_json::RawJson;
use crate::request_envelope::{AmbiguousParam, RESPELLED, Request};
#[cfg(feature = "validate")]
use crate::schema::Schema;
use crate::violation::Violation;

/// The parsed parameters of a `tools/call` request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ParsedCall {
    /// The tool's name.
    pub name: String,
    /// The arguments, if present. They have not been checked.
    pub arguments: Option<RawJson>,
    /// The request's `_meta`.
    pub meta: Option<RawJson>,
}

/// Parses the parameters of `tools/call`.
///
/// Fails if `name`, `arguments` or `_meta` is duplicated or given in another case, or if `name` is
/// missing or not a string.
/// Other members are ignored.
///
/// ```
/// use manila::request_envelope::Request;
/// use manila::stage::validate::validate;
///
/// let call = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo"}}"#;
/// let request = Request::from_json_strict(call).unwrap();
/// assert_eq!(validate(&request)?.name, "echo");
/// # Ok::<(), manila::Violation>(())
/// ```
pub fn validate(request: &Request) -> Result<ParsedCall, Violation> {
    check_unique(request)?;
    let name = request.name.as_ref().and_then(RawJson::as_text);
    let no_name = || Violation::new("/params/name", "required", "must be the name of a tool");
    let name = name.map(Cow::into_owned).ok_or_else(no_name)?;
    let (arguments, meta) = (request.arguments.clone(), request.meta.clone());
    Ok(ParsedCall { name, arguments, meta })
}

/// Checks that `name`, `arguments` and `_meta` each occur at most once, and not in another case.
pub fn check_unique(request: &Request) -> Result<(), Violation> {
    let (key, message) = match request.ambiguous {
        Some(AmbiguousParam::Repeated(key)) => (key, "is given twice"),
        Some(AmbiguousParam::Respelled(key)) => (key, RESPELLED),
        None => return Ok(()),
    };
    Err(Violation::new(format!("/params/{key}"), "unique", message))
}

/// Returns the rules of the tool's input schema that a call's arguments break.
///
/// Absent or `null` arguments count as an empty object.
#[cfg(feature = "validate")]
#[must_use]
pub fn check_arguments(arguments: Option<&RawJson>, schema: &Schema) -> Vec<Violation> {
    schema.check_arguments(arguments)
}

#[cfg(test)]
mod tests;
