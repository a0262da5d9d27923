//! Names that stand twice in one object: of these, a tree keeps only the last.

use std::collections::HashSet;

use serde_json::Value;

use crate::pointer::below;
use crate::raw_json::RawJson;
use crate::violation::Violation;

/// The first name in `value` that is given twice. `tree` is the same value as a tree.
pub(super) fn given_twice(value: &RawJson, tree: &Value) -> Option<Violation> {
    // Nearly always all are there, and to count is by far faster than to look for one.
    if n_members(tree) == value.n_members_deep() {
        return None;
    }
    let pointer = search(value, "")?;
    Some(Violation::new(pointer, "unique", "is given twice"))
}

/// Recursion is bounded: a value that has been read is at most `DEPTH_MAX` deep.
fn n_members(tree: &Value) -> usize {
    match tree {
        Value::Object(members) => members.values().fold(members.len(), |n, it| n + n_members(it)),
        Value::Array(items) => items.iter().map(n_members).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// As `n_members`, it recurses as deep as the value.
fn search(value: &RawJson, pointer: &str) -> Option<String> {
    let mut seen = HashSet::new();
    for member in value.members() {
        let key = member.key();
        let here = below(pointer, &key);
        if !seen.insert(key) {
            return Some(here);
        }
        if let Some(deeper) = search(&member.value(), &here) {
            return Some(deeper);
        }
    }
    let mut items = value.items().enumerate();
    items.find_map(|(index, item)| search(&item, &below(pointer, &index.to_string())))
}
