//! Compiled schemas, and the violations that they find in a value.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::raw_json::{Kind, RawJson, key_sorted};
use crate::schema::cost::{self, Cost};
use crate::schema::duplicate_keys::find_duplicate_key;
use crate::schema::lenient::tree;
use crate::schema::violations::violations;
use crate::violation::Violation;

/// The maximum size of a schema.
const SCHEMA_BYTES_MAX: usize = 256 * 1024;

/// The maximum number of violations to report.
const VIOLATIONS_MAX: usize = 20;

/// The maximum number of errors to choose from: the validator collects all of them before it
/// returns the first.
const ERRORS_MAX: u64 = 100_000;

/// Q3: the SHA-256 of a schema's compact, key-sorted JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Computes the fingerprint of a schema.
    #[must_use]
    pub fn of(schema: &RawJson) -> Fingerprint {
        Fingerprint(Sha256::digest(key_sorted(schema)).into())
    }
}

/// A compiled schema. Compiling costs as much as about a hundred checks, so keep it.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    cost: Cost,
}

/// A schema that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema cannot be used: {0}")]
pub struct UnusableSchema(String);

impl Schema {
    /// Compiles a schema. Nothing outside of the schema is ever fetched.
    pub fn compile(schema: &RawJson) -> Result<Schema, UnusableSchema> {
        let n_bytes = schema.as_bytes().len();
        if n_bytes > SCHEMA_BYTES_MAX {
            let why = format!("it must have at most {SCHEMA_BYTES_MAX} bytes, but has {n_bytes}");
            return Err(UnusableSchema(why));
        }
        let schema = tree(schema);
        let cost = cost::check(&schema).map_err(UnusableSchema)?;
        let validator = build_linear(&schema).or_else(|_| build_backtracking(&schema));
        let validator =
            validator.map_err(|error| UnusableSchema(describe_error(&error, &schema)))?;
        Ok(Schema { validator, cost })
    }

    /// Returns the rules that a value breaks, at most 20.
    #[must_use]
    pub fn check(&self, value: &RawJson) -> Vec<Violation> {
        self.check_tree(&tree(value))
    }

    fn check_tree(&self, value: &Value) -> Vec<Violation> {
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        if self.cost.breadth.saturating_mul(size(value)) > ERRORS_MAX {
            return self.first_violations(value);
        }
        let errors = self.validator.iter_errors(value);
        let found = errors.flat_map(|error| violations(&error, value, VIOLATIONS_MAX));
        found.take(VIOLATIONS_MAX).collect()
    }

    /// Returns the first violations, for a value that is too large to collect all of them.
    fn first_violations(&self, value: &Value) -> Vec<Violation> {
        if self.cost.has_alternatives {
            let message = "must match its schema, but is too large to report where it does not";
            return vec![Violation::new("", "schema", message)];
        }
        let first = self.validator.validate(value).err();
        first.iter().flat_map(|error| violations(error, value, VIOLATIONS_MAX)).collect()
    }

    /// Returns the rules that the arguments of a call break. Absent arguments count as an empty
    /// object.
    ///
    /// A repeated name is a violation: the tool might use the value that was not checked.
    #[must_use]
    pub fn check_arguments(&self, arguments: Option<&RawJson>) -> Vec<Violation> {
        let given = arguments.filter(|arguments| arguments.kind() != Kind::Null);
        let Some(given) = given else { return self.check(&RawJson::literal("{}")) };
        let tree = tree(given);
        match find_duplicate_key(given, &tree) {
            Some(violation) => vec![violation],
            None => self.check_tree(&tree),
        }
    }
}

/// Returns the number of values in `value`. Recursion is bounded: parsed values are at most
/// `DEPTH_MAX` deep.
fn size(value: &Value) -> u64 {
    match value {
        Value::Object(members) => members.values().fold(1, |sum, value| sum + size(value)),
        Value::Array(items) => items.iter().fold(1, |sum, item| sum + size(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// Describes what is wrong with a schema, and where.
fn describe_error(error: &jsonschema::ValidationError<'_>, schema: &Value) -> String {
    const TYPES: &str =
        "array, boolean, integer, null, number, object or string, or a list of them";
    let describe = |violation: &Violation| {
        // The rule for `type` has alternatives, but their message does not name the types.
        let is_type = violation.rule == "anyOf" && violation.pointer.ends_with("/type");
        if is_type {
            format!("{} must be {TYPES}", violation.pointer)
        } else {
            violation.to_string()
        }
    };
    let violations = violations(error, schema, VIOLATIONS_MAX);
    violations.iter().map(describe).collect::<Vec<_>>().join("; ")
}

type Compiled = Result<Validator, jsonschema::ValidationError<'static>>;

/// Builds a validator whose patterns take linear time.
fn build_linear(schema: &Value) -> Compiled {
    const PATTERN_BYTES_MAX: usize = 4 * 1024 * 1024;
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX);
    jsonschema::options().offline().with_pattern_options(patterns).build(schema)
}

/// Builds a validator whose patterns may look around, with a limit on backtracking.
fn build_backtracking(schema: &Value) -> Compiled {
    const TRIES_MAX: usize = 100_000;
    let patterns = PatternOptions::fancy_regex().backtrack_limit(TRIES_MAX);
    jsonschema::options().offline().with_pattern_options(patterns).build(schema)
}

#[cfg(test)]
mod tests;
