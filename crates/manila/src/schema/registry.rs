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
