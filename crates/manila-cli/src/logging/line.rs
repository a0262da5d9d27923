//! A line of the log, and its two formats.

use manila::json::Emit;
use manila::{JsonObject, RawJson, Timestamp};
use manila_redact::{Redactor, apply};
use serde::Serialize;
use tracing::Level;

use crate::refusal::visible;

/// `--log-format`, for every command that serves.
#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// Log format
    #[arg(long = "log-format", value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: LogFormat,
}

/// The format of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// JSON objects with timestamp, level, event, message and the event's fields
    Json,
}

/// A line of the log.
#[derive(Debug)]
pub(super) struct Line {
    /// The event's name, which is stable.
    pub(super) event: &'static str,
    pub(super) level: Level,
    /// The message for people.
    pub(super) message: String,
    /// The event's fields, for programs.
    pub(super) members: Vec<(&'static str, Value)>,
}

/// The value of a field.
#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    /// A number or an object.
    Json(RawJson),
}

impl Value {
    /// Creates the value of a number.
    pub(super) fn number(number: &impl Serialize) -> Value {
        // All numbers in use can be written as JSON.
        RawJson::of(number).map_or_else(|_| Value::Text(String::new()), Value::Json)
    }
}

impl Emit for Value {
    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Value::Text(text) => text.emit(out),
            Value::Json(json) => json.emit(out),
        }
    }
}

impl Line {
    /// Encodes the line in this format, with its line end.
    pub(super) fn encode(&self, format: LogFormat, now: impl FnOnce() -> Timestamp) -> String {
        match format {
            LogFormat::Text => self.text(),
            LogFormat::Json => self.json(now()),
        }
    }

    fn text(&self) -> String {
        let prefix = match self.event {
            // The message begins with the name of the server.
            "stderr" => "",
            // The message is a command to type or copy.
            "try" => "  ",
            _ => "manila: ",
        };
        format!("{prefix}{}\n", self.message)
    }

    fn json(&self, now: Timestamp) -> String {
        let line = JsonObject::build(|line| {
            line.member("timestamp", &now.to_string());
            line.member("level", &self.level.as_str().to_ascii_lowercase());
            line.member("event", self.event);
            line.member("message", &self.message);
            for (name, value) in &self.members {
                line.member(name, value);
            }
        });
        format!("{line}\n")
    }
}

/// Removes escape sequences and escapes control characters.
///
/// Texts of servers and clients must not move the cursor or imitate Manila's lines.
pub(super) fn strip_control(text: &str) -> String {
    visible(&anstream::adapter::strip_str(text).to_string())
}

/// Redacts the secrets in a text: an error in a configuration may quote one.
pub(super) fn without_secrets(text: &str) -> String {
    let redacted = apply(text.as_bytes(), &Redactor::standard().text(text.as_bytes()));
    String::from_utf8_lossy(&redacted).into_owned()
}
