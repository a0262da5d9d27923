//! The command-line template of an action.
//!
//! A template is a list of groups. A group is a list of words separated by spaces, e.g. `-c
//! {configuration}`. It is part of the command line only if everything in braces holds:
//!
//! - `{name}` is the value of a parameter, and holds if there is one; a list repeats the whole
//!   group;
//! - `{?name}` holds if the parameter is present and not `false`, and produces no word;
//! - `{!name}` holds if `{?name}` does not;
//! - `{name=value}` holds if the value is equal, `{name~end}` if it ends with `end`.

use std::collections::BTreeMap;
use std::fmt;

use super::parameter::Dash;
use super::value::Value;

/// The values of parameters and choices, by name.
pub(super) type Values = BTreeMap<String, Value>;

/// The template of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Template(Vec<Group>);

/// Words that are included together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    /// The group as written.
    text: String,
    conditions: Vec<Condition>,
    words: Vec<Vec<Part>>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// The value of the parameter with this name.
    Parameter(String),
}

impl Part {
    /// Returns the word `--`, after which no word is an option.
    fn end_of_options() -> Part {
        Part::Literal("--".to_owned())
    }
}

/// A condition on a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    IsSet(String),
    IsNotSet(String),
    Equals(String, String),
    EndsWith(String, String),
}

impl Template {
    /// Parses groups. The error names the invalid group or word.
    pub(super) fn new<'a>(groups: impl IntoIterator<Item = &'a str>) -> Result<Template, String> {
        groups.into_iter().map(Group::new).collect::<Result<_, _>>().map(Template)
    }

    /// Returns the words of the command line with these values.
    pub(super) fn words(&self, values: &Values) -> Vec<String> {
        self.0.iter().flat_map(|group| group.fill(values)).collect()
    }

    /// Returns whether a parameter's value may begin with `-`, which is allowed only after `--`.
    pub(super) fn leading_dash_rule(&self, name: &str) -> Dash {
        // A conditional `--` counts only if it is present whenever the value is.
        let is_end = |group: &Group| {
            let is_implied =
                |condition: &Condition| *condition == Condition::IsSet(name.to_owned());
            group.words.first().is_some_and(|word| word == &[Part::end_of_options()])
                && group.conditions.iter().all(is_implied)
                && group.inserted_names().all(|inserted| inserted == name)
        };
        let end = self.0.iter().position(is_end).unwrap_or(self.0.len());
        let before = self.0.iter().take(end).flat_map(Group::inserted_names);
        let mut after = self.0.iter().skip(end).flat_map(Group::inserted_names);
        match (before.into_iter().any(|it| it == name), after.any(|it| it == name)) {
            (false, true) => Dash::Allowed,
            (true, _) | (false, false) => Dash::Refused,
        }
    }

    /// Returns the names whose values are part of the command line.
    pub(super) fn inserted_names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(Group::inserted_names)
    }

    /// Returns the names and values of all `{name=value}` conditions.
    pub(super) fn equalities(&self) -> impl Iterator<Item = (&str, &str)> {
        let conditions = self.0.iter().flat_map(|group| &group.conditions);
        conditions.filter_map(|condition| match condition {
            Condition::Equals(name, value) => Some((name.as_str(), value.as_str())),
            Condition::IsSet(_) | Condition::IsNotSet(_) | Condition::EndsWith(..) => None,
        })
    }

    /// Returns all names that the template refers to.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|group| {
            let tested = group.conditions.iter().map(Condition::name);
            tested.chain(group.inserted_names())
        })
    }
}

/// Writes the template for people; conditional groups are in brackets.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, group) in self.0.iter().enumerate() {
            let separator = if n == 0 { "" } else { " " };
            let is_unconditional =
                group.conditions.is_empty() && group.inserted_names().next().is_none();
            let (open, close) = if is_unconditional { ("", "") } else { ("[", "]") };
            write!(f, "{separator}{open}{}{close}", group.text)?;
        }
        Ok(())
    }
}

impl Group {
    fn new(text: &str) -> Result<Group, String> {
        if text.contains(char::is_control) {
            return Err(format!("{text:?} has a control character"));
        }
        let (conditions, words) = (Vec::new(), Vec::new());
        let mut group = Group { text: text.to_owned(), conditions, words };
        for word in text.split_whitespace() {
            let has_odd = |quote: char| word.matches(quote).count() % 2 == 1;
            if has_odd('\'') || has_odd('"') {
                return Err(format!(
                    "`{word}` has an unbalanced quote: quotes have no effect, because Manila uses \
                     no shell; pass text with spaces through a parameter"
                ));
            }
            match Condition::new(word)? {
                Some(condition) => group.conditions.push(condition),
                None => group.words.push(parts(word)?),
            }
        }
        if group.words.is_empty() {
            if group.conditions.is_empty() {
                return Err("an empty group has no effect: add at least one word".to_owned());
            }
            return Err(format!(
                "`{text}` has only conditions: add at least one word, e.g. `--flag {text}`"
            ));
        }
        Ok(group)
    }

    fn inserted_names(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flatten().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Parameter(name) => Some(name.as_str()),
        })
    }

    fn fill(&self, values: &Values) -> Vec<String> {
        if !self.conditions.iter().all(|condition| condition.holds(values)) {
            return Vec::new();
        }
        let inserted = self.inserted_names().map(|name| values.get(name));
        let Some(inserted) = inserted.collect::<Option<Vec<_>>>() else { return Vec::new() };
        let n_times = inserted.iter().filter_map(|value| value.n_items()).max().unwrap_or(1);
        let word_of = |parts: &[Part], n: usize| {
            let texts = parts.iter().map(|part| match part {
                Part::Literal(text) => text.clone(),
                Part::Parameter(name) => values.get(name).map(|it| it.word(n)).unwrap_or_default(),
            });
            texts.collect::<String>()
        };
        (0..n_times).flat_map(|n| self.words.iter().map(move |word| word_of(word, n))).collect()
    }
}

impl Condition {
    /// Parses `{?name}`, `{!name}`, `{name=value}` or `{name~end}`; returns `None` for other words.
    fn new(word: &str) -> Result<Option<Condition>, String> {
        let Some(inside) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return Ok(None);
        };
        let condition = if let Some(name) = inside.strip_prefix('?') {
            Condition::IsSet(parse_name(name, word)?)
        } else if let Some(name) = inside.strip_prefix('!') {
            Condition::IsNotSet(parse_name(name, word)?)
        } else if let Some((name, value)) = inside.split_once('=') {
            Condition::Equals(parse_name(name, word)?, value.to_owned())
        } else if let Some((name, end)) = inside.split_once('~') {
            Condition::EndsWith(parse_name(name, word)?, end.to_owned())
        } else {
            return Ok(None);
        };
        Ok(Some(condition))
    }

    /// Parses a list of conditions, all of which must hold.
    pub(super) fn all(text: &str) -> Result<Vec<Condition>, String> {
        let conditions = text.split_whitespace().map(|word| {
            Condition::new(word)?.ok_or_else(|| {
                format!(
                    "`{word}` is not a condition such as {{?name}}, {{!name}}, {{name=value}} or \
                     {{name~end}}"
                )
            })
        });
        conditions.collect()
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Condition::IsSet(name)
            | Condition::IsNotSet(name)
            | Condition::Equals(name, _)
            | Condition::EndsWith(name, _) => name,
        }
    }

    pub(super) fn holds(&self, values: &Values) -> bool {
        let is_set =
            |name: &String| values.get(name).is_some_and(|value| *value != Value::Flag(false));
        match self {
            Condition::IsSet(name) => is_set(name),
            Condition::IsNotSet(name) => !is_set(name),
            Condition::Equals(name, expected) => {
                values.get(name).is_some_and(|value| value.word(0) == *expected)
            }
            // Ignores case, as some file systems do: `A.SLN` is a solution.
            Condition::EndsWith(name, end) => {
                let word = values.get(name).map(|value| value.word(0).to_lowercase());
                word.is_some_and(|word| word.ends_with(&end.to_lowercase()))
            }
        }
    }
}

/// Parses a word into literal text and placeholders.
fn parts(word: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err(format!("`{word}` has `{{` without `}}`"));
        };
        if !before.is_empty() {
            parts.push(Part::Literal(before.to_owned()));
        }
        parts.push(Part::Parameter(parse_name(name, word)?));
        rest = after;
    }
    if rest.contains('}') {
        return Err(format!("`{word}` has `}}` without `{{`"));
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest.to_owned()));
    }
    Ok(parts)
}

fn parse_name(name: &str, word: &str) -> Result<String, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(format!(
            "`{word}` has no valid parameter name: use letters, digits and `_`, e.g. `{{a_b}}`"
        ));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests;
