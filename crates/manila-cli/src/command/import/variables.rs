//! The variables that stand in for what is not written down: one name for one meaning.

use std::collections::{BTreeMap, BTreeSet};

use super::found::Input;
use super::secrets::{has_secret, is_secret_name, words};
use super::server::{Server, Template};
use super::template::{Piece, escaped, known_names};

/// Variables with a meaning of their own.
const RESERVED: [&str; 9] =
    ["PATH", "HOME", "PWD", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR"];

/// The names given so far, and what to set them to.
pub(super) struct Variables {
    taken: BTreeMap<String, Meaning>,
    /// The names that were given, by the last one that was proposed.
    given: BTreeMap<(String, Meaning), String>,
    /// The number that makes a proposed name free.
    numbers: BTreeMap<String, u32>,
    inputs: Vec<Input>,
    notes: Vec<String>,
    told: BTreeSet<String>,
}

/// What a variable stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    /// What it is in the environment.
    Itself,
    Input(String),
    Secret(String),
}

/// Where a value stands.
pub(super) struct Place {
    /// For messages.
    pub(super) words: String,
    /// Names for a secret in it, the best one first.
    pub(super) names: Vec<String>,
    /// Whether its name says that it is secret.
    pub(super) is_secret: bool,
}

impl Variables {
    /// With the names that these servers use already.
    pub(super) fn new(inputs: Vec<Input>, servers: &[Server]) -> Variables {
        let reserved = RESERVED.into_iter().chain(known_names()).map(str::to_owned);
        let mut taken: BTreeMap<String, Meaning> =
            reserved.map(|name| (name, Meaning::Itself)).collect();
        let templates = servers.iter().flat_map(|server| server.reach.templates());
        for piece in templates.flatten() {
            if let Piece::Variable(name) | Piece::Defaulted { name, .. } = piece {
                taken.insert(name.clone(), Meaning::Itself);
            }
        }
        Variables {
            taken,
            given: BTreeMap::new(),
            numbers: BTreeMap::new(),
            inputs,
            notes: Vec::new(),
            told: BTreeSet::new(),
        }
    }

    /// A value as `manila.toml` has it.
    pub(super) fn written(&mut self, value: &Template, place: &Place) -> String {
        if !is_writable(value) {
            let name = self.name(Meaning::Secret(format!("{value:?}")), &place.names);
            let why = "a `$` before a variable cannot be written";
            self.tell(format!("set {name} to all of {}: {why}", place.words));
            return format!("${{{name}}}");
        }
        value.iter().map(|piece| self.reference(piece, value, place)).collect()
    }

    /// What is to be told about variables.
    pub(super) fn finish(mut self) -> Vec<String> {
        let used: BTreeSet<&String> = self.taken.values().filter_map(input_of).collect();
        let unused = self.inputs.iter().filter(|input| !used.contains(&input.id));
        let unused = unused
            .map(|input| format!("input `{}` is not taken over: no server uses it", input.id));
        let unused: Vec<String> = unused.collect();
        self.notes.extend(unused);
        self.notes
    }

    fn reference(&mut self, piece: &Piece, value: &Template, place: &Place) -> String {
        let name = match piece {
            Piece::Plain(text) => return escaped(text),
            Piece::Foreign(text) => {
                let words = &place.words;
                self.tell(format!(
                    "{words}: `{text}` stays as it is: only the client knows what it means"
                ));
                return escaped(text);
            }
            Piece::Variable(name) => name.clone(),
            Piece::Known(known) => {
                if let Some(meaning) = known.meaning {
                    self.tell(format!("set {} to {meaning}", known.name));
                }
                known.name.to_owned()
            }
            Piece::Defaulted { name, default } => {
                let is_secret = place.is_secret || has_secret(&with_defaults(value));
                let shown = Some(default).filter(|text| !is_secret && is_public(name, text));
                self.tell_default(name, shown.map(String::as_str), place);
                name.clone()
            }
            Piece::Input(id) => self.input(id),
            Piece::Secret(identity) => {
                let name = self.name(Meaning::Secret(identity.clone()), &place.names);
                self.tell(format!("set {name} to the secret in {}", place.words));
                name
            }
        };
        format!("${{{name}}}")
    }

    fn input(&mut self, id: &str) -> String {
        let best = variable_name(id);
        let name =
            self.name(Meaning::Input(id.to_owned()), &[best.clone(), format!("INPUT_{best}")]);
        let input = self.inputs.iter().find(|input| input.id == id);
        let said = match input {
            None => " (the file does not describe it)".to_owned(),
            Some(input) => {
                let default = input.default.as_ref().filter(|text| is_public(id, text));
                let default = default.map(|text| format!(" (`{text}` unless you say otherwise)"));
                let description = input.description.as_ref().map(|text| format!(": {text}"));
                description.unwrap_or_default() + &default.unwrap_or_default()
            }
        };
        self.tell(format!("set {name} to what the client asks for as `{id}`{said}"));
        name
    }

    /// `default` is none where it may be secret.
    fn tell_default(&mut self, name: &str, default: Option<&str>, place: &Place) {
        let words = &place.words;
        let shown = match default {
            None => "has a default for it",
            Some("") => "has nothing in its place without it",
            Some(default) => &format!("has `{default}` in its place without it"),
        };
        self.tell(format!("set {name}: {words} {shown}, and manila.toml has no defaults"));
    }

    /// The first of these names that is free or means the same; a number makes the last one free.
    fn name(&mut self, meaning: Meaning, names: &[String]) -> String {
        let last = names.last().cloned().unwrap_or_default();
        if let Some(name) = self.given.get(&(last.clone(), meaning.clone())) {
            return name.clone();
        }
        let is_free = |name: &String| self.taken.get(name).is_none_or(|taken| *taken == meaning);
        // What was numbered before is not tried again: there may be a hundred thousand of them.
        let number = self.numbers.entry(last.clone()).or_insert(2);
        let numbered = (*number..).map(|n| (n + 1, format!("{last}_{n}")));
        let proposed = names.iter().map(|name| (*number, name.clone()));
        let mut candidates = proposed.chain(numbered);
        let found = candidates.find(|(_, name)| is_free(name));
        let (next, name) = found.unwrap_or((*number, last.clone()));
        *number = next;
        self.taken.insert(name.clone(), meaning.clone());
        self.given.insert((last, meaning), name.clone());
        name
    }

    /// Tells something once.
    fn tell(&mut self, note: String) {
        if self.told.insert(note.clone()) {
            self.notes.push(note);
        }
    }
}

fn input_of(meaning: &Meaning) -> Option<&String> {
    match meaning {
        Meaning::Input(id) => Some(id),
        Meaning::Itself | Meaning::Secret(_) => None,
    }
}

/// A value as it is where no variable is set.
fn with_defaults(value: &Template) -> String {
    let texts = value.iter().map(|piece| match piece {
        Piece::Plain(text) | Piece::Defaulted { default: text, .. } => text,
        Piece::Variable(_)
        | Piece::Input(_)
        | Piece::Known(_)
        | Piece::Foreign(_)
        | Piece::Secret(_) => "",
    });
    texts.collect()
}

fn is_public(name: &str, value: &str) -> bool {
    !is_secret_name(name) && !has_secret(value)
}

/// `$` before `${NAME}` would make it plain text.
fn is_writable(value: &Template) -> bool {
    value.windows(2).all(|pair| match pair {
        [Piece::Plain(text), Piece::Plain(_) | Piece::Foreign(_)] => !text.is_empty(),
        [Piece::Plain(text), _] => !text.ends_with('$'),
        _ => true,
    })
}

/// A name for the environment: `api-key` is `API_KEY`.
pub(super) fn variable_name(text: &str) -> String {
    let name = words(text).join("_");
    let is_usable = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_usable { name } else { format!("MCP_{name}").trim_end_matches('_').to_owned() }
}
