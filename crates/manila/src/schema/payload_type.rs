//! The type of a payload, as declared by the tool's schema.

use crate::raw_json::{Kind, RawJson};
use crate::schema::dialect::Dialect;
use crate::schema::fragment::{is_pointer, keys, percent_decode};

/// The type that a schema declares for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PayloadType {
    /// An object.
    Object,
    /// Neither an object nor `null`.
    Other,
    /// Possibly either.
    Unspecified,
}

impl PayloadType {
    /// Returns the type that `root` declares, or the schema that it refers to.
    pub(crate) fn of(root: &RawJson, dialect: Dialect) -> PayloadType {
        const REFERENCES_MAX: usize = 8;
        let mut schema = root.clone();
        for _ in 0..REFERENCES_MAX {
            let types = schema.get("type").filter(|_| !dialect.is_lone_reference(&schema));
            if let Some(types) = types {
                return PayloadType::from_type_names(&types);
            }
            let target = schema.get("$ref").and_then(|reference| target(root, &reference));
            match target.filter(|target| !dialect.has_own_id(target)) {
                Some(target) => schema = target,
                None => return PayloadType::Unspecified,
            }
        }
        PayloadType::Unspecified
    }

    /// Returns the type for the value of `type`, one name or several.
    fn from_type_names(types: &RawJson) -> PayloadType {
        let of_one = |name: &RawJson| match name.as_text().as_deref() {
            Some("object") => PayloadType::Object,
            Some("array" | "string" | "number" | "integer" | "boolean") => PayloadType::Other,
            Some(_) | None => PayloadType::Unspecified,
        };
        if types.kind() != Kind::Array {
            return of_one(types);
        }
        let mut all = types.items().map(|name| of_one(&name));
        let first = all.next().unwrap_or(PayloadType::Unspecified);
        if all.all(|other| other == first) { first } else { PayloadType::Unspecified }
    }
}

/// Resolves a pointer into the same document.
fn target(root: &RawJson, reference: &RawJson) -> Option<RawJson> {
    let reference = reference.as_text()?;
    let pointer = percent_decode(reference.strip_prefix('#').filter(|it| is_pointer(it))?);
    keys(&pointer).try_fold(root.clone(), |value, key| match value.kind() {
        Kind::Object => value.get(&key),
        Kind::Array => value.items().nth(key.parse().ok()?),
        Kind::String | Kind::Number | Kind::Bool | Kind::Null => None,
    })
}
