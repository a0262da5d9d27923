//! How much work a schema may ask for: references can multiply it beyond all bounds.

use std::collections::HashMap;

use serde_json::Value;

/// How many schemas a check may visit if every reference is followed once.
pub(super) const WEIGHT_MAX: u64 = 100_000;

/// How many schemas are visited at most when a value is checked, up to `WEIGHT_MAX`.
///
/// A reference that leads back into itself counts once: how often it is followed depends on
/// the value, whose depth is limited.
pub(super) fn weight(schema: &Value) -> u64 {
    Weigher { root: schema, known: HashMap::new() }.of(schema)
}

struct Weigher<'a> {
    root: &'a Value,
    /// By target; `None` while it is being weighed.
    known: HashMap<&'a str, Option<u64>>,
}

impl<'a> Weigher<'a> {
    fn of(&mut self, value: &'a Value) -> u64 {
        let inside = match value {
            Value::Object(members) => {
                let nested: u64 = members.iter().fold(0, |sum, (keyword, value)| {
                    let target = value.as_str();
                    let more = match (keyword.as_str(), target) {
                        ("$ref" | "$dynamicRef", Some(target)) => self.target(target),
                        // What is defined there counts where it is referred to.
                        ("$defs" | "definitions", _) => 0,
                        (_, _) => self.of(value),
                    };
                    add(sum, more)
                });
                add(nested, 1)
            }
            Value::Array(items) => items.iter().fold(0, |sum, item| add(sum, self.of(item))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        };
        inside.min(WEIGHT_MAX)
    }

    fn target(&mut self, target: &'a str) -> u64 {
        if let Some(known) = self.known.get(target) {
            return known.unwrap_or(1);
        }
        self.known.insert(target, None);
        let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let weight = found.map_or(1, |schema| self.of(schema));
        self.known.insert(target, Some(weight));
        weight
    }
}

fn add(sum: u64, more: u64) -> u64 {
    sum.saturating_add(more).min(WEIGHT_MAX)
}
