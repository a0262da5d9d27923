//! The targets of a schema's references.
//!
//! Nothing is ever fetched, so references lead into the schema itself or into the JSON Schema
//! specification.

use std::collections::HashMap;

use serde_json::Value;

use crate::schema::fragment::{keys, percent_decode};

/// The schemas to which references may lead.
pub(super) struct References<'a> {
    root: &'a Value,
    /// The schemas with an anchor, by its name. If several share a name, the target depends on the
    /// path, so all of them count.
    anchors: HashMap<&'a str, Vec<Target<'a>>>,
    /// Whether the specification's schemas may lead back into this one.
    has_entries: bool,
}

/// A schema, and whether it is below an id other than the document's.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) schema: &'a Value,
    pub(super) is_below_id: bool,
}

impl<'a> References<'a> {
    pub(super) fn of(root: &'a Value) -> References<'a> {
        let mut found = References { root, anchors: HashMap::new(), has_entries: false };
        let mut open = vec![Target { schema: root, is_below_id: false }];
        while let Some(target) = open.pop() {
            let Target { schema, is_below_id } = target;
            found.record(target);
            let below = |schema| Target { schema, is_below_id: is_below_id || has_own_id(schema) };
            match schema {
                Value::Object(members) => open.extend(members.values().map(below)),
                Value::Array(items) => open.extend(items.iter().map(below)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        found
    }

    /// Records the anchors of a schema.
    fn record(&mut self, target: Target<'a>) {
        let Some(schema) = target.schema.as_object() else { return };
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        let fragment = |keyword: &str| text(keyword).and_then(|id| id.strip_prefix('#'));
        let names = [text("$anchor"), text("$dynamicAnchor"), fragment("$id"), fragment("id")];
        for name in names.into_iter().flatten() {
            self.anchors.entry(name).or_default().push(target);
        }
        self.has_entries |= target.is_below_id
            || schema.contains_key("$dynamicAnchor")
            || schema.contains_key("$recursiveAnchor");
    }

    /// Returns the targets of a schema's references; none if they are in the specification.
    pub(super) fn of_schema(
        &self,
        schema: &Value,
        is_below_id: bool,
    ) -> Result<Vec<Target<'a>>, String> {
        let mut found = Vec::new();
        for reference in references_of(schema) {
            if is_below_id {
                return Err("it has references below the `$id` of a subschema".to_owned());
            }
            let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
            if address.is_empty() || self.is_root(address) {
                self.find_local(&percent_decode(fragment), &mut found);
            } else if self.has_entries || !is_specification(address) {
                let shown: String = address.chars().take(80).collect();
                let rule = "only references by `#` into the schema itself are supported";
                return Err(format!("it refers to {shown}, but {rule}"));
            }
        }
        Ok(found)
    }

    fn is_root(&self, address: &str) -> bool {
        let ids = ["$id", "id"].map(|keyword| self.root.get(keyword).and_then(Value::as_str));
        ids.into_iter().flatten().any(|id| id.trim_end_matches('#') == address)
    }

    /// Adds the targets of a fragment. A missing target is reported when the schema is compiled.
    fn find_local(&self, fragment: &str, found: &mut Vec<Target<'a>>) {
        if fragment.is_empty() || fragment.starts_with('/') {
            found.extend(self.at_pointer(fragment));
        } else {
            found.extend(self.anchors.get(fragment).into_iter().flatten());
        }
    }

    fn at_pointer(&self, pointer: &str) -> Option<Target<'a>> {
        let mut target = Target { schema: self.root, is_below_id: false };
        for key in keys(pointer) {
            let schema = match target.schema {
                Value::Object(members) => members.get(&key)?,
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            };
            target = Target { schema, is_below_id: target.is_below_id || has_own_id(schema) };
        }
        Some(target)
    }
}

/// Returns whether a schema has an address, below which references do not start at the document's
/// root. An id that is only a fragment is an anchor.
pub(super) fn has_own_id(schema: &Value) -> bool {
    let ids = ["$id", "id"].map(|keyword| schema.get(keyword).and_then(Value::as_str));
    ids.into_iter().flatten().any(|id| !id.starts_with('#'))
}

/// Returns the references of a schema, unresolved.
pub(super) fn references_of(schema: &Value) -> impl Iterator<Item = &str> {
    let references = ["$ref", "$dynamicRef", "$recursiveRef"];
    references.into_iter().filter_map(|keyword| schema.get(keyword)?.as_str())
}

pub(super) fn is_specification(address: &str) -> bool {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with("json-schema.org/"))
}
