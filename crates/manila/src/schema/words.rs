//! What a broken rule asks for, in words, without the value that breaks it.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::violation::{Violation, below};

/// The violations of one error: several where several members are unknown.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rules of JSON Schema are not ours to list")]
pub(super) fn violation(error: &ValidationError<'_>) -> Vec<Violation> {
    use ValidationErrorKind as Kind;
    let pointer = error.instance_path().to_string();
    let rule = error.kind().keyword();
    let below = |name: &str| below(&pointer, name);
    match error.kind() {
        Kind::Required { property: Value::String(name) } => {
            vec![Violation::new(below(name), rule, "is required")]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let unknown = |name: &String| Violation::new(below(name), rule, "is not known here");
            unexpected.iter().map(unknown).collect()
        }
        other => vec![Violation::new(pointer, rule, words(other, error))],
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the rules of JSON Schema are not ours to list")]
fn words(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind: TypeKind::Single(name) } => format!("must be of type {name}"),
        Kind::Type { kind: TypeKind::Multiple(names) } => {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            format!("must be of type {}", names.join(" or "))
        }
        Kind::Enum { options } => format!("must be one of {}", short(options)),
        Kind::Constant { expected_value } => format!("must be {}", short(expected_value)),
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
        Kind::Pattern { pattern } => format!("must match the pattern {}", cut(pattern)),
        Kind::Format { format } => format!("must be a valid {format}"),
        Kind::UniqueItems => "must not have the same item twice".to_owned(),
        Kind::AnyOf { .. } => "must fit at least one of the alternatives".to_owned(),
        Kind::OneOfNotValid { .. } => "must fit one of the alternatives".to_owned(),
        Kind::OneOfMultipleValid { .. } => {
            "must fit exactly one of the alternatives, but fits several".to_owned()
        }
        _ => error.masked().to_string(),
    }
}

/// A value of the schema, as much of it as people read.
fn short(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    let (short, is_cut) = crate::contract::cut(text, CHARS_MAX);
    if is_cut { format!("{short}...") } else { short.to_owned() }
}
