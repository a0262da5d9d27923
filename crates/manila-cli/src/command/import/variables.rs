//! Names the variables that replace secrets and inputs: one name for each meaning.

use std::collections::{BTreeMap, BTreeSet};

use manila_redact::{is_secret_name, name_words};

use super::secrets::has_secret;
use super::sections::Input;
use super::server::{Server, Template};
use super::template::{Piece, escape, known_names};

/// Variables with a conventional meaning.
const RESERVED: [&str; 9] =
    ["PATH", "HOME", "PWD", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR"];

/// The names assigned so far, and the notes on what to set them to.
pub(super) struct Variables {
    taken: BTreeMap<String, Meaning>,
    /// Assigned names, by the last proposed name and the meaning.
    given: BTreeMap<(String, Meaning), String>,
    /// Next number that makes a proposed name unique.
    numbers: BTreeMap<String, u32>,
    inputs: Vec<Input>,
    notes: Vec<String>,
    noted: BTreeSet<String>,
}

/// Meaning of a variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    /// The environment variable with this name.
    Itself,
    Input(String),
    Secret(String),
}

/// Position of a value.
pub(super) struct Place {
    /// Description for messages.
    pub(super) description: String,
    /// Names for a secret in it, best first.
    pub(super) names: Vec<String>,
    /// Whether its name marks it as secret.
    pub(super) is_secret: bool,
}

impl Variables {
    /// Creates the variables; names that the servers use already are reserved.
    pub(super) fn new(inputs: Vec<Input>, servers: &[Server]) -> Variables {
        let reserved = RESERVED.into_iter().chain(known_names()).map(str::to_owned);
        let mut taken: BTreeMap<String, Meaning> =
            reserved.map(|name| (name, Meaning::Itself)).collect();
        let templates = servers.iter().flat_map(|server| server.transport.templates());
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
            noted: BTreeSet::new(),
        }
    }

    /// Encodes a value for `manila.toml`.
    pub(super) fn encode(&mut self, value: &Template, place: &Place) -> String {
        if !is_writable(value) {
            let name = self.name(Meaning::Secret(format!("{value:?}")), &place.names);
            let why = "manila.toml cannot have a `$` before a variable";
            self.note_once(format!("set {name} to the value of {}: {why}", place.description));
            return format!("${{{name}}}");
        }
        value.iter().map(|piece| self.reference(piece, value, place)).collect()
    }

    /// Returns the notes on variables.
    pub(super) fn finish(mut self) -> Vec<String> {
        let used: BTreeSet<&String> = self.taken.values().filter_map(input_of).collect();
        let unused = self.inputs.iter().filter(|input| !used.contains(&input.id));
        let unused =
            unused.map(|input| format!("input `{}` is not converted: no server uses it", input.id));
        let unused: Vec<String> = unused.collect();
        self.notes.extend(unused);
        self.notes
    }

    /// Encodes a piece, and notes what to set its variable to.
    fn reference(&mut self, piece: &Piece, value: &Template, place: &Place) -> String {
        let name = match piece {
            Piece::Plain(text) => return escape(text),
            Piece::Foreign(text) => {
                let description = &place.description;
                self.note_once(format!(
                    "{description}: `{text}` is unchanged: only the client knows its meaning"
                ));
                return escape(text);
            }
            Piece::Variable(name) => name.clone(),
            Piece::Known(known) => {
                if let Some(meaning) = known.meaning {
                    self.note_once(format!("set {} to {meaning}", known.name));
                }
                known.name.to_owned()
            }
            Piece::Defaulted { name, default } => {
                let is_secret = place.is_secret || has_secret(&with_defaults(value));
                let shown = Some(default).filter(|text| !is_secret && is_public(name, text));
                self.note_default(name, shown.map(String::as_str), place);
                name.clone()
            }
            Piece::Input(id) => self.input(id),
            Piece::Secret(identity) => {
                let name = self.name(Meaning::Secret(identity.clone()), &place.names);
                self.note_once(format!("set {name} to the secret in {}", place.description));
                name
            }
        };
        format!("${{{name}}}")
    }

    /// Returns the variable for an input, and notes what to set it to.
    fn input(&mut self, id: &str) -> String {
        let best = variable_name(id);
        let name =
            self.name(Meaning::Input(id.to_owned()), &[best.clone(), format!("INPUT_{best}")]);
        let input = self.inputs.iter().find(|input| input.id == id);
        let details = match input {
            None => " (not described in the file)".to_owned(),
            Some(input) => {
                let default = input.default.as_ref().filter(|text| is_public(id, text));
                let default = default.map(|text| format!(" (default: `{text}`)"));
                let description = input.description.as_ref().map(|text| format!(": {text}"));
                description.unwrap_or_default() + &default.unwrap_or_default()
            }
        };
        self.note_once(format!("set {name} to the value of the client's input `{id}`{details}"));
        name
    }

    /// Notes a default; `default` is `None` if it may be secret.
    fn note_default(&mut self, name: &str, default: Option<&str>, place: &Place) {
        let description = &place.description;
        let shown = match default {
            None => "has a default for it",
            Some("") => "defaults to an empty value",
            Some(default) => &format!("defaults to `{default}`"),
        };
        self.note_once(format!(
            "set {name}: {description} {shown}, and manila.toml does not support defaults"
        ));
    }

    /// Returns the first name that is free or has this meaning; otherwise adds a number to the last
    /// name.
    fn name(&mut self, meaning: Meaning, names: &[String]) -> String {
        let last = names.last().cloned().unwrap_or_default();
        if let Some(name) = self.given.get(&(last.clone(), meaning.clone())) {
            return name.clone();
        }
        let is_free = |name: &String| self.taken.get(name).is_none_or(|taken| *taken == meaning);
        // Numbers in use are not tried again, because there may be 100,000 of them.
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

    /// Adds a note, unless it exists.
    fn note_once(&mut self, note: String) {
        if self.noted.insert(note.clone()) {
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

/// Returns the value if no variable is set.
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

/// Returns whether `manila.toml` can represent the value: a `$` before `${NAME}` would escape it.
fn is_writable(value: &Template) -> bool {
    value.windows(2).all(|pair| match pair {
        [Piece::Plain(text), Piece::Plain(_) | Piece::Foreign(_)] => !text.is_empty(),
        [Piece::Plain(text), _] => !text.ends_with('$'),
        _ => true,
    })
}

/// Returns a name for the environment: `api-key` becomes `API_KEY`.
pub(super) fn variable_name(text: &str) -> String {
    let name = name_words(text).join("_");
    let is_usable = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_usable { name } else { format!("MCP_{name}").trim_end_matches('_').to_owned() }
}
