//! The command line of an action: words that are there only when what they tell is.
//!
//! A template is a list of groups. A group is words with spaces between them, e.g. `-c
//! {configuration}`, and stands in the command line only if everything in braces holds:
//!
//! - `{name}` is the value of a parameter, and holds if there is one; a list repeats the whole
//!   group;
//! - `{?name}` holds if the parameter is there and not `false`, and is no word itself;
//! - `{!name}` holds if it is not;
//! - `{name=value}` holds if it is exactly that, `{name~end}` if it ends with that.

use std::collections::BTreeMap;
use std::fmt;

use super::parameter::Dash;
use super::value::Value;

/// What is known of parameters, by their names.
pub(super) type Values = BTreeMap<String, Value>;

/// The words of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Template(Vec<Group>);

/// Words that are there together, or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    /// As it was written.
    text: String,
    conditions: Vec<Condition>,
    words: Vec<Vec<Part>>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Value(String),
}

impl Part {
    /// The word after which nothing is an option.
    fn end() -> Part {
        Part::Literal("--".to_owned())
    }
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    Is(String),
    IsNot(String),
    Equals(String, String),
    EndsWith(String, String),
}

impl Template {
    /// Reads groups. An error says what is wrong with which.
    pub(super) fn new<'a>(groups: impl IntoIterator<Item = &'a str>) -> Result<Template, String> {
        groups.into_iter().map(Group::new).collect::<Result<_, _>>().map(Template)
    }

    /// The command line with these values.
    pub(super) fn words(&self, values: &Values) -> Vec<String> {
        self.0.iter().flat_map(|group| group.filled(values)).collect()
    }

    /// Whether a parameter's value may begin with `-`: it may where it only stands after `--`.
    pub(super) fn dash_of(&self, name: &str) -> Dash {
        // A `--` that may be missing protects only what it comes with.
        let is_end = |group: &Group| {
            let is_there = |condition: &Condition| *condition == Condition::Is(name.to_owned());
            group.words.first().is_some_and(|word| word == &[Part::end()])
                && group.conditions.iter().all(is_there)
                && group.values().all(|value| value == name)
        };
        let end = self.0.iter().position(is_end).unwrap_or(self.0.len());
        let before = self.0.iter().take(end).flat_map(Group::values);
        let mut after = self.0.iter().skip(end).flat_map(Group::values);
        match (before.into_iter().any(|it| it == name), after.any(|it| it == name)) {
            (false, true) => Dash::Allowed,
            (true, _) | (false, false) => Dash::Refused,
        }
    }

    /// The parameters whose values are words of it.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(Group::values)
    }

    /// The values for which it asks, each with the name of its parameter.
    pub(super) fn equalities(&self) -> impl Iterator<Item = (&str, &str)> {
        let conditions = self.0.iter().flat_map(|group| &group.conditions);
        conditions.filter_map(|condition| match condition {
            Condition::Equals(name, value) => Some((name.as_str(), value.as_str())),
            Condition::Is(_) | Condition::IsNot(_) | Condition::EndsWith(..) => None,
        })
    }

    /// The parameters that it speaks of.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|group| {
            let tested = group.conditions.iter().map(Condition::name);
            tested.chain(group.values())
        })
    }
}

/// For people: what is there only with its parameters stands in brackets.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, group) in self.0.iter().enumerate() {
            let between = if n == 0 { "" } else { " " };
            let is_always = group.conditions.is_empty() && group.values().next().is_none();
            let (open, close) = if is_always { ("", "") } else { ("[", "]") };
            write!(f, "{between}{open}{}{close}", group.text)?;
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
                    "`{word}` has a quote: there is no shell, and no word has spaces"
                ));
            }
            match Condition::new(word)? {
                Some(condition) => group.conditions.push(condition),
                None => group.words.push(parts(word)?),
            }
        }
        if group.words.is_empty() {
            return Err(format!("`{text}` has no word"));
        }
        Ok(group)
    }

    fn values(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flatten().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Value(name) => Some(name.as_str()),
        })
    }

    fn filled(&self, values: &Values) -> Vec<String> {
        if !self.conditions.iter().all(|condition| condition.holds(values)) {
            return Vec::new();
        }
        let Some(known) = self.values().map(|name| values.get(name)).collect::<Option<Vec<_>>>()
        else {
            return Vec::new();
        };
        let n_times = known.iter().filter_map(|value| value.n_items()).max().unwrap_or(1);
        let word_of = |parts: &[Part], n: usize| {
            let told = parts.iter().map(|part| match part {
                Part::Literal(text) => text.clone(),
                Part::Value(name) => values.get(name).map(|it| it.word(n)).unwrap_or_default(),
            });
            told.collect::<String>()
        };
        (0..n_times).flat_map(|n| self.words.iter().map(move |word| word_of(word, n))).collect()
    }
}

impl Condition {
    /// Reads `{?name}`, `{!name}`, `{name=value}` or `{name~end}`; `None` if it is a word.
    fn new(word: &str) -> Result<Option<Condition>, String> {
        let Some(inside) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return Ok(None);
        };
        let condition = if let Some(name) = inside.strip_prefix('?') {
            Condition::Is(named(name, word)?)
        } else if let Some(name) = inside.strip_prefix('!') {
            Condition::IsNot(named(name, word)?)
        } else if let Some((name, value)) = inside.split_once('=') {
            Condition::Equals(named(name, word)?, value.to_owned())
        } else if let Some((name, end)) = inside.split_once('~') {
            Condition::EndsWith(named(name, word)?, end.to_owned())
        } else {
            return Ok(None);
        };
        Ok(Some(condition))
    }

    /// Reads conditions that must hold together.
    pub(super) fn all(text: &str) -> Result<Vec<Condition>, String> {
        let read = text.split_whitespace().map(|word| {
            Condition::new(word)?.ok_or_else(|| {
                format!(
                    "`{word}` is no condition: {{?name}}, {{!name}}, {{name=value}} and {{name~end}} are"
                )
            })
        });
        read.collect()
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Condition::Is(name)
            | Condition::IsNot(name)
            | Condition::Equals(name, _)
            | Condition::EndsWith(name, _) => name,
        }
    }

    pub(super) fn holds(&self, values: &Values) -> bool {
        let is = |name: &String| values.get(name).is_some_and(|value| *value != Value::Flag(false));
        match self {
            Condition::Is(name) => is(name),
            Condition::IsNot(name) => !is(name),
            Condition::Equals(name, wanted) => {
                values.get(name).is_some_and(|value| value.word(0) == *wanted)
            }
            // As file systems may: `A.SLN` is a solution.
            Condition::EndsWith(name, end) => {
                let word = values.get(name).map(|value| value.word(0).to_lowercase());
                word.is_some_and(|word| word.ends_with(&end.to_lowercase()))
            }
        }
    }
}

/// The parts of a word.
fn parts(word: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err(format!("`{word}` has a brace that is not closed"));
        };
        if !before.is_empty() {
            parts.push(Part::Literal(before.to_owned()));
        }
        parts.push(Part::Value(named(name, word)?));
        rest = after;
    }
    if rest.contains('}') {
        return Err(format!("`{word}` has a brace that is not opened"));
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest.to_owned()));
    }
    Ok(parts)
}

fn named(name: &str, word: &str) -> Result<String, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(format!("`{word}` has no parameter's name between its braces"));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::parameter::Dash;
    use super::super::value::Value;
    use super::{Template, Values};

    fn values() -> Values {
        let text = |text: &str| Value::Text(text.to_owned());
        Values::from([
            ("project".to_owned(), text("a b.csproj")),
            ("take".to_owned(), Value::Number(3)),
            ("quiet".to_owned(), Value::Flag(true)),
            ("loud".to_owned(), Value::Flag(false)),
            ("files".to_owned(), Value::Texts(vec!["x".to_owned(), "y".to_owned()])),
        ])
    }

    #[track_caller]
    fn check(groups: &[&str], expected: &[&str]) {
        let template = Template::new(groups.iter().copied()).unwrap();
        assert_eq!(template.words(&values()), expected, "{groups:?}");
    }

    #[test]
    fn words_are_there_when_what_they_tell_is() {
        check(&["build", "{project}", "-c {configuration}"], &["build", "a b.csproj"]);
        check(&["--take {take}", "--take={take}"], &["--take", "3", "--take=3"]);
        check(&["-q {?quiet}", "-l {?loud}", "-n {!loud}", "-m {!missing}"], &["-q", "-n", "-m"]);
        check(
            &["add {files}", "-f {files} {?quiet}"],
            &["add", "x", "add", "y", "-f", "x", "-f", "y"],
        );
        check(&["--three {take=3}", "--four {take=4}"], &["--three"]);
        check(&["-a {project~.CSPROJ}", "-b {project~.sln}", "-c {missing~.sln}"], &["-a"]);
    }

    #[test]
    fn only_what_stands_after_the_end_of_options_may_look_like_one() {
        let check = |groups: &[&str], name: &str, expected: Dash| {
            let template = Template::new(groups.iter().copied()).unwrap();
            assert_eq!(template.dash_of(name), expected, "{groups:?} {name}");
        };
        check(&["run", "{rest}"], "rest", Dash::Refused);
        check(&["run", "--", "{rest}"], "rest", Dash::Allowed);
        check(&["run", "-- {?rest}", "{rest}"], "rest", Dash::Allowed);
        check(&["run", "-- {rest}"], "rest", Dash::Allowed);
        check(&["run", "{rest}", "--", "{rest}"], "rest", Dash::Refused);
        check(&["run", "-- {?quiet}", "{rest}"], "rest", Dash::Refused);
        check(&["run", "-- -D {?deny}", "{rest}"], "rest", Dash::Refused);
        check(&["run", "-- {other}", "{rest}"], "rest", Dash::Refused);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let check = |group: &str, expected: &str| {
            let error = Template::new([group]).unwrap_err();
            assert!(error.contains(expected), "{group}: {error}");
        };
        check("{?x}", "has no word");
        check("-c {x", "not closed");
        check("-c x}", "not opened");
        check("-c {}", "no parameter's name");
        check("-c {a-b}", "no parameter's name");
        check("", "has no word");
        check("--format='a b'", "has a quote");
    }
}
