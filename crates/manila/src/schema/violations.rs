//! Messages for broken rules, which never show the value that breaks them.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::pointer::child_pointer;
use crate::violation::Violation;

/// Converts one error about a part of `document` to violations: one for each unknown member.
#[expect(clippy::wildcard_enum_match_arm, reason = "the jsonschema crate may add rules")]
pub(super) fn violations(
    error: &ValidationError<'_>,
    document: &Value,
    n_max: usize,
) -> Vec<Violation> {
    use ValidationErrorKind as Kind;
    let pointer = error.instance_path().to_string();
    let rule = error.kind().keyword();
    let below = |name: &str| child_pointer(&pointer, name);
    let unknown =
        |rule: &str, name: &str| Violation::new(below(name), rule, "is not a known member");
    match error.kind() {
        Kind::Required { property: Value::String(name) } => {
            vec![Violation::new(below(name), rule, "is required")]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().take(n_max).map(|name| unknown(rule, name)).collect()
        }
        // A schema that allows no members reports the object, not its members.
        Kind::FalseSchema if is_keyword(error.schema_path().as_str(), ADDITIONAL) => {
            match document.pointer(&pointer).and_then(Value::as_object) {
                Some(members) => {
                    members.keys().take(n_max).map(|name| unknown(ADDITIONAL, name)).collect()
                }
                None => vec![Violation::new(pointer, rule, render_message(error.kind(), error))],
            }
        }
        Kind::PropertyNames { error: inner } => {
            let place = inner.instance().as_str().map_or_else(|| pointer.clone(), below);
            let message = format!("has a name that {}", render_message(inner.kind(), inner));
            vec![Violation::new(place, rule, message)]
        }
        other => vec![Violation::new(pointer, rule, render_message(other, error))],
    }
}

const ADDITIONAL: &str = "additionalProperties";

/// Returns whether the last step of a path through a schema is this keyword, not a user-defined
/// name.
fn is_keyword(schema_path: &str, keyword: &str) -> bool {
    const WITH_NAMES: [&str; 5] =
        ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    let mut is_name = false;
    let mut is_match = false;
    for step in schema_path.split('/').skip(1) {
        is_match = !is_name && step == keyword;
        is_name = !is_name && WITH_NAMES.contains(&step);
    }
    is_match
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the jsonschema crate may add rules")]
fn render_message(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind: TypeKind::Single(name) } => format!("must be of type {name}"),
        Kind::Type { kind: TypeKind::Multiple(names) } => {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            format!("must be of type {}", names.join(" or "))
        }
        Kind::Enum { options } => format!("must be one of {}", render_value(options)),
        Kind::Constant { expected_value } => format!("must be {}", render_value(expected_value)),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::MinProperties { limit } => format!("must have at least {limit} members"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} members"),
        // The keyword `pattern`, and the same for names.
        Kind::Custom { message, .. } => message.clone(),
        Kind::Pattern { pattern } => format!("must match the pattern {}", cut(pattern)),
        Kind::Format { format } => format!("must be a valid {format}"),
        Kind::UniqueItems => "must not have the same item twice".to_owned(),
        Kind::AdditionalItems { limit } => format!("must have at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "has items that the schema does not allow".to_owned(),
        Kind::Contains => "must have an item that matches `contains`".to_owned(),
        Kind::FalseSchema => "must be absent".to_owned(),
        Kind::Not { .. } => "must not match the schema in `not`".to_owned(),
        Kind::ContentEncoding { content_encoding } => {
            format!("must be encoded as {}", cut(content_encoding))
        }
        Kind::ContentMediaType { content_media_type } => {
            format!("must be of the media type {}", cut(content_media_type))
        }
        Kind::AnyOf { .. } => "must match at least one of the alternatives".to_owned(),
        Kind::OneOfNotValid { .. } => "must match one of the alternatives".to_owned(),
        Kind::OneOfMultipleValid { .. } => {
            "must match exactly one of the alternatives, but matches several".to_owned()
        }
        _ => error.masked().to_string(),
    }
}

/// Renders a value of the schema, truncated.
fn render_value(value: &Value) -> String {
    cut(&value.to_string())
}

/// Returns the start of a long text.
pub(super) fn cut(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    let (short, is_cut) = crate::truncate::cut(text, CHARS_MAX);
    if is_cut { format!("{short}...") } else { short.to_owned() }
}
