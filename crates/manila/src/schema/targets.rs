//! The places of subschemas in a schema, and whether its pointers lead to them.
//!
//! References are rewritten only inside schemas. So a pointer must not lead elsewhere: its target
//! might hold further references, which would not be rewritten.

use std::collections::{HashMap, HashSet};

use crate::raw_json::{Kind, RawJson, sanitize_name};
use crate::schema::PayloadSchemaError;
use crate::schema::dialect::Dialect;
use crate::schema::fragment::{is_pointer, keys, percent_decode};
use crate::schema::relocate::{KeywordContent, keyword_content};

/// Checks that every reference from a schema into itself leads to a schema.
pub(crate) fn check(root: &RawJson, dialect: Dialect) -> Result<(), PayloadSchemaError> {
    let mut found = Targets { dialect, places: HashMap::new(), schemas: HashSet::new() };
    let mut references = Vec::new();
    found.walk(root, ROOT, &mut references);
    let broken = references.into_iter().find(|reference| !found.has(reference));
    broken.map_or(Ok(()), |reference| Err(PayloadSchemaError::Reference(sanitize_name(&reference))))
}

/// The number of the root's place.
const ROOT: usize = 0;

struct Targets {
    dialect: Dialect,
    /// The number of each place, by the number of its parent and its key or index.
    places: HashMap<(usize, String), usize>,
    /// The places of schemas.
    schemas: HashSet<usize>,
}

impl Targets {
    /// Collects the schemas, and their references into the same document. Recursion is bounded:
    /// parsed values are at most `DEPTH_MAX` deep.
    fn walk(&mut self, schema: &RawJson, place: usize, references: &mut Vec<String>) {
        if schema.kind() == Kind::Bool {
            self.schemas.insert(place);
        }
        if schema.kind() != Kind::Object {
            return;
        }
        self.schemas.insert(place);
        if place != ROOT && self.dialect.has_own_id(schema) {
            return;
        }
        for member in schema.members() {
            let (keyword, value) = (member.key(), member.value());
            match keyword_content(&keyword) {
                KeywordContent::Data => references.extend(reference(&keyword, &value)),
                KeywordContent::Schemas => {
                    let place = self.below(place, keyword.into_owned());
                    self.walk(&value, place, references);
                    for (index, item) in value.items().enumerate() {
                        let place = self.below(place, index.to_string());
                        self.walk(&item, place, references);
                    }
                }
                KeywordContent::Named => {
                    let place = self.below(place, keyword.into_owned());
                    for named in value.members() {
                        let place = self.below(place, named.key().into_owned());
                        self.walk(&named.value(), place, references);
                    }
                }
            }
        }
    }

    fn below(&mut self, place: usize, key: String) -> usize {
        let next = ROOT + 1 + self.places.len();
        *self.places.entry((place, key)).or_insert(next)
    }

    /// Returns whether a reference leads to a schema. An anchor always does.
    fn has(&self, reference: &str) -> bool {
        let Some(fragment) = reference.strip_prefix('#') else { return false };
        if !is_pointer(fragment) {
            return true;
        }
        let step = |place, key| self.places.get(&(place, key)).copied();
        let place = keys(&percent_decode(fragment)).try_fold(ROOT, step);
        place.is_some_and(|place| self.schemas.contains(&place))
    }
}

/// Returns the target of a keyword's reference, if it is in the same document.
fn reference(keyword: &str, value: &RawJson) -> Option<String> {
    match keyword {
        // An empty reference means the document, but not to every reader.
        "$ref" | "$dynamicRef" => {
            let target = value.as_text().filter(|it| it.is_empty() || it.starts_with('#'));
            target.map(std::borrow::Cow::into_owned)
        }
        // Always the document's root; no other target can be expressed.
        "$recursiveRef" => Some(keyword.to_owned()),
        _ => None,
    }
}
