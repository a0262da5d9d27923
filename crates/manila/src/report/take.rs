//! Taking values of a kind: what is of another kind breaks a rule, and is not there afterwards.

use std::borrow::Cow;

use super::look::{Clause, Look};
use super::path::Path;
use crate::raw_json::{JsonObject, Kind, RawJson};

impl Look {
    /// A string.
    pub(crate) fn text(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<String> {
        if !self.is(value, Kind::String, path, clause) {
            return None;
        }
        let exact = value.as_exact_text().map(Cow::into_owned);
        exact.or_else(|| {
            self.losses.add("text", "half of a surrogate pair is told as U+FFFD");
            value.as_text().map(Cow::into_owned)
        })
    }

    /// A string that is kept as it is written.
    pub(crate) fn raw_text(
        &mut self,
        value: RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<RawJson> {
        self.is(&value, Kind::String, path, clause).then_some(value)
    }

    /// A string, which must be this one.
    pub(crate) fn this_text(
        &mut self,
        value: &RawJson,
        this: &str,
        path: &Path<'_>,
        clause: Clause,
    ) {
        if self.is(value, Kind::String, path, clause) {
            self.one_of(&value.as_text().unwrap_or_default(), &[this], path, clause);
        }
    }

    /// A string of so many characters.
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
            self.refuse(path, "minLength", clause, message);
        } else if text.len() > chars_max && text.chars().count() > chars_max {
            let message = format!("must have at most {chars_max} characters");
            self.refuse(path, "maxLength", clause, message);
        }
        Some(text)
    }

    /// An array of strings.
    pub(crate) fn texts(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        self.array(value, path, clause, |look, item, at| {
            texts.extend(look.text(&item, at, clause));
        })
        .then_some(texts)
    }

    /// An object of strings.
    pub(crate) fn pairs(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        self.object(value, path, clause, |look, name, value, at| {
            let text = look.text(&value, at, clause);
            pairs.extend(text.map(|text| (name.to_owned(), text)));
        })
        .then_some(pairs)
    }

    /// `true` or `false`.
    pub(crate) fn bool(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<bool> {
        self.is(value, Kind::Bool, path, clause).then(|| value.as_bytes() == b"true")
    }

    /// An object that is kept as it is.
    pub(crate) fn json_object(
        &mut self,
        value: RawJson,
        path: &Path<'_>,
        clause: Clause,
    ) -> Option<JsonObject> {
        self.is(&value, Kind::Object, path, clause);
        JsonObject::new(value)
    }

    /// A number, which must not be below `min`.
    pub(crate) fn number(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        min: Option<f64>,
    ) -> Option<f64> {
        if !self.is(value, Kind::Number, path, clause) {
            return None;
        }
        let number = as_number(value)?;
        if min.is_some_and(|min| number < min) {
            let message = format!("must not be below {}", min.unwrap_or_default());
            self.refuse(path, "minimum", clause, message);
        }
        Some(number)
    }

    /// An integer, which must not be below `min`. As JSON Schema has it, 1.0 is one.
    pub(crate) fn integer(
        &mut self,
        value: &RawJson,
        path: &Path<'_>,
        clause: Clause,
        min: Option<f64>,
    ) -> Option<i64> {
        let number = self.number(value, path, clause, min)?;
        if number.fract() != 0.0 {
            self.refuse(path, "type", clause, "must be an integer");
            return None;
        }
        as_integer(value, number)
    }
}

/// The double that a number stands for.
pub(crate) fn as_number(value: &RawJson) -> Option<f64> {
    (value.kind() == Kind::Number).then(|| value.as_str().parse().ok()).flatten()
}

/// The integer that a number stands for, if it is one that can be counted with.
fn as_integer(value: &RawJson, number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let spelled = value.as_str().parse().ok();
    #[allow(clippy::cast_possible_truncation, reason = "it is whole and within 2^53")]
    let rounded = || (number.abs() <= EXACT).then_some(number as i64);
    spelled.or_else(rounded)
}
