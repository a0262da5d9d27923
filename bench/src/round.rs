//! One round of calls, one or several at a time, as fast as the responses arrive.

use std::time::{Duration, Instant};

/// A call of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The tool's name on the server.
    pub tool: &'a str,
    /// The arguments: a JSON object.
    pub arguments: &'a str,
    /// A text near an end of every correct response.
    pub proof: &'a str,
    /// The minimal size of a correct response.
    pub bytes_min: usize,
}

impl Call<'static> {
    /// An echo of a short text.
    pub const ECHO: Call<'static> =
        Call { tool: "echo", arguments: r#"{"message":"hello"}"#, proof: "hello", bytes_min: 0 };
    /// 100 KB of text, from the sample server.
    pub const TEXT: Call<'static> = Call {
        tool: "huge",
        arguments: r#"{"bytes":102400}"#,
        proof: "Crates of paper",
        bytes_min: 102_400,
    };
    /// 71 KB of JSON in a text, from the sample server.
    pub const JSON: Call<'static> = Call {
        tool: "list",
        arguments: r#"{"count":1400}"#,
        proof: "crate 1400",
        bytes_min: 70_000,
    };
}

/// Sends calls and receives their responses in any order.
pub trait Channel {
    /// Sends a call.
    fn call(&mut self, id: usize, call: &Call<'_>);
    /// Waits for the response to any open call, checks it, and returns its id.
    fn answer(&mut self, call: &Call<'_>) -> usize;
}

/// Runs a round and returns the time of one call: the median if calls are sent one at a time,
/// otherwise the average.
pub fn round(
    channel: &mut impl Channel,
    call: &Call<'_>,
    n_calls: usize,
    n_at_once: usize,
) -> Duration {
    if n_at_once == 1 {
        sequential(channel, call, n_calls)
    } else {
        concurrent(channel, call, n_calls, n_at_once)
    }
}

#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn sequential(channel: &mut impl Channel, call: &Call<'_>, n_calls: usize) -> Duration {
    let mut times: Vec<Duration> = (0..n_calls)
        .map(|id| {
            let start = Instant::now();
            channel.call(id, call);
            assert_eq!(channel.answer(call), id, "the response must have the id of the call");
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(n_calls / 2).copied().unwrap_or_default()
}

#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn concurrent(
    channel: &mut impl Channel,
    call: &Call<'_>,
    n_calls: usize,
    n_at_once: usize,
) -> Duration {
    let mut open = Vec::with_capacity(n_at_once);
    let start = Instant::now();
    for id in 0..n_at_once {
        channel.call(id, call);
        open.push(id);
    }
    for id in n_at_once..n_calls + n_at_once {
        let answered = channel.answer(call);
        let place = open.iter().position(|id| *id == answered);
        open.swap_remove(place.expect("a response must have the id of an open call"));
        if id < n_calls {
            channel.call(id, call);
            open.push(id);
        }
    }
    start.elapsed() / u32::try_from(n_calls).unwrap_or(u32::MAX)
}
