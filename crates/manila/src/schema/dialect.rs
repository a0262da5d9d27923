//! The dialects of JSON Schema in which the schema of a contract keeps its meaning.

use crate::raw_json::{Kind, RawJson, sanitize_name};
use crate::schema::PayloadSchemaError;

/// A dialect of JSON Schema that has `if`, `then` and `else`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Draft7,
    Draft201909,
    Draft202012,
}

/// Their URIs in `$schema`, without the scheme and an empty fragment.
const NAMES: [(&str, Dialect); 3] = [
    ("json-schema.org/draft-07/schema", Dialect::Draft7),
    ("json-schema.org/draft/2019-09/schema", Dialect::Draft201909),
    ("json-schema.org/draft/2020-12/schema", Dialect::Draft202012),
];

impl Dialect {
    /// Returns the dialect that a schema declares; 2020-12 if it declares none.
    pub(crate) fn of(schema: &RawJson) -> Result<Dialect, PayloadSchemaError> {
        let Some(named) = schema.get("$schema") else { return Ok(Dialect::Draft202012) };
        let name = named.as_text().unwrap_or("not a string".into());
        let rest = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
        let rest = rest.map(|rest| rest.strip_suffix('#').unwrap_or(rest));
        let found = NAMES.iter().find(|(known, _)| Some(*known) == rest);
        found
            .map(|(_, dialect)| *dialect)
            .ok_or_else(|| PayloadSchemaError::Dialect(sanitize_name(&name)))
    }

    /// Returns whether the keywords beside a `$ref` are ignored.
    pub(crate) fn has_lone_references(self) -> bool {
        match self {
            Dialect::Draft7 => true,
            Dialect::Draft201909 | Dialect::Draft202012 => false,
        }
    }

    /// Returns whether a schema is a separate resource, so that references below it do not start at
    /// the document's root. An id that is only a fragment is an anchor, as in draft 7.
    pub(crate) fn has_own_id(self, schema: &RawJson) -> bool {
        let id = schema.get("$id");
        let is_address =
            id.as_ref().and_then(RawJson::as_text).is_some_and(|id| !id.starts_with('#'));
        is_address && !self.is_lone_reference(schema)
    }

    /// Returns whether a schema is a reference whose other keywords are ignored.
    pub(crate) fn is_lone_reference(self, schema: &RawJson) -> bool {
        self.has_lone_references() && schema.get("$ref").is_some_and(|it| it.kind() == Kind::String)
    }
}
