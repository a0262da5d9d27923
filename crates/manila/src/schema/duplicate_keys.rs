//! Repeated names in an object, of which a tree keeps only the last.

use std::collections::HashSet;

use serde_json::Value;

use crate::pointer::child_pointer;
use crate::raw_json::RawJson;
use crate::violation::Violation;

/// Returns the first repeated name in `value`. `tree` is the same value as a tree.
pub(super) fn find_duplicate_key(value: &RawJson, tree: &Value) -> Option<Violation> {
    // Almost always no name is repeated, and counting is far faster than searching.
    if n_members(tree) == value.n_members_deep() {
        return None;
    }
    let pointer = search(value, "")?;
    Some(Violation::new(pointer, "unique", "is given twice"))
}

/// Recursion is bounded: parsed values are at most `DEPTH_MAX` deep.
fn n_members(tree: &Value) -> usize {
    match tree {
        Value::Object(members) => members.values().fold(members.len(), |n, it| n + n_members(it)),
        Value::Array(items) => items.iter().map(n_members).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Recursion is bounded as in `n_members`.
fn search(value: &RawJson, pointer: &str) -> Option<String> {
    let mut seen = HashSet::new();
    for member in value.members() {
        let key = member.key();
        let here = child_pointer(pointer, &key);
        if !seen.insert(key) {
            return Some(here);
        }
        if let Some(deeper) = search(&member.value(), &here) {
            return Some(deeper);
        }
    }
    let mut items = value.items().enumerate();
    items.find_map(|(index, item)| search(&item, &child_pointer(pointer, &index.to_string())))
}
