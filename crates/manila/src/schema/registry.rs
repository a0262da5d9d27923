//! The registry (Q3): each schema is compiled once, and kept under its fingerprint.

use std::collections::HashMap;
use std::sync::Arc;

use crate::raw_json::RawJson;
use crate::schema::compile::{Fingerprint, Schema, UnusableSchema};

/// How many schemas are kept.
const SCHEMAS_MAX: usize = 2_048;

/// Compiled schemas by fingerprint. The same schema is the same object; a changed one is new.
#[derive(Debug, Default)]
pub struct Registry {
    known: HashMap<Fingerprint, Result<Arc<Schema>, UnusableSchema>>,
}

impl Registry {
    /// The compiled schema, from earlier if it was seen.
    pub fn schema(&mut self, schema: &RawJson) -> Result<Arc<Schema>, UnusableSchema> {
        let fingerprint = Fingerprint::of(schema);
        if let Some(known) = self.known.get(&fingerprint) {
            return known.clone();
        }
        if self.known.len() >= SCHEMAS_MAX {
            // Who is still in use is compiled again; a server that invents schemas gains nothing.
            self.known.clear();
        }
        let compiled = Schema::compile(schema).map(Arc::new);
        self.known.insert(fingerprint, compiled.clone());
        compiled
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Fingerprint, RawJson, Registry, SCHEMAS_MAX, Schema};

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn order_and_space_make_no_other_schema() {
        let mut registry = Registry::default();
        let mut get = |text: &str| registry.schema(&raw(text)).unwrap();
        let first = get(r#"{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}}"#);
        let again = get(r#"{"properties":{"b":{},"a":{"type":"null"}},"type":"object"}"#);
        assert!(Arc::ptr_eq(&first, &again));
        // What a reader of the schema may see is another schema.
        for changed in [
            r#"{"type": "object", "properties": {"a": {"type": "null"}, "c": {}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "null"}, "b": {}}, "title": ""}"#,
        ] {
            assert!(!Arc::ptr_eq(&first, &get(changed)), "{changed}");
        }
        assert_eq!(Fingerprint::of(&raw("{ }")), Fingerprint::of(&raw("{}")));
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_remembered_too() {
        let mut registry = Registry::default();
        let unusable = raw(r#"{"type": "strange"}"#);
        let first = registry.schema(&unusable).unwrap_err();
        assert_eq!(registry.schema(&unusable).unwrap_err(), first);
        assert_eq!(registry.known.len(), 1);
    }

    #[test]
    fn so_many_are_kept_and_no_more() {
        let compiled = Arc::new(Schema::compile(&raw("{}")).unwrap());
        let mut registry = Registry::default();
        for n in 0..SCHEMAS_MAX {
            let fingerprint = Fingerprint::of(&raw(&n.to_string()));
            registry.known.insert(fingerprint, Ok(Arc::clone(&compiled)));
        }
        // One that is known stays known; a new one makes room for itself.
        assert!(Arc::ptr_eq(&registry.schema(&raw("7")).unwrap(), &compiled));
        assert_eq!(registry.known.len(), SCHEMAS_MAX);
        registry.schema(&raw("true")).unwrap();
        assert_eq!(registry.known.len(), 1);
        assert!(compiled.check(&raw("1")).is_empty());
    }
}
