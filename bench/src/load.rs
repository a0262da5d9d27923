//! Clients of `manila serve` that call tools of servers that are well, and what they see.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::endpoint::Endpoint;
use crate::http::Connection;

/// How many clients there are.
const N_CLIENTS: usize = 32;
/// How many servers are well.
const N_WELL: usize = 4;

/// The server that nobody kills; its command line has one word more, so that it can be told apart.
const SPARED: usize = N_WELL - 1;

/// Tables of the configuration for the servers that are well.
#[must_use]
pub fn well(manila: &Path) -> String {
    let manila = manila.to_string_lossy();
    let spared = [&*manila, "sample-server", "--era=both"];
    tables("well", SPARED, &[&manila, "sample-server"])
        + &format!("[upstream.well{SPARED}]\ncommand = {spared:?}\n")
}

/// Tables of the configuration for so many servers of the same command.
#[must_use]
pub fn tables(name: &str, n_servers: usize, command: &[&str]) -> String {
    (0..n_servers).fold(String::new(), |mut text, n| {
        // A string takes everything that is written to it.
        let _ = write!(text, "[upstream.{name}{n}]\ncommand = {command:?}\n");
        text
    })
}

/// `manila serve` in front of these servers, as soon as those that are well are ready.
///
/// # Panics
/// If they do not become ready.
#[must_use]
pub fn serving(manila: &Path, servers: &str) -> Endpoint {
    let endpoint = Endpoint::serving(manila, servers);
    let address = endpoint.place().address;
    for n in 0..N_WELL {
        let mut connection = Connection::open(address).expect("it listens");
        let is_there = (0..200).any(|_| {
            let (is_good, _) = call(&mut connection, address, n);
            if !is_good {
                std::thread::sleep(Duration::from_millis(50));
            }
            is_good
        });
        assert!(is_there, "a server that is well must be there");
    }
    endpoint
}

/// Whether a call was answered with success, and whether with an envelope.
fn call(connection: &mut Connection, address: SocketAddr, server: usize) -> (bool, bool) {
    const BODY: &str = r#"{"message":"hello"}"#;
    let request = format!(
        "POST /tools/well{server}_echo HTTP/1.1\r\nHost: {address}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    connection.send(request.as_bytes());
    let reply = connection.reply();
    let body = String::from_utf8_lossy(reply.body);
    let is_good = reply.is_good() && body.contains("\"success\":true") && body.contains("hello");
    (is_good, body.contains("\"version\":\"response-v2\""))
}

/// What clients saw.
#[derive(Default)]
pub struct Seen {
    times: Vec<Duration>,
    /// How many calls failed.
    pub n_failed: usize,
    /// How many of them were calls of the server that nobody kills.
    pub n_failed_of_spared: usize,
    /// How many answers had no envelope.
    pub n_without_envelope: usize,
}

impl Seen {
    fn and(mut self, other: Seen) -> Seen {
        self.times.extend(other.times);
        self.n_failed += other.n_failed;
        self.n_failed_of_spared += other.n_failed_of_spared;
        self.n_without_envelope += other.n_without_envelope;
        self
    }

    /// How many calls there were.
    #[must_use]
    pub fn n_calls(&self) -> usize {
        self.times.len()
    }

    /// The time that so many percent of the calls took at most.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() * percent / 100).copied().unwrap_or_default()
    }
}

/// Lets all clients call for a while, each with a pause after every call.
///
/// # Panics
/// If a client cannot go on.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
pub fn load(endpoint: &Endpoint, time: Duration, pause: Duration) -> Seen {
    let address = endpoint.place().address;
    let end = Instant::now() + time;
    let client = |number: usize| {
        let mut seen = Seen::default();
        let mut connection = Connection::open(address).expect("it listens");
        let mut n_calls = number;
        while Instant::now() < end {
            n_calls += 1;
            let start = Instant::now();
            let server = n_calls % N_WELL;
            let (is_good, is_enveloped) = call(&mut connection, address, server);
            seen.times.push(start.elapsed());
            seen.n_failed += usize::from(!is_good);
            seen.n_failed_of_spared += usize::from(!is_good && server == SPARED);
            seen.n_without_envelope += usize::from(!is_enveloped);
            std::thread::sleep(pause);
        }
        seen
    };
    std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> =
            (0..N_CLIENTS).map(|number| scope.spawn(move || client(number))).collect();
        let seen = clients.into_iter().map(|client| client.join().expect("a client must go on"));
        seen.fold(Seen::default(), Seen::and)
    })
}
