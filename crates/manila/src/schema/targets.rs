//! Where the schemas of a schema stand, and whether its pointers lead to them.
//!
//! Only references that stand where a schema stands are moved with it. So a pointer must not
//! lead elsewhere: what is there might refer further, and would be left behind.

use std::collections::{HashMap, HashSet};

use crate::raw_json::{Kind, RawJson, shown};
use crate::schema::Unbound;
use crate::schema::dialect::Dialect;
use crate::schema::fragment::{decoded, is_pointer, keys};
use crate::schema::relocate::{Holds, holds};

/// Checks that all pointers of a schema into itself lead to a schema.
pub(crate) fn check(own: &RawJson, dialect: Dialect) -> Result<(), Unbound> {
    let mut found = Targets { dialect, places: HashMap::new(), schemas: HashSet::new() };
    let mut references = Vec::new();
    found.walk(own, ROOT, &mut references);
    let lost = references.into_iter().find(|reference| !found.has(reference));
    lost.map_or(Ok(()), |reference| Err(Unbound::Reference(shown(&reference))))
}

/// The number of the root's place.
const ROOT: usize = 0;

struct Targets {
    dialect: Dialect,
    /// The number of each place, by that of the place around it and the key or index in it.
    places: HashMap<(usize, String), usize>,
    /// The places where a schema stands.
    schemas: HashSet<usize>,
}

impl Targets {
    /// Notes the schemas, and their references into themselves. Recursion is bounded: a value
    /// that has been read is at most `DEPTH_MAX` deep.
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
            match holds(&keyword) {
                Holds::Data => references.extend(reference(&keyword, &value)),
                Holds::Schemas => {
                    let place = self.below(place, keyword.into_owned());
                    self.walk(&value, place, references);
                    for (index, item) in value.items().enumerate() {
                        let place = self.below(place, index.to_string());
                        self.walk(&item, place, references);
                    }
                }
                Holds::Named => {
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

    /// Whether a reference leads to a schema that is moved, too. An anchor stands in one.
    fn has(&self, reference: &str) -> bool {
        let Some(fragment) = reference.strip_prefix('#') else { return false };
        if !is_pointer(fragment) {
            return true;
        }
        let step = |place, key| self.places.get(&(place, key)).copied();
        let place = keys(&decoded(fragment)).try_fold(ROOT, step);
        place.is_some_and(|place| self.schemas.contains(&place))
    }
}

/// What a keyword refers to in the same document.
fn reference(keyword: &str, value: &RawJson) -> Option<String> {
    match keyword {
        // An empty one means the document, but not to every reader.
        "$ref" | "$dynamicRef" => {
            let target = value.as_text().filter(|it| it.is_empty() || it.starts_with('#'));
            target.map(std::borrow::Cow::into_owned)
        }
        // Always the document's root, and there is no way to say another.
        "$recursiveRef" => Some(keyword.to_owned()),
        _ => None,
    }
}
