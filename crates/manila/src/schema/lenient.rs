//! Converts a value to a tree for checks. Values that a tree cannot hold are approximated.

use serde_json::{Map, Number, Value};

use crate::raw_json::{Kind, RawJson};

/// Converts a value to a tree. A lone surrogate becomes U+FFFD, and a number beyond every machine
/// type becomes the largest one. In practice, schemas accept both the original and the copy, or
/// neither.
pub(super) fn tree(value: &RawJson) -> Value {
    // Almost all values can be converted directly, which is far faster.
    serde_json::from_slice(value.as_bytes()).unwrap_or_else(|_| tree_slowly(value))
}

/// Recursion is bounded: parsed values are at most `DEPTH_MAX` deep.
fn tree_slowly(value: &RawJson) -> Value {
    match value.kind() {
        Kind::Object => {
            let members = value.members();
            let members = members.map(|it| (it.key().into_owned(), tree_slowly(&it.value())));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Kind::Array => Value::Array(value.items().map(|item| tree_slowly(&item)).collect()),
        Kind::String => Value::String(value.as_text().unwrap_or_default().into_owned()),
        Kind::Number => number(value),
        Kind::Bool => Value::Bool(value.as_bytes() == b"true"),
        Kind::Null => Value::Null,
    }
}

fn number(value: &RawJson) -> Value {
    serde_json::from_slice(value.as_bytes()).unwrap_or_else(|_| {
        let is_negative = value.as_bytes().starts_with(b"-");
        let largest = if is_negative { f64::MIN } else { f64::MAX };
        Number::from_f64(largest).map_or(Value::Null, Value::Number)
    })
}
