//! Reads JSON values of an expected type. A value of another type is reported and treated as
//! absent; one outside its limits is reported and returned.

use std::borrow::Cow;

use super::collect::{Clause, Findings};
use super::path::Path;
use crate::raw_json::{JsonObject, Kind, RawJson};

impl Findings {
    /// Reads a string.
    pub(crate) fn text(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<String> {
        if !self.expect_kind(value, Kind::String, path, clause) {
            return None;
        }
        let exact = value.as_exact_text().map(Cow::into_owned);
        exact.or_else(|| {
            self.losses.add("text", "a lone surrogate is written as U+FFFD");
            value.as_text().map(Cow::into_owned)
        })
    }

    /// Reads a string and keeps its original bytes.
    pub(crate) fn raw_text(
        &mut self,
        value: RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<RawJson> {
        self.expect_kind(&value, Kind::String, path, clause).then_some(value)
    }

    /// Reads a string that must equal `expected`.
    pub(crate) fn expect_text(
        &mut self,
        value: &RawJson,
        expected: &str,
        path: &Path<'_>,
        clause: Clause,
    ) {
        if self.expect_kind(value, Kind::String, path, clause) {
            self.expect_one_of(&value.as_text().unwrap_or_default(), &[expected], path, clause);
        }
    }

    /// Reads a string whose number of characters is limited.
    pub(crate) fn text_within(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        (chars_min, chars_max): (usize, usize),
    ) -> Option<String> {
        let text = self.text(value, path, clause)?;
        if text.chars().take(chars_min).count() < chars_min {
            let message = match chars_min {
                1 => "must not be empty".to_owned(),
                _ => format!("must have at least {chars_min} characters"),
            };
            self.reject(path, "minLength", clause, message);
        } else if text.len() > chars_max && text.chars().count() > chars_max {
            let message = format!("must have at most {chars_max} characters");
            self.reject(path, "maxLength", clause, message);
        }
        Some(text)
    }

    /// Reads an array of strings.
    pub(crate) fn texts(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        self.array(value, path, clause, |findings, item, at| {
            texts.extend(findings.text(&item, at, clause));
        })
        .then_some(texts)
    }

    /// Reads an object whose values are strings.
    pub(crate) fn pairs(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        self.object(value, path, clause, |findings, name, value, at| {
            let text = findings.text(&value, at, clause);
            pairs.extend(text.map(|text| (name.to_owned(), text)));
        })
        .then_some(pairs)
    }

    /// Reads `true` or `false`.
    pub(crate) fn bool(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<bool> {
        self.expect_kind(value, Kind::Bool, path, clause).then(|| value.as_bytes() == b"true")
    }

    /// Reads an object and keeps its original bytes.
    pub(crate) fn json_object(
        &mut self,
        value: RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<JsonObject> {
        self.expect_kind(&value, Kind::Object, path, clause);
        JsonObject::new(value)
    }

    /// Reads a number, which must be at least `min`.
    pub(crate) fn number(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        min: Option<f64>,
    ) -> Option<f64> {
        if !self.expect_kind(value, Kind::Number, path, clause) {
            return None;
        }
        let number = as_number(value)?;
        if min.is_some_and(|min| number < min) {
            let message = format!("must be at least {}", min.unwrap_or_default());
            self.reject(path, "minimum", clause, message);
        }
        Some(number)
    }

    /// Reads an integer, which must be at least `min`. As in JSON Schema, 1.0 is an integer.
    pub(crate) fn integer(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        min: Option<f64>,
    ) -> Option<i64> {
        let number = self.number(value, path, clause, min)?;
        if number.fract() != 0.0 {
            self.reject(path, "type", clause, "must be an integer");
            return None;
        }
        as_integer(value, number)
    }
}

/// Returns the number as a double.
pub(crate) fn as_number(value: &RawJson) -> Option<f64> {
    (value.kind() == Kind::Number).then(|| value.as_str().parse().ok()).flatten()
}

/// Returns the integer: exactly if it is written as an `i64`, otherwise (`1e3`, `2.0`) if its
/// magnitude is at most 2^53.
fn as_integer(value: &RawJson, number: f64) -> Option<i64> {
    const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;
    let exact = value.as_str().parse().ok();
    #[allow(clippy::cast_possible_truncation, reason = "it is an integer within 2^53")]
    let rounded = || (number.abs() <= EXACT_INTEGER_MAX).then_some(number as i64);
    exact.or_else(rounded)
}
