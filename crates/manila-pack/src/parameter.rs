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
    /// None of these, in large letters or small ones.
    pub except: Vec<String>,
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
    /// What each of its characters must match.
    pub characters: Option<Regex>,
    /// Whether there must be something.
    pub must_exist: bool,
    /// The parameter that names the file in whose folder it is looked for; else it is the working
    /// directory.
    pub relative_to: Option<String>,
}

/// Whether a value may begin with `-`: after `--` no program takes it for an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dash {
    Refused,
    Allowed,
}

impl Parameter {
    /// What was given, checked. Paths are only looked at as texts here.
    pub(super) fn value(&self, given: &RawJson, dash: Dash) -> Result<Value, Box<Invalid>> {
        let text_of = |it: &RawJson| {
            let text = it.as_text().ok_or_else(|| self.wrong("invalid value", "must be text"))?;
            self.text(&text, dash).map(|()| text.into_owned())
        };
        match &self.kind {
            Kind::Text(_) | Kind::Path(_) => Ok(Value::Text(text_of(given)?)),
            Kind::Texts(_) | Kind::Paths(_) if given.kind() == JsonKind::Array => {
                given.items().map(|item| text_of(&item)).collect::<Result<_, _>>().map(Value::Texts)
            }
            Kind::Texts(_) | Kind::Paths(_) => {
                Err(self.wrong("invalid value", "must be a list of texts, e.g. [\"a\", \"b\"]"))
            }
            Kind::Number(range) => {
                // `3.0` is a whole number, too.
                let written = given.as_str();
                let written = written.strip_suffix(".0").unwrap_or(written);
                let number = written.parse::<i64>().ok().filter(|it| range.contains(it));
                // `-5` is an option, unless the pack says that it is a number.
                let is_option =
                    |it: &i64| *it < 0 && *range.start() == i64::MIN && dash == Dash::Refused;
                if number.as_ref().is_some_and(is_option) {
                    return Err(self.characters());
                }
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
    pub(super) fn text(&self, text: &str, dash: Dash) -> Result<(), Box<Invalid>> {
        if text.trim().is_empty() {
            // M7 has its own words for this.
            return Err(Box::new(Invalid { reason: Some("required".to_owned()), ..self.named() }));
        }
        // An option is no name, and a command line has one line.
        let is_option = text.starts_with('-') && dash == Dash::Refused;
        if is_option || text.contains(char::is_control) || text.contains(is_deceptive) {
            return Err(self.characters());
        }
        match &self.kind {
            Kind::Text(rules) | Kind::Texts(rules) => self.ruled(text, rules),
            Kind::Path(rules) | Kind::Paths(rules) => {
                // To many programs that is a file with more words for their command line.
                let is_list = text.starts_with('@');
                if is_list || rules.characters.as_ref().is_some_and(|it| !it.is_match(text)) {
                    return Err(self.characters());
                }
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
        let Rules { values, except, pattern, characters } = rules;
        if !values.is_empty() && !values.iter().any(|value| value == text) {
            let allowed = values.clone();
            let reason = Some("invalid value".to_owned());
            return Err(Box::new(Invalid { reason, allowed, ..self.named() }));
        }
        if except.iter().any(|value| value.eq_ignore_ascii_case(text)) {
            return Err(self.wrong("invalid value", &format!("must not be '{text}'")));
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

    /// The characters that it may have, where not all are good.
    pub(super) fn characters_told(&self) -> String {
        let characters = match &self.kind {
            Kind::Text(rules) | Kind::Texts(rules) => rules.characters.as_ref(),
            Kind::Path(rules) | Kind::Paths(rules) => rules.characters.as_ref(),
            Kind::Number(_) | Kind::Flag => None,
        };
        let class = characters.and_then(|it| it.as_str().strip_prefix('^')?.strip_suffix("*$"));
        class.map(|class| format!(". Characters: {class}")).unwrap_or_default()
    }

    /// What may be given, in words.
    #[must_use]
    pub fn described(&self) -> String {
        let one_of = |rules: &Rules| match rules.values.as_slice() {
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
                (least, i64::MAX) => format!("integer, at least {least}"),
                (i64::MIN, most) => format!("integer, at most {most}"),
                (least, most) => format!("integer, {least} to {most}"),
            },
            Kind::Flag => "boolean".to_owned(),
        };
        match &self.default {
            Some(Value::Texts(texts)) => format!("{kind}; {} by default", texts.join(", ")),
            Some(default) => format!("{kind}; {} by default", default.word(0)),
            None => kind,
        }
    }

    /// Its JSON Schema, with these words about it.
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

/// Whether a character ends lines, or turns the direction of what follows: people would read
/// another text.
fn is_deceptive(letter: char) -> bool {
    matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn item(values: &[String]) -> JsonObject {
    JsonObject::build(|object| {
        object.member("type", "string");
        if !values.is_empty() {
            object.member("enum", values);
        }
    })
}
