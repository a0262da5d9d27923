//! Recognition of schemas that describe envelopes, and therefore not payloads.

use super::Contract;
use super::spec::{ContractSpec, Mark, Members};
use crate::pointer::unescape;
use crate::raw_json::RawJson;

/// Returns whether a schema describes envelopes: it has a contract's mark, or exactly its members.
///
/// ```
/// use manila::{RawJson, describes_envelope};
/// let own = RawJson::parse(
///     r#"{"properties": {"schema_version": {"const": "mcp.envelope.v0.1"}, "result": {}}}"#,
/// )?;
/// assert!(describes_envelope(&own));
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn describes_envelope(schema: &RawJson) -> bool {
    // Generators rarely add more than a reference and a list of alternatives around it.
    const PARTS_MAX: usize = 32;
    const BYTES_MAX: usize = 256 * 1024;
    let mut pending = vec![schema.clone()];
    for _ in 0..PARTS_MAX {
        let Some(part) = pending.pop().filter(|_| schema.as_bytes().len() <= BYTES_MAX) else {
            return false;
        };
        if part.get("properties").is_some_and(|properties| has_envelope_members(&properties)) {
            return true;
        }
        pending.extend(part.get("$ref").and_then(|target| resolve_reference(&target, schema)));
        for list in ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| part.get(name)) {
            pending.extend(list.items().take(PARTS_MAX));
        }
    }
    false
}

/// Returns the part of `root` that a reference points to.
fn resolve_reference(reference: &RawJson, root: &RawJson) -> Option<RawJson> {
    let reference = reference.as_text()?;
    let mut part = root.clone();
    for key in reference.strip_prefix("#/")?.split('/') {
        part = part.get(&unescape(key))?;
    }
    Some(part)
}

/// Returns whether these properties are the members of an envelope.
fn has_envelope_members(properties: &RawJson) -> bool {
    Contract::ALL.into_iter().any(|contract| {
        let ContractSpec { mark, described_by, .. } = contract.spec();
        has_mark(properties, mark)
            || described_by.is_some_and(|it| has_exactly_members(properties, it))
    })
}

/// Returns whether a schema with these properties accepts only values with a contract's mark.
fn has_mark(properties: &RawJson, mark: &Mark) -> bool {
    match mark {
        Mark::Text { path: [first, inner @ ..], text } => {
            let schema = inner.iter().try_fold(properties.get(first), |schema, name| {
                Some(schema?.get("properties")?.get(name))
            });
            allows_only(schema.flatten(), text)
        }
        Mark::Text { path: [], .. } | Mark::Missing => false,
        Mark::Members(members) => has_exactly_members(properties, *members),
    }
}

/// Returns whether a schema accepts this text and nothing else.
fn allows_only(schema: Option<RawJson>, text: &str) -> bool {
    let Some(schema) = schema else { return false };
    let only = schema.get("const").or_else(|| {
        let all = schema.get("enum")?;
        let mut items = all.items();
        items.next().filter(|_| items.next().is_none())
    });
    only.is_some_and(|only| only.as_text().as_deref() == Some(text))
}

/// Returns whether the properties are all `members`, with or without the optional one, and no
/// others.
fn has_exactly_members(properties: &RawJson, members: Members) -> bool {
    let has = |name: &str| properties.get(name).is_some();
    let n_optional = usize::from(members.optional.is_some_and(has));
    members.required_names().all(has)
        && properties.members().count() == members.required_names().count() + n_optional
}

#[cfg(test)]
mod tests;
