//! A JSON value that is known to be an object.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Kind, Members, NotSerializable, ObjectWriter, RawJson};

/// A JSON object, kept as its original bytes. Empty by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonObject(RawJson);

impl JsonObject {
    /// Returns the value as an object, or `None` if it is of another kind.
    #[must_use]
    pub fn new(value: RawJson) -> Option<JsonObject> {
        (value.kind() == Kind::Object).then_some(JsonObject(value))
    }

    /// Serializes `value` to an object.
    ///
    /// ```
    /// let details = manila::JsonObject::of(&[("field", "spec_id")].into_iter().collect::<
    ///     std::collections::BTreeMap<_, _>,
    /// >())?;
    /// assert_eq!(details.to_string(), r#"{"field":"spec_id"}"#);
    /// assert!(manila::JsonObject::of(&7).is_err());
    /// # Ok::<(), manila::NotSerializable>(())
    /// ```
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<JsonObject, NotSerializable> {
        JsonObject::new(RawJson::of(value)?)
            .ok_or_else(|| NotSerializable::new("it must be an object"))
    }

    /// Builds an object from these members, in this order. If a name is repeated, the first member
    /// wins.
    #[must_use]
    pub fn from_members<'a>(members: impl IntoIterator<Item = (&'a str, RawJson)>) -> JsonObject {
        JsonObject::build(|object| {
            let mut seen = BTreeSet::new();
            for (name, value) in members.into_iter().filter(|(name, _)| seen.insert(*name)) {
                object.member(name, &value);
            }
        })
    }

    /// Returns a name that is repeated, so that readers may disagree on its value.
    #[must_use]
    pub fn duplicate_key(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut names = self.members().map(|member| member.key().into_owned());
        names.find(|name| !seen.insert(name.clone()))
    }

    /// Returns the object as a value.
    #[must_use]
    pub fn as_raw(&self) -> &RawJson {
        &self.0
    }

    /// Returns whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let inside = self.0.as_bytes().iter().skip(1);
        inside.into_iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'}')
    }

    /// Returns the member with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<RawJson> {
        self.0.get(name)
    }

    /// Returns the members in document order.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        self.0.members()
    }

    /// Returns this object with the members of `defaults` that it lacks.
    pub(crate) fn with_defaults(&self, defaults: &JsonObject) -> JsonObject {
        JsonObject::build(|object| {
            for member in self.members() {
                object.token_member(member.key_token(), &member.value());
            }
            for member in defaults.members().filter(|member| self.get(&member.key()).is_none()) {
                object.token_member(member.key_token(), &member.value());
            }
        })
    }

    /// Returns this object without the members of this name.
    #[must_use]
    pub fn without(&self, name: &str) -> JsonObject {
        JsonObject::build(|object| {
            for member in self.members().filter(|member| !member.is(name)) {
                object.token_member(member.key_token(), &member.value());
            }
        })
    }

    /// Builds an object from the members that `write` writes.
    #[must_use]
    pub fn build(write: impl FnOnce(&mut ObjectWriter<'_>)) -> JsonObject {
        JsonObject::build_in(64, write)
    }

    /// Like `build`, for an object of about this many bytes, so that no spare capacity is kept.
    #[must_use]
    pub fn build_in(n_bytes: usize, write: impl FnOnce(&mut ObjectWriter<'_>)) -> JsonObject {
        let mut out = Vec::with_capacity(n_bytes);
        let mut object = ObjectWriter::begin(&mut out);
        write(&mut object);
        object.end();
        JsonObject(RawJson::from_compact(out))
    }
}

impl Default for JsonObject {
    fn default() -> JsonObject {
        JsonObject(RawJson::literal("{}"))
    }
}

impl std::fmt::Display for JsonObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<JsonObject> for RawJson {
    fn from(object: JsonObject) -> RawJson {
        object.0
    }
}
