//! Parameters of a tool, and the checks before anything runs (M7).

use std::ops::RangeInclusive;

use manila::json::Kind as JsonKind;
use manila::{Invalid, JsonObject, RawJson};
use regex::Regex;

use super::value::Value;

/// A parameter of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parameter {
    /// Name of the parameter.
    pub name: String,
    /// Description, for people.
    pub about: String,
    /// Type, and the rules for its values.
    pub kind: Kind,
    /// Value to use if the caller gives none.
    pub(super) default: Option<Value>,
}

/// The type of a parameter.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Kind {
    /// A text.
    Text(TextRules),
    /// A list of texts.
    Texts(TextRules),
    /// A path.
    Path(PathRules),
    /// A list of paths.
    Paths(PathRules),
    /// An integer.
    Number(RangeInclusive<i64>),
    /// `true` or `false`.
    Flag,
}

/// Rules for a text.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TextRules {
    /// Allowed values; empty means any.
    pub values: Vec<String>,
    /// Refused values, ignoring case.
    pub except: Vec<String>,
    /// Pattern that the whole text must match.
    pub pattern: Option<Regex>,
    /// Pattern that each character must match.
    pub characters: Option<Regex>,
}

/// Rules for a path.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PathRules {
    /// Allowed extensions; empty means any.
    pub extensions: Vec<String>,
    /// Pattern that each character must match.
    pub characters: Option<Regex>,
    /// Whether the path must exist.
    pub must_exist: bool,
    /// The parameter that names the file whose folder the path is relative to; otherwise the path
    /// is relative to the working directory.
    pub relative_to: Option<String>,
}

/// Whether a value may begin with `-`. After `--`, no program reads it as an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dash {
    Refused,
    Allowed,
}

impl Parameter {
    /// Checks and parses a value. Paths are checked only as text here.
    pub(super) fn parse(&self, given: &RawJson, dash: Dash) -> Result<Value, Box<Invalid>> {
        let text_of = |it: &RawJson| {
            let text = it
                .as_text()
                .ok_or_else(|| self.invalid_because("invalid value", "must be text"))?;
            self.check_text(&text, dash).map(|()| text.into_owned())
        };
        match &self.kind {
            Kind::Text(_) | Kind::Path(_) => Ok(Value::Text(text_of(given)?)),
            Kind::Texts(_) | Kind::Paths(_) if given.kind() == JsonKind::Array => {
                given.items().map(|item| text_of(&item)).collect::<Result<_, _>>().map(Value::Texts)
            }
            Kind::Texts(_) | Kind::Paths(_) => Err(self
                .invalid_because("invalid value", "must be a list of texts, e.g. [\"a\", \"b\"]")),
            Kind::Number(range) => {
                // `3.0` is an integer, too.
                let written = given.as_str();
                let written = written.strip_suffix(".0").unwrap_or(written);
                let number = written.parse::<i64>().ok().filter(|it| range.contains(it));
                // A program may read `-5` as an option, so the pack must set a minimum to allow it.
                let is_option =
                    |it: &i64| *it < 0 && *range.start() == i64::MIN && dash == Dash::Refused;
                if number.as_ref().is_some_and(is_option) {
                    return Err(self.invalid_characters());
                }
                let must = match (*range.start(), *range.end()) {
                    (i64::MIN, i64::MAX) => "must be a whole number".to_owned(),
                    (min, max) => format!("must be a whole number from {min} to {max}"),
                };
                number
                    .map(Value::Number)
                    .ok_or_else(|| self.invalid_because("invalid value", &must))
            }
            Kind::Flag => match given.as_bytes() {
                b"true" => Ok(Value::Flag(true)),
                b"false" => Ok(Value::Flag(false)),
                _ => Err(self.invalid_because("invalid value", "must be true or false")),
            },
        }
    }

    /// Checks a text, or a path as text, against the rules.
    pub(super) fn check_text(&self, text: &str, dash: Dash) -> Result<(), Box<Invalid>> {
        if text.trim().is_empty() {
            // M7 has its own message for this reason.
            return Err(Box::new(Invalid {
                reason: Some("required".to_owned()),
                ..self.invalid()
            }));
        }
        // A value must not be read as an option, and a command line has no line breaks.
        let is_option = text.starts_with('-') && dash == Dash::Refused;
        if is_option || text.contains(char::is_control) || text.contains(is_deceptive) {
            return Err(self.invalid_characters());
        }
        match &self.kind {
            Kind::Text(rules) | Kind::Texts(rules) => self.check_rules(text, rules),
            Kind::Path(rules) | Kind::Paths(rules) => {
                // Many programs read `@FILE` as a file with further arguments.
                let is_response_file = text.starts_with('@');
                let characters = rules.characters.as_ref();
                if is_response_file || characters.is_some_and(|it| !it.is_match(text)) {
                    return Err(self.invalid_characters());
                }
                let has_extension =
                    |end: &String| text.to_lowercase().ends_with(&end.to_lowercase());
                if rules.extensions.is_empty() || rules.extensions.iter().any(has_extension) {
                    return Ok(());
                }
                let must = format!("must end with {}", rules.extensions.join(" or "));
                Err(self.invalid_because("invalid extension", &must))
            }
            Kind::Number(_) | Kind::Flag => Ok(()),
        }
    }

    fn check_rules(&self, text: &str, rules: &TextRules) -> Result<(), Box<Invalid>> {
        let TextRules { values, except, pattern, characters } = rules;
        if !values.is_empty() && !values.iter().any(|value| value == text) {
            let allowed = values.clone();
            let reason = Some("invalid value".to_owned());
            return Err(Box::new(Invalid { reason, allowed, ..self.invalid() }));
        }
        if except.iter().any(|value| value.eq_ignore_ascii_case(text)) {
            return Err(self.invalid_because("invalid value", &format!("must not be '{text}'")));
        }
        if characters.as_ref().is_some_and(|it| !it.is_match(text)) {
            return Err(self.invalid_characters());
        }
        if pattern.as_ref().is_some_and(|it| !it.is_match(text)) {
            return Err(self.invalid_because("invalid format", "has an invalid format"));
        }
        Ok(())
    }

    fn invalid(&self) -> Invalid {
        Invalid { parameter: Some(self.name.clone()), ..Invalid::default() }
    }

    fn invalid_characters(&self) -> Box<Invalid> {
        Box::new(Invalid { reason: Some("invalid characters".to_owned()), ..self.invalid() })
    }

    fn invalid_because(&self, reason: &str, must: &str) -> Box<Invalid> {
        let message = Some(format!("Parameter '{}' {must}", self.name));
        Box::new(Invalid { message, reason: Some(reason.to_owned()), ..self.invalid() })
    }

    /// Describes the allowed characters; empty if all are allowed.
    pub(super) fn describe_characters(&self) -> String {
        let characters = match &self.kind {
            Kind::Text(rules) | Kind::Texts(rules) => rules.characters.as_ref(),
            Kind::Path(rules) | Kind::Paths(rules) => rules.characters.as_ref(),
            Kind::Number(_) | Kind::Flag => None,
        };
        let class = characters.and_then(|it| it.as_str().strip_prefix('^')?.strip_suffix("*$"));
        class.map(|class| format!(". Characters: {class}")).unwrap_or_default()
    }

    /// Describes the type, the allowed values and the default, for people.
    #[must_use]
    pub fn describe(&self) -> String {
        let one_of = |rules: &TextRules| match rules.values.as_slice() {
            [] => String::new(),
            values => format!(", one of {}", values.join(", ")),
        };
        let ends = |rules: &PathRules| match rules.extensions.as_slice() {
            [] => String::new(),
            ends => format!(", ending with {}", ends.join(" or ")),
        };
        let kind = match &self.kind {
            Kind::Text(rules) => format!("string{}", one_of(rules)),
            Kind::Texts(rules) => format!("strings{}", one_of(rules)),
            Kind::Path(rules) => format!("path{}", ends(rules)),
            Kind::Paths(rules) => format!("paths{}", ends(rules)),
            Kind::Number(range) => match (*range.start(), *range.end()) {
                (i64::MIN, i64::MAX) => "integer".to_owned(),
                (min, i64::MAX) => format!("integer, at least {min}"),
                (i64::MIN, max) => format!("integer, at most {max}"),
                (min, max) => format!("integer, {min} to {max}"),
            },
            Kind::Flag => "boolean".to_owned(),
        };
        match &self.default {
            Some(Value::Texts(texts)) => format!("{kind}; {} by default", texts.join(", ")),
            Some(default) => format!("{kind}; {} by default", default.word(0)),
            None => kind,
        }
    }

    /// Returns the JSON Schema, with this description.
    pub(super) fn schema(&self, about: &str) -> JsonObject {
        JsonObject::build(|object| {
            match &self.kind {
                Kind::Text(_) | Kind::Path(_) => object.member("type", "string"),
                Kind::Texts(rules) => {
                    object.member("type", "array");
                    object.member("items", &item(&rules.values));
                }
                Kind::Paths(_) => {
                    object.member("type", "array");
                    object.member("items", &item(&[]));
                }
                Kind::Number(range) => {
                    object.member("type", "integer");
                    let (min, max) = (*range.start(), *range.end());
                    object.member("minimum", &(min != i64::MIN).then_some(min));
                    object.member("maximum", &(max != i64::MAX).then_some(max));
                }
                Kind::Flag => object.member("type", "boolean"),
            }
            if let Kind::Text(TextRules { values, .. }) = &self.kind
                && !values.is_empty()
            {
                object.member("enum", values);
            }
            object.member("description", about);
            if let Some(default) = &self.default {
                match default {
                    Value::Text(text) => object.member("default", text),
                    Value::Number(number) => object.member("default", number),
                    Value::Flag(flag) => object.member("default", flag),
                    Value::Texts(texts) => object.member("default", texts),
                }
            }
        })
    }
}

/// Returns whether a character ends a line or changes the text direction, so that people would read
/// a different text.
fn is_deceptive(it: char) -> bool {
    matches!(it, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn item(values: &[String]) -> JsonObject {
    JsonObject::build(|object| {
        object.member("type", "string");
        if !values.is_empty() {
            object.member("enum", values);
        }
    })
}
