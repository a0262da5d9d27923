//! What a tool's schema says about the type of its payload.

use crate::raw_json::{Kind, RawJson};
use crate::schema::dialect::Dialect;
use crate::schema::fragment::{decoded, is_pointer, keys};

/// What a schema says about the type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PayloadType {
    /// It is an object.
    Object,
    /// It is neither an object nor `null`.
    Other,
    /// It may be one or the other.
    Unsaid,
}

impl PayloadType {
    /// What the root says, or the schema that it refers to.
    pub(crate) fn of(own: &RawJson, dialect: Dialect) -> PayloadType {
        const REFERENCES_MAX: usize = 8;
        let mut schema = own.clone();
        for _ in 0..REFERENCES_MAX {
            let types = schema.get("type").filter(|_| !dialect.is_lone_reference(&schema));
            if let Some(types) = types {
                return PayloadType::named(&types);
            }
            let target = schema.get("$ref").and_then(|reference| target(own, &reference));
            match target.filter(|target| !dialect.has_own_id(target)) {
                Some(target) => schema = target,
                None => return PayloadType::Unsaid,
            }
        }
        PayloadType::Unsaid
    }

    /// What one type, or several, say.
    fn named(types: &RawJson) -> PayloadType {
        let of_one = |name: &RawJson| match name.as_text().as_deref() {
            Some("object") => PayloadType::Object,
            Some("array" | "string" | "number" | "integer" | "boolean") => PayloadType::Other,
            Some(_) | None => PayloadType::Unsaid,
        };
        if types.kind() != Kind::Array {
            return of_one(types);
        }
        let mut all = types.items().map(|name| of_one(&name));
        let first = all.next().unwrap_or(PayloadType::Unsaid);
        if all.all(|other| other == first) { first } else { PayloadType::Unsaid }
    }
}

/// What a pointer into the same document leads to.
fn target(own: &RawJson, reference: &RawJson) -> Option<RawJson> {
    let reference = reference.as_text()?;
    let pointer = decoded(reference.strip_prefix('#').filter(|it| is_pointer(it))?);
    keys(&pointer).try_fold(own.clone(), |value, key| match value.kind() {
        Kind::Object => value.get(&key),
        Kind::Array => value.items().nth(key.parse().ok()?),
        Kind::String | Kind::Number | Kind::Bool | Kind::Null => None,
    })
}
