//! A schema that has been compiled, and what it says of a value.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::raw_json::{Kind, RawJson, key_sorted};
use crate::schema::cost::{self, Cost};
use crate::schema::lenient::tree;
use crate::schema::twice::given_twice;
use crate::schema::words::violations;
use crate::violation::Violation;

/// The largest schema that is compiled.
const SCHEMA_BYTES_MAX: usize = 256 * 1024;

/// How many violations are told.
const VIOLATIONS_MAX: usize = 20;

/// How many errors may be collected to choose from: the validator makes all of them before it
/// hands out the first.
const ERRORS_MAX: u64 = 100_000;

/// Q3: the SHA-256 of a schema's compact, key-sorted JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a schema.
    #[must_use]
    pub fn of(schema: &RawJson) -> Fingerprint {
        Fingerprint(Sha256::digest(key_sorted(schema)).into())
    }
}

/// A compiled schema. Compiling costs as much as a hundred checks, so keep it.
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
    /// Compiles a schema. Nothing outside of it is ever fetched.
    pub fn compile(schema: &RawJson) -> Result<Schema, UnusableSchema> {
        let n_bytes = schema.as_bytes().len();
        if n_bytes > SCHEMA_BYTES_MAX {
            let why = format!("it must have at most {SCHEMA_BYTES_MAX} bytes, but has {n_bytes}");
            return Err(UnusableSchema(why));
        }
        let schema = tree(schema);
        let cost = cost::check(&schema).map_err(UnusableSchema)?;
        let validator = linear(&schema).or_else(|_| backtracking(&schema));
        let validator = validator.map_err(|error| UnusableSchema(told(&error, &schema)))?;
        Ok(Schema { validator, cost })
    }

    /// The rules that a value breaks, as many as people read.
    #[must_use]
    pub fn check(&self, value: &RawJson) -> Vec<Violation> {
        self.check_tree(&tree(value))
    }

    fn check_tree(&self, value: &Value) -> Vec<Violation> {
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        if self.cost.breadth.saturating_mul(size(value)) > ERRORS_MAX {
            return self.first(value);
        }
        let errors = self.validator.iter_errors(value);
        let told = errors.flat_map(|error| violations(&error, value, VIOLATIONS_MAX));
        told.take(VIOLATIONS_MAX).collect()
    }

    /// What breaks the rules first, where there is a way to say it without looking for all.
    fn first(&self, value: &Value) -> Vec<Violation> {
        if self.cost.has_alternatives {
            let words = "must fit its schema, but is too large to say where it does not";
            return vec![Violation::new("", "schema", words)];
        }
        let first = self.validator.validate(value).err();
        first.iter().flat_map(|error| violations(error, value, VIOLATIONS_MAX)).collect()
    }

    /// The rules that a call's arguments break; none at all stand for an empty object. A name
    /// that is given twice breaks one: the tool might take the value that was not checked.
    #[must_use]
    pub fn check_arguments(&self, arguments: Option<&RawJson>) -> Vec<Violation> {
        let given = arguments.filter(|arguments| arguments.kind() != Kind::Null);
        let Some(given) = given else { return self.check(&RawJson::literal("{}")) };
        let tree = tree(given);
        match given_twice(given, &tree) {
            Some(violation) => vec![violation],
            None => self.check_tree(&tree),
        }
    }
}

/// How many values there are. Recursion is bounded: a value that has been read is at most
/// `DEPTH_MAX` deep.
fn size(value: &Value) -> u64 {
    match value {
        Value::Object(members) => members.values().fold(1, |sum, value| sum + size(value)),
        Value::Array(items) => items.iter().fold(1, |sum, item| sum + size(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// What is wrong with a schema, and where.
fn told(error: &jsonschema::ValidationError<'_>, schema: &Value) -> String {
    let violations: Vec<String> =
        violations(error, schema, VIOLATIONS_MAX).iter().map(ToString::to_string).collect();
    violations.join("; ")
}

type Compiled = Result<Validator, jsonschema::ValidationError<'static>>;

/// With patterns that take linear time.
fn linear(schema: &Value) -> Compiled {
    const PATTERN_BYTES_MAX: usize = 4 * 1024 * 1024;
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX);
    jsonschema::options().offline().with_pattern_options(patterns).build(schema)
}

/// With patterns that look around, and may try so often and no more.
fn backtracking(schema: &Value) -> Compiled {
    const TRIES_MAX: usize = 100_000;
    let patterns = PatternOptions::fancy_regex().backtrack_limit(TRIES_MAX);
    jsonschema::options().offline().with_pattern_options(patterns).build(schema)
}

#[cfg(test)]
mod tests;
