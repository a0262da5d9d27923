//! Validate: read the parameters of a `tools/call` request, or refuse it.
//!
//! The parameters are read once, here, so that the tool that is looked up and the arguments that
//! are checked are the ones that the server gets. A member that is given twice is refused,
//! because the server might take the other one.

use std::borrow::Cow;

use crate::raw_json::{JsonObject, RawJson};
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
/// use manila::JsonObject;
/// use manila::stage::validate::validate;
///
/// let params = JsonObject::build(|params| params.member("name", "echo"));
/// assert_eq!(validate(Some(&params))?.name, "echo");
/// assert_eq!(validate(None).unwrap_err().pointer, "/params/name");
/// # Ok::<(), manila::Violation>(())
/// ```
pub fn validate(params: Option<&JsonObject>) -> Result<ParsedCall, Violation> {
    let (mut name, mut arguments, mut meta) = (None, None, None);
    for member in params.iter().flat_map(|params| params.members()) {
        let places = [("name", &mut name), ("arguments", &mut arguments), ("_meta", &mut meta)];
        let place = places.into_iter().find(|(key, _)| member.is(key));
        if let Some((key, place)) = place
            && place.replace(member.value()).is_some()
        {
            return Err(Violation::new(format!("/params/{key}"), "unique", "is given twice"));
        }
    }
    let name = name.as_ref().and_then(RawJson::as_text);
    let no_name = || Violation::new("/params/name", "required", "must be the name of a tool");
    let name = name.map(Cow::into_owned).ok_or_else(no_name)?;
    Ok(ParsedCall { name, arguments, meta })
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
