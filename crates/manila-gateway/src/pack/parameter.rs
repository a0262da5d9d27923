//! What a caller may tell a tool, and what is refused before anything runs (M7).

use std::ops::RangeInclusive;

use manila::json::Kind as JsonKind;
use manila::{Invalid, JsonObject, RawJson};
use regex::Regex;

use super::value::Value;

/// A parameter of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// What may be given.
    pub kind: Kind,
    /// What counts where nothing is given.
    pub(super) default: Option<Value>,
}

/// What may be given for a parameter.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Kind {
    /// A text.
    Text(Rules),
    /// Several of them.
    Texts(Rules),
    /// A path.
    Path(PathRules),
    /// Several of them.
    Paths(PathRules),
    /// A whole number.
    Number(RangeInclusive<i64>),
    /// `true` or `false`.
    Flag,
}

/// What a text must be like.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Rules {
    /// One of these, if there are any.
    pub values: Vec<String>,
    /// What all of it must match.
    pub pattern: Option<Regex>,
    /// What each of its characters must match.
    pub characters: Option<Regex>,
}

/// What a path must be like.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PathRules {
    /// How its name must end, if anything is said.
    pub extensions: Vec<String>,
    /// Whether there must be something.
    pub must_exist: bool,
}

impl Parameter {
    /// What was given, checked. Paths are only looked at as texts here.
    pub(super) fn value(&self, given: &RawJson) -> Result<Value, Box<Invalid>> {
        let text_of = |it: &RawJson| {
            let text = it.as_text().ok_or_else(|| self.wrong("invalid value", "must be text"))?;
            self.text(&text).map(|()| text.into_owned())
        };
        match &self.kind {
            Kind::Text(_) | Kind::Path(_) => Ok(Value::Text(text_of(given)?)),
            Kind::Texts(_) | Kind::Paths(_) if given.kind() == JsonKind::Array => {
                given.items().map(|item| text_of(&item)).collect::<Result<_, _>>().map(Value::Texts)
            }
            Kind::Texts(_) | Kind::Paths(_) => {
                Err(self.wrong("invalid value", "must be a list of texts"))
            }
            Kind::Number(range) => {
                let number = given.as_str().parse::<i64>().ok().filter(|it| range.contains(it));
                let must = match (*range.start(), *range.end()) {
                    (i64::MIN, i64::MAX) => "must be a whole number".to_owned(),
                    (least, most) => format!("must be a whole number from {least} to {most}"),
                };
                number.map(Value::Number).ok_or_else(|| self.wrong("invalid value", &must))
            }
            Kind::Flag => match given.as_bytes() {
                b"true" => Ok(Value::Flag(true)),
                b"false" => Ok(Value::Flag(false)),
                _ => Err(self.wrong("invalid value", "must be true or false")),
            },
        }
    }

    /// Whether a text may stand in a command line as what it says it is.
    fn text(&self, text: &str) -> Result<(), Box<Invalid>> {
        if text.trim().is_empty() {
            // M7 has its own words for this.
            return Err(Box::new(Invalid { reason: Some("required".to_owned()), ..self.named() }));
        }
        // An option is no name, and a command line has one line.
        if text.starts_with('-') || text.contains(char::is_control) {
            return Err(self.characters());
        }
        match &self.kind {
            Kind::Text(rules) | Kind::Texts(rules) => self.ruled(text, rules),
            Kind::Path(rules) | Kind::Paths(rules) => {
                let is_it = |end: &String| text.to_lowercase().ends_with(&end.to_lowercase());
                if rules.extensions.is_empty() || rules.extensions.iter().any(is_it) {
                    return Ok(());
                }
                let must = format!("must end with {}", rules.extensions.join(" or "));
                Err(self.wrong("invalid extension", &must))
            }
            Kind::Number(_) | Kind::Flag => Ok(()),
        }
    }

    fn ruled(&self, text: &str, rules: &Rules) -> Result<(), Box<Invalid>> {
        let Rules { values, pattern, characters } = rules;
        if !values.is_empty() && !values.iter().any(|value| value == text) {
            let allowed = values.clone();
            let reason = Some("invalid value".to_owned());
            return Err(Box::new(Invalid { reason, allowed, ..self.named() }));
        }
        if characters.as_ref().is_some_and(|it| !it.is_match(text)) {
            return Err(self.characters());
        }
        if pattern.as_ref().is_some_and(|it| !it.is_match(text)) {
            return Err(self.wrong("invalid format", "has an invalid format"));
        }
        Ok(())
    }

    fn named(&self) -> Invalid {
        Invalid { parameter: Some(self.name.clone()), ..Invalid::default() }
    }

    fn characters(&self) -> Box<Invalid> {
        Box::new(Invalid { reason: Some("invalid characters".to_owned()), ..self.named() })
    }

    fn wrong(&self, reason: &str, must: &str) -> Box<Invalid> {
        let message = Some(format!("Parameter '{}' {must}", self.name));
        Box::new(Invalid { message, reason: Some(reason.to_owned()), ..self.named() })
    }

    /// Its JSON Schema.
    pub(super) fn schema(&self) -> JsonObject {
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
                    let (least, most) = (*range.start(), *range.end());
                    object.member("minimum", &(least != i64::MIN).then_some(least));
                    object.member("maximum", &(most != i64::MAX).then_some(most));
                }
                Kind::Flag => object.member("type", "boolean"),
            }
            if let Kind::Text(Rules { values, .. }) = &self.kind
                && !values.is_empty()
            {
                object.member("enum", values);
            }
            object.member("description", &self.about);
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

fn item(values: &[String]) -> JsonObject {
    JsonObject::build(|object| {
        object.member("type", "string");
        if !values.is_empty() {
            object.member("enum", values);
        }
    })
}
