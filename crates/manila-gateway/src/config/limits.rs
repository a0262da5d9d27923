//! `[limits]`: sizes, counts and timeouts.

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
        "largest message accepted from a client or a server; default `\"64MiB\"`. A larger result \
         fails with `TOO_LARGE`",
    ),
    key(
        "limits.in_flight_max",
        Kind::PositiveCount,
        "maximum number of requests in flight; default 16384",
    ),
    key(
        "limits.in_flight_bytes_max",
        Kind::Size,
        "maximum total size of the requests in flight; default `\"64MiB\"`",
    ),
    key(
        "limits.queue_bytes_max",
        Kind::Size,
        "maximum unread data per client stream, and per server in each direction; default \
         `\"16MiB\"`",
    ),
    key(
        "limits.stream_bytes_max",
        Kind::Size,
        "maximum data kept so that clients can resume streams, of all sessions together; default \
         `\"64MiB\"`. The oldest is dropped first",
    ),
    key(
        "limits.connections_max",
        Kind::PositiveCount,
        "maximum number of open connections; default 4096",
    ),
    key(
        "limits.sessions_max",
        Kind::PositiveCount,
        "maximum number of open sessions of the legacy era; default 10000",
    ),
    key(
        "limits.session_idle",
        Kind::Time,
        "how long a session may be idle before it is closed; default `\"30m\"`",
    ),
    key(
        "limits.head_timeout",
        Kind::Time,
        "how long a connection may take to send the head of its next request, after which it is \
         closed; default `\"60s\"`",
    ),
    key(
        "limits.body_timeout",
        Kind::Time,
        "how long a client may take to send the body of a request; default `\"60s\"`",
    ),
    key(
        "limits.grace",
        Kind::Time,
        "how long calls in flight may take to finish when Manila stops; default `\"5s\"`",
    ),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitsTable {
    message_bytes_max: Option<Spanned<String>>,
    in_flight_max: Option<NonZeroUsize>,
    in_flight_bytes_max: Option<Spanned<String>>,
    queue_bytes_max: Option<Spanned<String>>,
    stream_bytes_max: Option<Spanned<String>>,
    connections_max: Option<NonZeroUsize>,
    sessions_max: Option<NonZeroUsize>,
    session_idle: Option<Spanned<String>>,
    head_timeout: Option<Spanned<String>>,
    body_timeout: Option<Spanned<String>>,
    grace: Option<Spanned<String>>,
}

/// The limits for HTTP clients.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of what is kept so that clients can resume streams, of all sessions
    /// together.
    pub stream_bytes_max: usize,
    /// The maximum number of open connections.
    pub connections_max: usize,
    /// The maximum number of open sessions of the legacy era.
    pub sessions_max: usize,
    /// How long a session may be idle before it is closed.
    pub session_idle: Duration,
    /// The approximate maximum size of a request's head. One read may buffer up to twice as much.
    pub head_bytes_max: usize,
    /// How long a client may take to send the head of a request, counted from the last response.
    pub head_timeout: Duration,
    /// How long a client may take to send the body of a request.
    pub body_timeout: Duration,
    /// How long to wait for a response before the gateway starts a stream instead.
    pub stream_after: Duration,
    /// The interval of keep-alive comments on an idle stream.
    pub keep_alive: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            stream_bytes_max: 64 * 1024 * 1024,
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

/// Reads the table. Returns the limits for HTTP; the limits for every transport go into `settings`.
pub(super) fn read(
    text: &str,
    table: &LimitsTable,
    settings: &mut Settings,
) -> Result<Limits, ConfigError> {
    let mut limits = Limits::default();
    set(text, table.message_bytes_max.as_ref(), &mut settings.message_bytes_max, values::bytes)?;
    let in_flight_bytes = table.in_flight_bytes_max.as_ref();
    set(text, in_flight_bytes, &mut settings.in_flight_bytes_max, values::bytes)?;
    set(text, table.queue_bytes_max.as_ref(), &mut settings.queue_bytes_max, values::bytes)?;
    set(text, table.stream_bytes_max.as_ref(), &mut limits.stream_bytes_max, values::bytes)?;
    set(text, table.grace.as_ref(), &mut settings.grace, values::duration)?;
    set(text, table.session_idle.as_ref(), &mut limits.session_idle, values::duration)?;
    set(text, table.head_timeout.as_ref(), &mut limits.head_timeout, values::duration)?;
    set(text, table.body_timeout.as_ref(), &mut limits.body_timeout, values::duration)?;
    settings.in_flight_max = table.in_flight_max.map_or(settings.in_flight_max, NonZero::get);
    limits.connections_max = table.connections_max.map_or(limits.connections_max, NonZero::get);
    limits.sessions_max = table.sessions_max.map_or(limits.sessions_max, NonZero::get);
    Ok(limits)
}
