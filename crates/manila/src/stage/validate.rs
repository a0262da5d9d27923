//! Validate: read the parameters of a `tools/call` request, or refuse it.
//!
//! The parameters are found once, when the message is read, so that the tool that is looked up and
//! the arguments that are checked are the ones that the server gets. A member that is given twice
//! is refused here, because the server might take the other one.

use std::borrow::Cow;

use crate::raw_json::RawJson;
use crate::request_envelope::Request;
#[cfg(feature = "validate")]
use crate::schema::Schema;
use crate::violation::Violation;

/// A `tools/call` request whose parameters have been read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ParsedCall {
    /// The tool's name.
    pub name: String,
    /// The arguments, if any were given. They have not been checked.
    pub arguments: Option<RawJson>,
    /// The request's `_meta`.
    pub meta: Option<RawJson>,
}

/// Reads the parameters of `tools/call`.
///
/// Fails if a member that is read is given twice, or if `name` is missing or no string.
/// Members that are not read are left alone.
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

/// Checks that `name`, `arguments` and `_meta` are each given at most once.
pub fn check_unique(request: &Request) -> Result<(), Violation> {
    match request.repeated {
        Some(key) => Err(Violation::new(format!("/params/{key}"), "unique", "is given twice")),
        None => Ok(()),
    }
}

/// Returns the rules of the tool's input schema that a call's arguments break.
///
/// Arguments that are absent or `null` stand for an empty object.
#[cfg(feature = "validate")]
#[must_use]
pub fn check_arguments(arguments: Option<&RawJson>, schema: &Schema) -> Vec<Violation> {
    schema.check_arguments(arguments)
}

#[cfg(test)]
mod tests;
