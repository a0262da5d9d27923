//! The registry (Q3): compiles each schema once, and keeps it by its fingerprint.

use std::collections::HashMap;
use std::sync::Arc;

use crate::raw_json::RawJson;
use crate::schema::compile::{Fingerprint, Schema, UnusableSchema};

/// The maximum number of schemas to keep.
const SCHEMAS_MAX: usize = 2_048;

/// Compiled schemas by fingerprint. Equal schemas share one object; a changed schema gets a new
/// one.
#[derive(Debug, Default)]
pub struct Registry {
    known: HashMap<Fingerprint, Result<Arc<Schema>, UnusableSchema>>,
}

impl Registry {
    /// Returns the compiled schema, which is reused if it is known.
    pub fn schema(&mut self, schema: &RawJson) -> Result<Arc<Schema>, UnusableSchema> {
        let fingerprint = Fingerprint::of(schema);
        if let Some(known) = self.known.get(&fingerprint) {
            return known.clone();
        }
        if self.known.len() >= SCHEMAS_MAX {
            // Schemas in use are compiled again; a server that keeps adding new ones gains nothing.
            self.known.clear();
        }
        let compiled = Schema::compile(schema).map(Arc::new);
        self.known.insert(fingerprint, compiled.clone());
        compiled
    }
}

#[cfg(test)]
mod tests;
