//! The dialects in which a contract's schema means the same as in its own.

use crate::raw_json::{Kind, RawJson, shown};
use crate::schema::Unbound;

/// A dialect of JSON Schema that has `if`, `then` and `else`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Draft7,
    Draft201909,
    Draft202012,
}

/// Their names in `$schema`, after the scheme and without an empty fragment.
const NAMES: [(&str, Dialect); 3] = [
    ("json-schema.org/draft-07/schema", Dialect::Draft7),
    ("json-schema.org/draft/2019-09/schema", Dialect::Draft201909),
    ("json-schema.org/draft/2020-12/schema", Dialect::Draft202012),
];

impl Dialect {
    /// The dialect that a schema says it is in; 2020-12 where it says none.
    pub(crate) fn of(schema: &RawJson) -> Result<Dialect, Unbound> {
        let Some(named) = schema.get("$schema") else { return Ok(Dialect::Draft202012) };
        let name = named.as_text().unwrap_or("no text".into());
        let rest = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
        let rest = rest.map(|rest| rest.strip_suffix('#').unwrap_or(rest));
        let found = NAMES.iter().find(|(known, _)| Some(*known) == rest);
        found.map(|(_, dialect)| *dialect).ok_or_else(|| Unbound::Dialect(shown(&name)))
    }

    /// Whether what stands beside a `$ref` is ignored.
    pub(crate) fn has_lone_references(self) -> bool {
        match self {
            Dialect::Draft7 => true,
            Dialect::Draft201909 | Dialect::Draft202012 => false,
        }
    }

    /// Whether a schema is a resource of its own, so that references below it do not lead to
    /// the document's root. A mere fragment is an anchor, as draft 7 has it.
    pub(crate) fn has_own_id(self, schema: &RawJson) -> bool {
        let id = schema.get("$id");
        let is_address =
            id.as_ref().and_then(RawJson::as_text).is_some_and(|id| !id.starts_with('#'));
        is_address && !self.is_lone_reference(schema)
    }

    /// Whether a schema is a reference, and nothing else of it counts.
    pub(crate) fn is_lone_reference(self, schema: &RawJson) -> bool {
        self.has_lone_references() && schema.get("$ref").is_some_and(|it| it.kind() == Kind::String)
    }
}
