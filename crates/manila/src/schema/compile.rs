//! Compiled schemas, and the violations that they find in a value.

use std::sync::{Arc, Mutex};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::raw_json::{Kind, RawJson, key_sorted};
use crate::schema::cost::{self, Cost};
use crate::schema::duplicate_keys::find_duplicate_key;
use crate::schema::lenient::tree;
use crate::schema::memory::{PATTERN_BYTES_MAX, PatternMemory, ReservedMemory};
use crate::schema::pattern::steps::with_steps;
use crate::schema::pattern::{self, NAME_PATTERNS, Patterns};
use crate::schema::violations::{cut, violations};
use crate::violation::{CheckStopped, Violation};

/// The maximum size of a schema.
const SCHEMA_BYTES_MAX: usize = 256 * 1024;

/// The maximum number of violations to report.
const VIOLATIONS_MAX: usize = 20;

/// The maximum number of errors to choose from: the validator collects all of them before it
/// returns the first.
const ERRORS_MAX: u64 = 100_000;

/// The maximum work of one check: in schemas and values, and in steps for all patterns together.
/// Either takes at most a few seconds.
const VISITS_MAX: u64 = 250_000_000;
const PATTERN_STEPS_MAX: u64 = 100_000_000;

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
    steps_per_byte: StepsPerByte,
    pattern_bytes: usize,
    /// Keeps the memory of the patterns reserved.
    pub(super) reserved: Option<ReservedMemory>,
}

/// The maximum number of steps for each byte of a value, for all patterns that apply to it.
#[derive(Debug, Clone, Copy, Default)]
struct StepsPerByte {
    texts: u64,
    /// For the names of members.
    names: u64,
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
        let patterns = Arc::new(Mutex::new(compile_names(&schema)?));
        let validator = build(&schema, &patterns);
        let validator =
            validator.map_err(|error| UnusableSchema(describe_error(&error, &schema)))?;
        let mut patterns = patterns
            .lock()
            .map_err(|_| UnusableSchema("its patterns cannot be compiled".to_owned()))?;
        let steps_per_byte = StepsPerByte::of(&schema, &mut patterns)?;
        let pattern_bytes = patterns.memory_usage();
        Ok(Schema { validator, cost, steps_per_byte, pattern_bytes, reserved: None })
    }

    /// Reserves the memory of the patterns. Fails if those of all schemas would need too much.
    pub(super) fn reserve(mut self, memory: &PatternMemory) -> Result<Schema, UnusableSchema> {
        if self.pattern_bytes > 0 {
            let reserved = memory.reserve(self.pattern_bytes);
            let reserved = reserved.ok_or_else(|| {
                let why = format!(
                    "the patterns of all schemas together would need more than \
                     {PATTERN_BYTES_MAX} bytes"
                );
                UnusableSchema(why)
            })?;
            self.reserved = Some(reserved);
        }
        Ok(self)
    }

    /// Returns the rules that a value breaks, at most 20. Stops if the check takes too many steps.
    pub fn check(&self, value: &RawJson) -> Result<Vec<Violation>, CheckStopped> {
        self.check_tree(&tree(value), value.as_bytes().len())
    }

    /// Returns an estimate of the steps for checking a value of this size. A step takes about five
    /// nanoseconds.
    #[must_use]
    pub fn estimate_steps(&self, n_bytes: usize) -> u64 {
        // Few values are shorter than eight bytes.
        let visits_per_byte = self.cost.breadth / 8 + 1;
        let StepsPerByte { texts, names } = self.steps_per_byte;
        let steps_per_byte = visits_per_byte.saturating_add(texts).saturating_add(names);
        steps_per_byte.saturating_mul(n_bytes as u64)
    }

    fn check_tree(&self, value: &Value, n_bytes: usize) -> Result<Vec<Violation>, CheckStopped> {
        self.check_size(value, n_bytes)?;
        let checked = with_steps(PATTERN_STEPS_MAX, || self.violations(value));
        checked.ok_or(CheckStopped { steps_max: PATTERN_STEPS_MAX })
    }

    /// Fails if the check could take too many steps, apart from those for patterns of texts, which
    /// are counted as they are taken.
    fn check_size(&self, value: &Value, n_bytes: usize) -> Result<(), CheckStopped> {
        let check = |n_each: u64, count: fn(&Value) -> u64, steps_max: u64| {
            // A value has fewer parts than bytes, so that small ones need not be counted.
            let is_small = n_each.saturating_mul(n_bytes as u64) <= steps_max;
            let is_within = is_small || n_each.saturating_mul(count(value)) <= steps_max;
            if is_within { Ok(()) } else { Err(CheckStopped { steps_max }) }
        };
        check(self.cost.breadth, size, VISITS_MAX)?;
        check(self.steps_per_byte.names, name_bytes, PATTERN_STEPS_MAX)
    }

    fn violations(&self, value: &Value) -> Vec<Violation> {
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
    /// A repeated name is a violation: the tool might use the value that was not checked. So are
    /// arguments whose check takes too many steps.
    #[must_use]
    pub fn check_arguments(&self, arguments: Option<&RawJson>) -> Vec<Violation> {
        let given = arguments.filter(|arguments| arguments.kind() != Kind::Null);
        let empty = RawJson::literal("{}");
        let given = given.unwrap_or(&empty);
        let tree = tree(given);
        match find_duplicate_key(given, &tree) {
            Some(violation) => vec![violation],
            None => self
                .check_tree(&tree, given.as_bytes().len())
                .unwrap_or_else(|stopped| vec![stopped.violation()]),
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

/// Returns the total size of the names of all members. Recursion is bounded as in `size`.
fn name_bytes(value: &Value) -> u64 {
    match value {
        Value::Object(members) => {
            members.iter().fold(0, |sum, (name, it)| sum + name.len() as u64 + name_bytes(it))
        }
        Value::Array(items) => items.iter().fold(0, |sum, item| sum + name_bytes(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

impl StepsPerByte {
    fn of(schema: &Value, patterns: &mut Patterns) -> Result<StepsPerByte, UnusableSchema> {
        if !patterns.any_in(schema) {
            return Ok(StepsPerByte::default());
        }
        let mut steps = |pattern: &str| {
            // An invalid pattern is never matched.
            patterns.get(pattern).map_or(0, |pattern| pattern.steps_per_character())
        };
        let texts = cost::sum_at_one_location(schema, |schema| {
            schema.get("pattern").and_then(Value::as_str).map_or(0, &mut steps)
        });
        let texts = texts.map_err(UnusableSchema)?;
        let names = cost::sum_at_one_location(schema, |schema| {
            let named = schema.get(NAME_PATTERNS).and_then(Value::as_object);
            named.into_iter().flatten().map(|(pattern, _)| steps(pattern)).sum()
        });
        Ok(StepsPerByte { texts, names: names.map_err(UnusableSchema)? })
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
    if let ValidationErrorKind::Custom { message, .. } = error.kind() {
        return format!("{} {message}", error.schema_path());
    }
    let violations = violations(error, schema, VIOLATIONS_MAX);
    violations.iter().map(describe).collect::<Vec<_>>().join("; ")
}

/// Compiles the patterns of names first: the validator compiles them again with an engine of its
/// own, and they count towards the memory for all patterns of the schema.
fn compile_names(schema: &Value) -> Result<Patterns, UnusableSchema> {
    let mut patterns = Patterns::default();
    if !pattern::has_key(schema, NAME_PATTERNS) {
        return Ok(patterns);
    }
    let mut unusable = None;
    let compiled = cost::sum_at_one_location(schema, |schema| {
        let names = schema.get(NAME_PATTERNS).and_then(Value::as_object).into_iter().flatten();
        for (name, _) in names {
            if let Err(error) = patterns.get(name) {
                unusable.get_or_insert_with(|| format!("/{NAME_PATTERNS}: {} {error}", cut(name)));
            }
        }
        0
    });
    match (compiled, unusable) {
        (Ok(_), None) => Ok(patterns),
        (Ok(_), Some(why)) | (Err(why), _) => Err(UnusableSchema(why)),
    }
}

/// Builds a validator in which all patterns take bounded time.
fn build(
    schema: &Value,
    patterns: &Arc<Mutex<Patterns>>,
) -> Result<Validator, jsonschema::ValidationError<'static>> {
    const NAME_PATTERN_BYTES_MAX: usize = 1024 * 1024;
    let patterns = Arc::clone(patterns);
    jsonschema::options()
        .offline()
        .with_keyword("pattern", move |_, value, _| pattern::keyword::compile(value, &patterns))
        // For the names in `patternProperties`, which cannot be replaced like `pattern`.
        .with_pattern_options(PatternOptions::regex().size_limit(NAME_PATTERN_BYTES_MAX))
        .build(schema)
}

#[cfg(test)]
mod tests;
