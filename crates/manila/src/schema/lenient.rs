//! A value as a tree, for checks only: what no tree can hold is taken for something near.

use serde_json::{Map, Number, Value};

use crate::raw_json::{Kind, RawJson};

/// The value as a tree. A lone surrogate becomes U+FFFD, and a number beyond every machine
/// type the largest there is: both are as valid as their neighbours in all schemas that occur.
pub(super) fn tree(value: &RawJson) -> Value {
    // Nearly everything can be read as it is, and by far faster.
    serde_json::from_slice(value.as_bytes()).unwrap_or_else(|_| slowly(value))
}

/// Recursion is bounded: a value that has been read is at most `DEPTH_MAX` deep.
fn slowly(value: &RawJson) -> Value {
    match value.kind() {
        Kind::Object => {
            let members = value.members();
            let members = members.map(|it| (it.key().into_owned(), slowly(&it.value())));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Kind::Array => Value::Array(value.items().map(|item| slowly(&item)).collect()),
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
