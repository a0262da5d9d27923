//! `[limits]`: how much is served at once, and how long it may take.

use std::num::{NonZero, NonZeroUsize};
use std::time::Duration;

use manila_files::{ConfigError, Key, Kind, key, values};
use serde::Deserialize;
use toml::Spanned;

use super::settings::Settings;
use super::value::set;

/// The keys of `[limits]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "limits.message_bytes_max",
        Kind::Size,
        "the largest message that is read, from either side, e.g. `\"64MiB\"`; a larger answer is \
         `TOO_LARGE`",
    ),
    key("limits.in_flight_max", Kind::Several, "how many requests may be open"),
    key("limits.in_flight_bytes_max", Kind::Size, "how many bytes they may have together"),
    key("limits.queue_bytes_max", Kind::Size, "how much may wait in each queue"),
    key("limits.connections_max", Kind::Several, "how many connections may be open"),
    key("limits.sessions_max", Kind::Several, "how many sessions of the legacy era may be open"),
    key(
        "limits.session_idle",
        Kind::Time,
        "how long a session may be silent before it is forgotten",
    ),
    key("limits.head_timeout", Kind::Time, "how long the head of a request may take"),
    key("limits.body_timeout", Kind::Time, "how long the body of a request may take"),
    key("limits.grace", Kind::Time, "how long open calls have to end when Manila stops"),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitsTable {
    message_bytes_max: Option<Spanned<String>>,
    in_flight_max: Option<NonZeroUsize>,
    in_flight_bytes_max: Option<Spanned<String>>,
    queue_bytes_max: Option<Spanned<String>>,
    connections_max: Option<NonZeroUsize>,
    sessions_max: Option<NonZeroUsize>,
    session_idle: Option<Spanned<String>>,
    head_timeout: Option<Spanned<String>>,
    body_timeout: Option<Spanned<String>>,
    grace: Option<Spanned<String>>,
}

/// The limits of what is served over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many connections may be open.
    pub connections_max: usize,
    /// How many sessions of the legacy era may be open.
    pub sessions_max: usize,
    /// How long a session may be silent before it is forgotten.
    pub session_idle: Duration,
    /// How large the head of a request may be, about: up to twice as much may be read at once.
    pub head_bytes_max: usize,
    /// How long the head of a request may take, from the last reply on.
    pub head_timeout: Duration,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
    /// After how long an answer that has not come becomes a stream.
    pub stream_after: Duration,
    /// How often a silent stream shows that somebody is there.
    pub keep_alive: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections_max: 4_096,
            sessions_max: 10_000,
            session_idle: Duration::from_secs(30 * 60),
            head_bytes_max: 32 * 1024,
            head_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(60),
            stream_after: Duration::from_secs(2),
            keep_alive: Duration::from_secs(15),
        }
    }
}

/// Reads the table: the limits of HTTP are returned, those of every transport are put into
/// `settings`.
pub(super) fn read(
    text: &str,
    table: &LimitsTable,
    settings: &mut Settings,
) -> Result<Limits, ConfigError> {
    let mut limits = Limits::default();
    set(text, table.message_bytes_max.as_ref(), &mut settings.frame_bytes_max, values::bytes)?;
    let in_flight_bytes = table.in_flight_bytes_max.as_ref();
    set(text, in_flight_bytes, &mut settings.in_flight_bytes_max, values::bytes)?;
    set(text, table.queue_bytes_max.as_ref(), &mut settings.queue_bytes_max, values::bytes)?;
    set(text, table.grace.as_ref(), &mut settings.grace, values::duration)?;
    set(text, table.session_idle.as_ref(), &mut limits.session_idle, values::duration)?;
    set(text, table.head_timeout.as_ref(), &mut limits.head_timeout, values::duration)?;
    set(text, table.body_timeout.as_ref(), &mut limits.body_timeout, values::duration)?;
    settings.in_flight_max = table.in_flight_max.map_or(settings.in_flight_max, NonZero::get);
    limits.connections_max = table.connections_max.map_or(limits.connections_max, NonZero::get);
    limits.sessions_max = table.sessions_max.map_or(limits.sessions_max, NonZero::get);
    Ok(limits)
}
