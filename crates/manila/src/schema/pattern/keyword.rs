//! The keyword `pattern`, with a bounded number of steps.

use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

use super::steps::take_steps;
use super::{Pattern, Patterns};
use crate::schema::violations::cut;

/// The keyword with its compiled pattern.
struct PatternKeyword {
    pattern: Arc<Pattern>,
    message: String,
}

/// Compiles the keyword of a schema that has these patterns.
pub(in crate::schema) fn compile<'a>(
    pattern: &'a Value,
    patterns: &Mutex<Patterns>,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let Some(text) = pattern.as_str() else {
        return Err(ValidationError::schema("must be a string"));
    };
    let compiled = patterns.lock().unwrap_or_else(PoisonError::into_inner).get(text);
    let pattern = compiled.map_err(|unusable| ValidationError::schema(unusable.to_string()))?;
    let message = format!("must match the pattern {}", cut(text));
    Ok(Box::new(PatternKeyword { pattern, message }))
}

impl<'i> Keyword<'i> for PatternKeyword {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) {
            Ok(())
        } else {
            Err(ValidationError::custom(self.message.clone()))
        }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        let Some(text) = value.as_str() else { return true };
        // Without steps, the result of the whole check is discarded.
        take_steps(|steps| self.pattern.is_match(text, steps)).unwrap_or(true)
    }
}
