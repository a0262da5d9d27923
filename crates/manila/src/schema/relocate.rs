//! Rewriting a schema where its keywords are, and nowhere else.
//!
//! A property may be called `$ref` or `description`, and a `const` may hold anything. So a
//! schema is walked by position: only what stands where a keyword stands is one.

use crate::raw_json::{Emit, Kind, ObjectWriter, RawJson};
use crate::schema::dialect::Dialect;

/// What holds schemas under a keyword.
pub(crate) enum Holds {
    /// A schema, or an array of them.
    Schemas,
    /// An object whose values are schemas.
    Named,
    /// No schema at all.
    Data,
}

/// What a keyword of any dialect holds.
pub(crate) fn holds(keyword: &str) -> Holds {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Holds::Named,
        "allOf"
        | "anyOf"
        | "oneOf"
        | "not"
        | "if"
        | "then"
        | "else"
        | "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "contentSchema" => Holds::Schemas,
        _ => Holds::Data,
    }
}

/// What becomes of a keyword.
pub(crate) enum Edit {
    Keep,
    Drop,
    Replace(String),
}

/// A schema that is written with its keywords edited.
pub(crate) struct Edited<'a, F: Fn(&RawJson, &str, &RawJson) -> Edit> {
    pub(crate) schema: &'a RawJson,
    pub(crate) dialect: Dialect,
    /// Told the schema, the keyword and its value.
    pub(crate) edit: &'a F,
}

/// Recursion is bounded: a value that has been read is at most `DEPTH_MAX` deep.
impl<F: Fn(&RawJson, &str, &RawJson) -> Edit> Emit for Edited<'_, F> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self.schema.kind() {
            // References below an id of its own lead elsewhere than to the document's root.
            Kind::Object if self.dialect.has_own_id(self.schema) => self.schema.emit(out),
            Kind::Object => self.emit_root(out),
            Kind::Array => {
                let schemas: Vec<RawJson> = self.schema.items().collect();
                let edited = schemas.iter().map(|schema| Edited { schema, ..*self });
                edited.collect::<Vec<_>>().emit(out);
            }
            Kind::String | Kind::Number | Kind::Bool | Kind::Null => self.schema.emit(out),
        }
    }
}

impl<F: Fn(&RawJson, &str, &RawJson) -> Edit> Edited<'_, F> {
    /// Writes the outermost schema, whatever its id.
    pub(crate) fn emit_root(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        for member in self.schema.members() {
            let (key, value) = (member.key(), member.value());
            match (self.edit)(self.schema, &key, &value) {
                Edit::Drop => continue,
                Edit::Replace(text) => {
                    object.token_member(member.key_token(), &text);
                    continue;
                }
                Edit::Keep => {}
            }
            let token = member.key_token();
            let inside = Edited { schema: &value, ..*self };
            match holds(&key) {
                Holds::Schemas => object.token_member(token, &inside),
                Holds::Named => object.token_member(token, &Named(inside)),
                Holds::Data => object.token_member(token, &value),
            }
        }
        object.end();
    }
}

/// An object whose values are schemas.
struct Named<'a, F: Fn(&RawJson, &str, &RawJson) -> Edit>(Edited<'a, F>);

impl<F: Fn(&RawJson, &str, &RawJson) -> Edit> Emit for Named<'_, F> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Named(all) = self;
        if all.schema.kind() != Kind::Object {
            return all.schema.emit(out);
        }
        let mut object = ObjectWriter::begin(out);
        for member in all.schema.members() {
            object.token_member(member.key_token(), &Edited { schema: &member.value(), ..*all });
        }
        object.end();
    }
}
