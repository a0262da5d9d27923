//! A client's configuration as text of `manila.toml`.

use super::found::{Entry, find};
use super::names::upstream_names;
use super::node::{Node, Wrong};
use super::secrets::{is_secret_name, marked, marked_word};
use super::server::{Reach, Server, Template, read_server};
use super::toml::{Value, commented, table};
use super::variables::{Place, Variables, variable_name};
use crate::refusal::visible;
use manila_files::jsonc::plain_json;

/// What becomes of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrets {
    /// A variable stands for each of them.
    Named,
    /// They are written as they are.
    Kept,
}

/// What was made of a configuration.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) toml: String,
    /// What is lost, changed or still to be done.
    pub(super) notes: Vec<String>,
}

/// Translates the configuration in a file of this name.
pub(super) fn translate(text: &[u8], file: &str, secrets: Secrets) -> Result<Translated, Wrong> {
    let found = find(&Node::document(plain_json(text))?)?;
    let mut notes = Vec::new();
    let entries = once_each(found.entries, &mut notes);
    let given: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let names = upstream_names(&given);
    let mut servers = Vec::new();
    for (entry, name) in entries.iter().zip(&names) {
        if *name != entry.name {
            notes.push(format!(
                "{} becomes `{name}`: {}",
                entry.called(),
                why_renamed(&entry.name)
            ));
        }
        servers.push(read_server(entry, &mut notes)?);
    }
    let variables = Variables::new(found.inputs, &servers);
    let mut writer = Writer { variables, secrets };
    let mut toml = format!("# From {}, by `manila import`.\n", visible(file));
    for ((entry, name), server) in entries.iter().zip(&names).zip(&servers) {
        toml.push('\n');
        toml += &writer.upstream(entry, name, server);
    }
    notes.extend(writer.variables.finish());
    Ok(Translated { toml, notes })
}

/// The entries without those that another project has in the same words. A command is started in
/// the folder of its project, and so is no other's.
fn once_each(entries: Vec<Entry>, notes: &mut Vec<String>) -> Vec<Entry> {
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries {
        let is_same = |other: &Entry| {
            other.name == entry.name
                && other.is_disabled == entry.is_disabled
                && other.node.is_same(&entry.node)
        };
        if entry.node.get("command").is_none() && kept.iter().any(is_same) {
            notes.push(format!("{} is there already in the same words", entry.called()));
        } else {
            kept.push(entry);
        }
    }
    kept
}

fn why_renamed(name: &str) -> &'static str {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if name.chars().all(is_allowed) && (1..=32).contains(&name.len()) {
        "another server has its name"
    } else {
        "a name has only letters from a to z, digits and `-`, at most 32"
    }
}

struct Writer {
    variables: Variables,
    secrets: Secrets,
}

impl Writer {
    /// The table of one upstream.
    fn upstream(&mut self, entry: &Entry, name: &str, server: &Server) -> String {
        let mut entries = Vec::new();
        match &server.reach {
            Reach::Command { words, env, cwd } => {
                entries.push(("command", Value::List(self.command(entry, name, words))));
                entries.push(("env", Value::Table(self.env(entry, name, env))));
                let cwd = cwd.as_ref().map(|cwd| self.text(entry, name, "cwd", cwd));
                entries.extend(cwd.map(|cwd| ("cwd", Value::Text(cwd))));
            }
            Reach::Url { url, headers } => {
                entries.push(("url", Value::Text(self.text(entry, name, "url", url))));
                entries.push(("headers", Value::Table(self.headers(entry, name, headers))));
            }
        }
        entries.retain(|(_, value)| !matches!(value, Value::Table(members) if members.is_empty()));
        let project =
            entry.project.as_deref().map(|it| format!("# Of the project {}.\n", visible(it)));
        let table = table(&["upstream", name], &entries);
        let table = match &server.off {
            Some(why) => format!("# Off: {}.\n{}", visible(why), commented(&table)),
            None => table,
        };
        project.unwrap_or_default() + &table
    }

    fn command(&mut self, entry: &Entry, name: &str, words: &[Template]) -> Vec<String> {
        let mut before = None;
        let mut written = Vec::new();
        for (n, word) in words.iter().enumerate() {
            let (label, marked) = marked_word(before, word);
            let value = if self.secrets == Secrets::Kept { word } else { &marked };
            let place = match n.checked_sub(1) {
                Some(n) => format!("args[{n}]"),
                None => "command".to_owned(),
            };
            let names = vec![of_server(name, label.as_deref().unwrap_or("SECRET"))];
            let place = Place { words: words_of(entry, &place), names, is_secret: label.is_some() };
            written.push(self.variables.written(value, &place));
            before = Some(word);
        }
        written
    }

    fn env(
        &mut self,
        entry: &Entry,
        name: &str,
        env: &[(String, Template)],
    ) -> Vec<(String, String)> {
        let written = env.iter().map(|(key, value)| {
            let is_secret = is_secret_name(key);
            let own = if is_secret { variable_name(key) } else { variable_name(key) + "_SECRET" };
            let names = vec![own.clone(), of_server(name, &own)];
            let words = words_of(entry, &format!("env.{key}"));
            let place = Place { words, names, is_secret };
            (key.clone(), self.labelled(key, value, &place))
        });
        written.collect()
    }

    fn headers(
        &mut self,
        entry: &Entry,
        name: &str,
        headers: &[(String, Template)],
    ) -> Vec<(String, String)> {
        let written = headers.iter().map(|(key, value)| {
            let words = words_of(entry, &format!("headers.{key}"));
            let place =
                Place { words, names: vec![of_server(name, key)], is_secret: is_secret_name(key) };
            (key.clone(), self.labelled(key, value, &place))
        });
        written.collect()
    }

    fn text(&mut self, entry: &Entry, name: &str, key: &str, value: &Template) -> String {
        let words = words_of(entry, key);
        let place = Place { words, names: vec![of_server(name, "SECRET")], is_secret: false };
        self.labelled(key, value, &place)
    }

    fn labelled(&mut self, label: &str, value: &Template, place: &Place) -> String {
        match self.secrets {
            Secrets::Named => self.variables.written(&marked(Some(label), value), place),
            Secrets::Kept => self.variables.written(value, place),
        }
    }
}

fn words_of(entry: &Entry, place: &str) -> String {
    format!("`{place}` of {}", entry.called())
}

/// The name of a variable that belongs to one server.
fn of_server(server: &str, what: &str) -> String {
    variable_name(&format!("{server}-{what}"))
}

#[cfg(test)]
mod tests;
