//! Schemas that describe envelopes: what they promise is not promised of a payload.

use super::Contract;
use super::row::{Mark, Members, Row};
use crate::pointer::unescaped;
use crate::raw_json::RawJson;

/// Whether a schema describes envelopes: it names a contract's mark, or exactly its members.
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
    // Generators seldom put more around it than a reference and a list of alternatives.
    const PARTS_MAX: usize = 32;
    const BYTES_MAX: usize = 256 * 1024;
    let mut waiting = vec![schema.clone()];
    for _ in 0..PARTS_MAX {
        let Some(part) = waiting.pop().filter(|_| schema.as_bytes().len() <= BYTES_MAX) else {
            return false;
        };
        if part.get("properties").is_some_and(|properties| are_members(&properties)) {
            return true;
        }
        waiting.extend(part.get("$ref").and_then(|target| referred(&target, schema)));
        for list in ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| part.get(name)) {
            waiting.extend(list.items().take(PARTS_MAX));
        }
    }
    false
}

/// The part of `whole` that a reference into it means.
fn referred(reference: &RawJson, whole: &RawJson) -> Option<RawJson> {
    let reference = reference.as_text()?;
    let mut part = whole.clone();
    for key in reference.strip_prefix("#/")?.split('/') {
        part = part.get(&unescaped(key))?;
    }
    Some(part)
}

/// Whether these are the members of an envelope.
fn are_members(properties: &RawJson) -> bool {
    Contract::ALL.into_iter().any(|contract| {
        let Row { mark, described_by, .. } = contract.row();
        has_mark(properties, mark) || described_by.is_some_and(|own| has_exactly(properties, own))
    })
}

/// Whether a schema of these properties lets a contract's mark stand and nothing else.
fn has_mark(properties: &RawJson, mark: &Mark) -> bool {
    match mark {
        Mark::Text { path: [first, inner @ ..], text } => {
            let schema = inner.iter().try_fold(properties.get(first), |schema, name| {
                Some(schema?.get("properties")?.get(name))
            });
            is_only(schema.flatten(), text)
        }
        Mark::Text { path: [], .. } | Mark::Missing => false,
        Mark::Members(own) => has_exactly(properties, *own),
    }
}

/// Whether a schema lets this text stand and nothing else.
fn is_only(schema: Option<RawJson>, text: &str) -> bool {
    let Some(schema) = schema else { return false };
    let only = schema.get("const").or_else(|| {
        let all = schema.get("enum")?;
        let mut items = all.items();
        items.next().filter(|_| items.next().is_none())
    });
    only.is_some_and(|only| only.as_text().as_deref() == Some(text))
}

/// Whether these are all members, or all but the optional one, and no others.
fn has_exactly(properties: &RawJson, own: Members) -> bool {
    let has = |name: &str| properties.get(name).is_some();
    let n_optional = usize::from(own.optional.is_some_and(has));
    own.required().all(has) && properties.members().count() == own.required().count() + n_optional
}

#[cfg(test)]
mod tests {
    use super::describes_envelope;
    use crate::raw_json::RawJson;

    #[track_caller]
    fn check(schema: &str, expected: bool) {
        let schema = RawJson::parse(schema.to_owned()).unwrap();
        assert_eq!(describes_envelope(&schema), expected, "{schema}");
    }

    #[test]
    fn marks_and_members_are_known_wherever_generators_put_them() {
        let marked = r#"{"properties": {"schema_version": {"enum": ["mcp.envelope.v0.1"]}}}"#;
        check(marked, true);
        check(r#"{"properties": {"schema_version": {"enum": ["mcp.envelope.v0.1", "x"]}}}"#, false);
        check(r#"{"properties": {"schema_version": {"type": "string"}, "result": {}}}"#, false);
        check(&format!(r##"{{"$ref": "#/$defs/a~1b", "$defs": {{"a/b": {marked}}}}}"##), true);
        check(&format!(r#"{{"oneOf": [{{"type": "object"}}, {{"allOf": [{marked}]}}]}}"#), true);
        check(r##"{"$ref": "#"}"##, false);
        check(r##"{"anyOf": [{"$ref": "#/anyOf/1"}, {"$ref": "#/anyOf/0"}]}"##, false);
        // Nobody waits for all of them.
        let many = vec![r##"{"$ref": "#/$defs/a"}"##; 300].join(",");
        check(&format!(r#"{{"$defs": {{"a": {{"anyOf": [{many}]}}}}, "anyOf": [{many}]}}"#), false);
        check(r##"{"$ref": "#/nowhere", "anyOf": 7}"##, false);
        check(
            r#"{"properties": {"tier": {}, "tool_version": {}, "tool_id": {}, "request_id": {},
            "capabilities": {}, "error": {}, "upgrade_hints": {}, "data": {}}}"#,
            true,
        );
        check(r#"{"properties": {"success": {}, "data": {}, "error": {}}}"#, false);
    }
}
