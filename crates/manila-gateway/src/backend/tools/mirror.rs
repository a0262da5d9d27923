//! Arguments that a tool wants to see in headers, too (`x-mcp-header`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manila::RawJson;
use manila::json::Kind;

use crate::upstream::Mirrored;

/// The word that marks a parameter.
const MARK: &str = "x-mcp-header";

/// The parameters of a tool that are told in headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mirror(Vec<Parameter>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    /// The names that lead to it from the root of the arguments.
    path: Vec<String>,
    /// The end of its header's name.
    header: String,
}

impl Mirror {
    /// The parameters that a tool's schema marks. An error is the rule that it breaks.
    pub(super) fn of(schema: Option<&RawJson>) -> Result<Mirror, String> {
        let Some(schema) = schema.filter(|it| it.as_str().contains(MARK)) else {
            return Ok(Mirror::default());
        };
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found)?;
        let n_marked = count_marks(schema);
        if n_marked != found.len() {
            return Err(format!("`{MARK}` stands where no parameter is reached by its name alone"));
        }
        for (at, parameter) in found.iter().enumerate() {
            let mut others = found.iter().skip(at + 1);
            if others.any(|other| other.header.eq_ignore_ascii_case(&parameter.header)) {
                return Err(format!("`{MARK}` is `{}` twice", parameter.header));
            }
        }
        Ok(Mirror(found))
    }

    /// What these arguments look like in headers.
    pub(super) fn shown(&self, arguments: &RawJson) -> Mirrored {
        let shown = self.0.iter().filter_map(|parameter| {
            Some((parameter.header.clone(), text(&parameter.value(arguments)?)?))
        });
        Mirrored(shown.collect())
    }

    /// The first header that does not tell what stands in the arguments, if there is one. `given`
    /// has the value of a header.
    pub(super) fn mismatch<'a>(
        &self,
        arguments: impl FnOnce() -> Option<RawJson>,
        given: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Option<String> {
        // Hardly any tool wants that.
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
                (Some(expected), Some(given)) => decoded(given)
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
        if let Some(mark) = property.get(MARK) {
            let header = header(&mark)?;
            let kind = property.get("type");
            let kind = kind.as_ref().and_then(RawJson::as_text).unwrap_or_default();
            if !matches!(&*kind, "string" | "integer" | "boolean") {
                return Err(format!("`{MARK}` must stand at a string, an integer or a boolean"));
            }
            found.push(Parameter { path: path.clone(), header });
        }
        collect(&property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// The name of a header: letters, digits and a few signs.
fn header(mark: &RawJson) -> Result<String, String> {
    let name = mark.as_text().unwrap_or_default();
    let is_sign = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_name =
        !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || is_sign(it));
    if is_name { Ok(name.into_owned()) } else { Err(format!("`{MARK}` must be a header's name")) }
}

/// How often the mark stands anywhere in a schema.
fn count_marks(schema: &RawJson) -> usize {
    match schema.kind() {
        Kind::Object => {
            schema.members().map(|it| usize::from(it.is(MARK)) + count_marks(&it.value())).sum()
        }
        Kind::Array => schema.items().map(|it| count_marks(&it)).sum(),
        Kind::String | Kind::Number | Kind::Bool | Kind::Null => 0,
    }
}

/// A value as a header tells it; what is nothing is not told.
fn text(value: &RawJson) -> Option<String> {
    match value.kind() {
        Kind::String => value.as_text().map(std::borrow::Cow::into_owned),
        Kind::Number => Some(whole(value.as_str()).unwrap_or_else(|| value.as_str().to_owned())),
        Kind::Bool => Some(value.as_str().to_owned()),
        Kind::Null | Kind::Object | Kind::Array => None,
    }
}

/// A whole number without what stands for nothing: `42.0` is `42`.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
fn whole(number: &str) -> Option<String> {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    let value: f64 = number.parse().ok()?;
    (value.fract() == 0.0 && value.abs() <= SAFE).then(|| (value as i64).to_string())
}

fn is_same_number(given: &str, expected: &str) -> bool {
    whole(given).is_some_and(|given| whole(expected).is_some_and(|expected| given == expected))
}

/// The value of a header, unwrapped if it could not be carried as it is.
pub(crate) fn decoded(value: &[u8]) -> Option<String> {
    let text = str::from_utf8(value).ok()?;
    let wrapped = text.strip_prefix("=?base64?").and_then(|it| it.strip_suffix("?="));
    match wrapped {
        Some(wrapped) => String::from_utf8(STANDARD.decode(wrapped).ok()?).ok(),
        None => text.bytes().all(|it| matches!(it, b' '..=b'~' | b'\t')).then(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
