//! Rewriting the keywords of a schema, and nothing else.
//!
//! A property may be called `$ref` or `description`, and a `const` may hold anything. So a schema
//! is walked by position: only a member in the place of a keyword is treated as one.

use crate::raw_json::{Emit, Kind, ObjectWriter, RawJson};
use crate::schema::dialect::Dialect;

/// The contents of a keyword.
pub(crate) enum KeywordContent {
    /// A schema, or an array of them.
    Schemas,
    /// An object whose values are schemas.
    Named,
    /// No schema.
    Data,
}

/// Returns the contents of a keyword, for any dialect.
pub(crate) fn keyword_content(keyword: &str) -> KeywordContent {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => KeywordContent::Named,
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
        | "contentSchema" => KeywordContent::Schemas,
        _ => KeywordContent::Data,
    }
}

/// The edit of a keyword.
pub(crate) enum Edit {
    Keep,
    Drop,
    Replace(String),
}

/// Writes a schema with its keywords edited.
pub(crate) struct EditedSchema<'a, F: Fn(&RawJson, &str, &RawJson) -> Edit> {
    pub(crate) schema: &'a RawJson,
    pub(crate) dialect: Dialect,
    /// Called with the schema, the keyword and its value.
    pub(crate) edit: &'a F,
}

/// Recursion is bounded: parsed values are at most `DEPTH_MAX` deep.
impl<F: Fn(&RawJson, &str, &RawJson) -> Edit> Emit for EditedSchema<'_, F> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self.schema.kind() {
            // Below a schema with its own id, references do not start at the document's root.
            Kind::Object if self.dialect.has_own_id(self.schema) => self.schema.emit(out),
            Kind::Object => self.emit_root(out),
            Kind::Array => {
                let schemas: Vec<RawJson> = self.schema.items().collect();
                let edited = schemas.iter().map(|schema| EditedSchema { schema, ..*self });
                edited.collect::<Vec<_>>().emit(out);
            }
            Kind::String | Kind::Number | Kind::Bool | Kind::Null => self.schema.emit(out),
        }
    }
}

impl<F: Fn(&RawJson, &str, &RawJson) -> Edit> EditedSchema<'_, F> {
    /// Writes the outermost schema, even if it has an id.
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
            let inside = EditedSchema { schema: &value, ..*self };
            match keyword_content(&key) {
                KeywordContent::Schemas => object.token_member(token, &inside),
                KeywordContent::Named => object.token_member(token, &NamedSchemas(inside)),
                KeywordContent::Data => object.token_member(token, &value),
            }
        }
        object.end();
    }
}

/// An object whose values are schemas.
struct NamedSchemas<'a, F: Fn(&RawJson, &str, &RawJson) -> Edit>(EditedSchema<'a, F>);

impl<F: Fn(&RawJson, &str, &RawJson) -> Edit> Emit for NamedSchemas<'_, F> {
    fn emit(&self, out: &mut Vec<u8>) {
        let NamedSchemas(all) = self;
        if all.schema.kind() != Kind::Object {
            return all.schema.emit(out);
        }
        let mut object = ObjectWriter::begin(out);
        for member in all.schema.members() {
            object.token_member(
                member.key_token(),
                &EditedSchema { schema: &member.value(), ..*all },
            );
        }
        object.end();
    }
}
