//! One line of what is told, and the two ways to write it.

use manila::json::Emit;
use manila::{JsonObject, Moment, RawJson};
use manila_redact::{Redactor, apply};
use serde::Serialize;
use tracing::Level;

use crate::refusal::visible;

/// `--log-format`, for every command that serves.
#[derive(clap::Args)]
pub(crate) struct LogArgs {
    /// How everything is written that is told on standard error
    #[arg(long = "log-format", value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: LogFormat,
}

/// How what is told is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    #[default]
    Text,
    /// For programs: each line is a JSON object with timestamp, level, event, message and the
    /// event's own members
    Json,
}

/// Something that is told.
#[derive(Debug)]
pub(super) struct Line {
    /// Its name, which stays the same.
    pub(super) event: &'static str,
    pub(super) level: Level,
    /// A sentence for people.
    pub(super) message: String,
    /// What it is about, for programs.
    pub(super) members: Vec<(&'static str, Value)>,
}

#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    /// A number, or an object.
    Json(RawJson),
}

impl Value {
    pub(super) fn of(number: &impl Serialize) -> Value {
        // JSON has all our numbers.
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
    /// The line with its end, as it is written in this format.
    pub(super) fn written(&self, format: LogFormat, now: impl FnOnce() -> Moment) -> String {
        match format {
            LogFormat::Text => self.text(),
            LogFormat::Json => self.json(now()),
        }
    }

    fn text(&self) -> String {
        let prefix = match self.event {
            // It begins with the name of the server whose words it repeats.
            "stderr" => "",
            // It is typed, or copied.
            "try" => "  ",
            _ => "manila: ",
        };
        format!("{prefix}{}\n", self.message)
    }

    fn json(&self, now: Moment) -> String {
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

/// A text without what could move a cursor: what servers and clients say must not look like a line
/// of ours.
pub(super) fn harmless(text: &str) -> String {
    visible(&anstream::adapter::strip_str(text).to_string())
}

/// A text without its secrets: what is wrong with a configuration may quote one.
pub(super) fn without_secrets(text: &str) -> String {
    let hidden = apply(text.as_bytes(), &Redactor::standard().text(text.as_bytes()));
    String::from_utf8_lossy(&hidden).into_owned()
}
