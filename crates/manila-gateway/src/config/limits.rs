//! The limits of what is served over HTTP.

use std::time::Duration;

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
