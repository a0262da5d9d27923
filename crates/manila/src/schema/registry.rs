//! The registry (Q3): compiles each schema once, and keeps it by its fingerprint.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::raw_json::RawJson;
use crate::schema::compile::{Fingerprint, Schema, UnusableSchema};
use crate::schema::memory::PatternMemory;

/// The maximum number of schemas to keep.
const SCHEMAS_MAX: usize = 2_048;

/// Compiled schemas by fingerprint. Equal schemas share one object; a changed schema gets a new
/// one.
#[derive(Debug, Default)]
pub struct Registry {
    known: Mutex<Known>,
    pattern_memory: PatternMemory,
}

type Known = HashMap<Fingerprint, Result<Arc<Schema>, UnusableSchema>>;

impl Registry {
    /// Returns the compiled schema, which is reused if it is known.
    ///
    /// Other threads can use the registry meanwhile, because compiling may take long.
    pub fn schema(&self, schema: &RawJson) -> Result<Arc<Schema>, UnusableSchema> {
        let fingerprint = Fingerprint::of(schema);
        if let Some(known) = self.lock_known().get(&fingerprint) {
            return known.clone();
        }
        let compiled = match Schema::compile(schema) {
            // At another time, there may be memory for its patterns.
            Ok(compiled) => Ok(Arc::new(compiled.reserve(&self.pattern_memory)?)),
            Err(unusable) => Err(unusable),
        };
        let mut known = self.lock_known();
        if known.len() >= SCHEMAS_MAX {
            // Schemas in use are compiled again; a server that keeps adding new ones gains nothing.
            known.clear();
        }
        known.entry(fingerprint).or_insert(compiled).clone()
    }

    /// An entry is inserted whole, so a panic elsewhere leaves none half made.
    fn lock_known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
