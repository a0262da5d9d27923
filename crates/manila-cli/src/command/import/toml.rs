//! Writes TOML: tables with strings, lists of strings, and tables of strings.

use std::fmt::Write;

/// Line width to wrap at.
const WIDTH: usize = 100;

/// A TOML value.
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
    Table(Vec<(String, String)>),
}

/// Writes a table with its header. Inner tables that do not fit on one line come last.
pub(super) fn table(path: &[&str], entries: &[(&str, Value)]) -> String {
    let mut body = String::new();
    let mut below = String::new();
    for (name, value) in entries {
        let name = key(name);
        let line = format!("{name} = {}\n", inline(value));
        match value {
            Value::List(items) if line.chars().count() > WIDTH => {
                let items: Vec<String> = items.iter().map(|item| string(item)).collect();
                body.extend([&name, " = [\n    ", &items.join(",\n    "), ",\n]\n"]);
            }
            Value::Table(members) if line.chars().count() > WIDTH => {
                let members: String = members.iter().map(|it| member(it) + "\n").collect();
                below.extend(["\n[", &header(path), ".", &name, "]\n", &members]);
            }
            Value::Text(_) | Value::List(_) | Value::Table(_) => body += &line,
        }
    }
    format!("[{}]\n{body}{below}", header(path))
}

/// Turns all lines into comments.
pub(super) fn comment_out(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| if line.is_empty() { "#\n".to_owned() } else { format!("# {line}\n") });
    lines.collect()
}

fn header(path: &[&str]) -> String {
    path.iter().map(|name| key(name)).collect::<Vec<_>>().join(".")
}

fn inline(value: &Value) -> String {
    match value {
        Value::Text(text) => string(text),
        Value::List(items) => {
            format!("[{}]", items.iter().map(|item| string(item)).collect::<Vec<_>>().join(", "))
        }
        Value::Table(members) => {
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

fn member((name, text): &(String, String)) -> String {
    format!("{} = {}", key(name), string(text))
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { string(name) }
}

/// Writes a basic string. Control characters and bidirectional formatting characters are escaped.
fn string(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{200E}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => escape(&mut out, letter),
            _ if letter.is_control() => escape(&mut out, letter),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn escape(out: &mut String, letter: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\u{:04X}", u32::from(letter));
}

#[cfg(test)]
mod tests;
