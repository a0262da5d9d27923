//! Arguments that are also sent as headers (`x-mcp-header`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manila::RawJson;
use manila::json::Kind;

use crate::upstream::HeaderParams;

/// The keyword that marks a parameter.
const KEYWORD: &str = "x-mcp-header";

/// The parameters of a tool that are sent as headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HeaderMapping(Vec<Parameter>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    /// The names that lead to the parameter from the root of the arguments.
    path: Vec<String>,
    /// The suffix of the header's name.
    header: String,
}

impl HeaderMapping {
    /// Collects the parameters that a tool's schema marks. An error is the rule that the schema
    /// violates.
    pub(super) fn of(schema: Option<&RawJson>) -> Result<HeaderMapping, String> {
        let Some(schema) = schema.filter(|it| it.as_str().contains(KEYWORD)) else {
            return Ok(HeaderMapping::default());
        };
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found)?;
        let n_marked = count_keywords(schema);
        if n_marked != found.len() {
            return Err(format!(
                "`{KEYWORD}` must be on a parameter that is nested only in objects"
            ));
        }
        for (index, parameter) in found.iter().enumerate() {
            let mut others = found.iter().skip(index + 1);
            if others.any(|other| other.header.eq_ignore_ascii_case(&parameter.header)) {
                return Err(format!("`{KEYWORD}` uses the header `{}` twice", parameter.header));
            }
        }
        Ok(HeaderMapping(found))
    }

    /// Returns the headers for these arguments.
    pub(super) fn params(&self, arguments: &RawJson) -> HeaderParams {
        let params = self.0.iter().filter_map(|parameter| {
            Some((parameter.header.clone(), text(&parameter.value(arguments)?)?))
        });
        HeaderParams(params.collect())
    }

    /// Returns the first header that does not match the arguments, if any. `given` returns the
    /// value of a header.
    pub(super) fn find_mismatch<'a>(
        &self,
        arguments: impl FnOnce() -> Option<RawJson>,
        given: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Option<String> {
        // Hardly any tool has such parameters.
        if self.0.is_empty() {
            return None;
        }
        let arguments = arguments();
        self.0.iter().find_map(|parameter| {
            let name = format!("mcp-param-{}", parameter.header.to_ascii_lowercase());
            let value = arguments.as_ref().and_then(|arguments| parameter.value(arguments));
            let expected = value.as_ref().and_then(text);
            let is_same = match (expected, given(&name)) {
                (None, None) => true,
                (Some(expected), Some(given)) => decode_value(given)
                    .is_some_and(|it| it == expected || is_same_number(&it, &expected)),
                (Some(_), None) | (None, Some(_)) => false,
            };
            (!is_same).then_some(name)
        })
    }
}

impl Parameter {
    fn value(&self, arguments: &RawJson) -> Option<RawJson> {
        self.path.iter().try_fold(arguments.clone(), |value, name| value.get(name))
    }
}

fn collect(
    schema: &RawJson,
    path: &mut Vec<String>,
    found: &mut Vec<Parameter>,
) -> Result<(), String> {
    let Some(properties) = schema.get("properties") else { return Ok(()) };
    for member in properties.members() {
        let property = member.value();
        path.push(member.key().into_owned());
        if let Some(mark) = property.get(KEYWORD) {
            let header = header(&mark)?;
            let kind = property.get("type");
            let kind = kind.as_ref().and_then(RawJson::as_text).unwrap_or_default();
            if !matches!(&*kind, "string" | "integer" | "boolean") {
                return Err(format!("`{KEYWORD}` must be on a string, an integer or a boolean"));
            }
            found.push(Parameter { path: path.clone(), header });
        }
        collect(&property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// Parses the name of a header: letters, digits and a few symbols.
fn header(mark: &RawJson) -> Result<String, String> {
    let name = mark.as_text().unwrap_or_default();
    let is_symbol = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_name =
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || is_symbol(it));
    if is_name { Ok(name.into_owned()) } else { Err(format!("`{KEYWORD}` must be a header name")) }
}

/// Counts the marks in a whole schema.
fn count_keywords(schema: &RawJson) -> usize {
    match schema.kind() {
        Kind::Object => schema
            .members()
            .map(|it| usize::from(it.is(KEYWORD)) + count_keywords(&it.value()))
            .sum(),
        Kind::Array => schema.items().map(|it| count_keywords(&it)).sum(),
        Kind::String | Kind::Number | Kind::Bool | Kind::Null => 0,
    }
}

/// Formats a value for a header. Returns `None` for `null`.
fn text(value: &RawJson) -> Option<String> {
    match value.kind() {
        Kind::String => value.as_text().map(std::borrow::Cow::into_owned),
        Kind::Number => {
            Some(integer_text(value.as_str()).unwrap_or_else(|| value.as_str().to_owned()))
        }
        Kind::Bool => Some(value.as_str().to_owned()),
        Kind::Null | Kind::Object | Kind::Array => None,
    }
}

/// Formats a whole number without a fraction: `42.0` becomes `42`.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
fn integer_text(number: &str) -> Option<String> {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    let value: f64 = number.parse().ok()?;
    (value.fract() == 0.0 && value.abs() <= SAFE).then(|| (value as i64).to_string())
}

fn is_same_number(given: &str, expected: &str) -> bool {
    integer_text(given)
        .is_some_and(|given| integer_text(expected).is_some_and(|expected| given == expected))
}

/// Decodes the value of a header, which is base64 if it is not valid as text.
pub(crate) fn decode_value(value: &[u8]) -> Option<String> {
    let text = str::from_utf8(value).ok()?;
    let encoded = text.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => text.bytes().all(|it| matches!(it, b' '..=b'~' | b'\t')).then(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
