//! Translates a client's configuration to the text of `manila.toml`.

use super::names::upstream_names;
use super::node::{ImportError, Node};
use super::secrets::{is_secret_header, mark, mark_header, mark_words};
use super::sections::{ServerEntry, read_client_config};
use super::server::{Server, Template, Transport, read_server};
use super::toml::{Value, comment_out, table};
use super::variables::{Place, Variables, variable_name};
use crate::refusal::visible;
use manila_files::jsonc::plain_json;
use manila_redact::is_secret_name;

/// Treatment of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrets {
    /// Replace each secret with a variable.
    Named,
    /// Copy secrets.
    Kept,
}

/// Result of a translation.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) toml: String,
    /// Notes on what is lost, changed or still to be done.
    pub(super) notes: Vec<String>,
}

/// Translates the configuration `text`, read from the file named `file`.
pub(super) fn translate(
    text: &[u8],
    file: &str,
    secrets: Secrets,
) -> Result<Translation, ImportError> {
    let found = read_client_config(&Node::document(plain_json(text))?)?;
    let mut notes = Vec::new();
    let entries = dedup_entries(found.entries, &mut notes);
    let given: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let names = upstream_names(&given);
    let mut servers = Vec::new();
    for (entry, name) in entries.iter().zip(&names) {
        if *name != entry.name {
            notes.push(format!("{} becomes `{name}`: {}", entry.label(), why_renamed(&entry.name)));
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
    Ok(Translation { toml, notes })
}

/// Removes entries that are identical to one of another project. Entries with a command are kept,
/// because each starts in the folder of its project.
fn dedup_entries(entries: Vec<ServerEntry>, notes: &mut Vec<String>) -> Vec<ServerEntry> {
    let mut kept: Vec<ServerEntry> = Vec::new();
    for entry in entries {
        let is_same = |other: &ServerEntry| {
            other.name == entry.name
                && other.is_disabled == entry.is_disabled
                && other.node.is_same(&entry.node)
        };
        if entry.node.get("command").is_none() && kept.iter().any(is_same) {
            notes.push(format!("{} is a duplicate and is left out", entry.label()));
        } else {
            kept.push(entry);
        }
    }
    kept
}

fn why_renamed(name: &str) -> &'static str {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if name.chars().all(is_allowed) && (1..=32).contains(&name.len()) {
        "another server has this name"
    } else {
        "a name has at most 32 characters: ASCII letters, digits and `-`"
    }
}

/// Writes the tables of upstreams.
struct Writer {
    variables: Variables,
    secrets: Secrets,
}

impl Writer {
    /// Writes the table of one upstream.
    fn upstream(&mut self, entry: &ServerEntry, name: &str, server: &Server) -> String {
        let mut entries = Vec::new();
        match &server.transport {
            Transport::Command { words, env, cwd } => {
                entries.push(("command", Value::List(self.command(entry, name, words))));
                entries.push(("env", Value::Table(self.env(entry, name, env))));
                let cwd = cwd.as_ref().map(|cwd| self.text(entry, name, "cwd", cwd));
                entries.extend(cwd.map(|cwd| ("cwd", Value::Text(cwd))));
            }
            Transport::Url { url, headers } => {
                entries.push(("url", Value::Text(self.text(entry, name, "url", url))));
                entries.push(("headers", Value::Table(self.headers(entry, name, headers))));
            }
        }
        entries.retain(|(_, value)| !matches!(value, Value::Table(members) if members.is_empty()));
        let project =
            entry.project.as_deref().map(|it| format!("# From the project {}.\n", visible(it)));
        let table = table(&["upstream", name], &entries);
        let table = match &server.disabled {
            Some(why) => format!("# Commented out: {}.\n{}", visible(why), comment_out(&table)),
            None => table,
        };
        project.unwrap_or_default() + &table
    }

    fn command(&mut self, entry: &ServerEntry, name: &str, words: &[Template]) -> Vec<String> {
        let mut written = Vec::new();
        for (n, (word, marked)) in words.iter().zip(mark_words(words)).enumerate() {
            let label = marked.label;
            let value = if self.secrets == Secrets::Kept { word } else { &marked.value };
            let place = match n.checked_sub(1) {
                Some(n) => format!("args[{n}]"),
                None => "command".to_owned(),
            };
            let names = vec![server_variable(name, label.as_deref().unwrap_or("SECRET"))];
            let place = Place {
                description: describe_place(entry, &place),
                names,
                is_secret: label.is_some(),
            };
            written.push(self.variables.encode(value, &place));
        }
        written
    }

    fn env(
        &mut self,
        entry: &ServerEntry,
        name: &str,
        env: &[(String, Template)],
    ) -> Vec<(String, String)> {
        let written = env.iter().map(|(key, value)| {
            let is_secret = is_secret_name(key);
            let best = if is_secret { variable_name(key) } else { variable_name(key) + "_SECRET" };
            let names = vec![best.clone(), server_variable(name, &best)];
            let description = describe_place(entry, &format!("env.{key}"));
            let place = Place { description, names, is_secret };
            (key.clone(), self.encode_value(value, &mark(Some(key), value), &place))
        });
        written.collect()
    }

    fn headers(
        &mut self,
        entry: &ServerEntry,
        name: &str,
        headers: &[(String, Template)],
    ) -> Vec<(String, String)> {
        let written = headers.iter().map(|(key, value)| {
            let place = Place {
                description: describe_place(entry, &format!("headers.{key}")),
                names: vec![server_variable(name, key)],
                is_secret: is_secret_header(key, value),
            };
            (key.clone(), self.encode_value(value, &mark_header(key, value), &place))
        });
        written.collect()
    }

    fn text(&mut self, entry: &ServerEntry, name: &str, key: &str, value: &Template) -> String {
        let place = Place {
            description: describe_place(entry, key),
            names: vec![server_variable(name, "SECRET")],
            is_secret: false,
        };
        self.encode_value(value, &mark(Some(key), value), &place)
    }

    fn encode_value(&mut self, value: &Template, marked: &Template, place: &Place) -> String {
        match self.secrets {
            Secrets::Named => self.variables.encode(marked, place),
            Secrets::Kept => self.variables.encode(value, place),
        }
    }
}

fn describe_place(entry: &ServerEntry, place: &str) -> String {
    format!("`{place}` of {}", entry.label())
}

/// Returns the name of a variable for one server.
fn server_variable(server: &str, what: &str) -> String {
    variable_name(&format!("{server}-{what}"))
}

#[cfg(test)]
mod tests;
