//! Clients of `manila serve` that call tools of healthy servers, and their statistics.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::endpoint::Endpoint;
use crate::http::Connection;

/// The number of clients.
const N_CLIENTS: usize = 32;
/// The number of healthy servers.
const N_HEALTHY: usize = 4;

/// The server that is never killed. Its command line has one more argument, to distinguish it.
const SPARED: usize = N_HEALTHY - 1;

/// Returns the configuration tables of the healthy servers.
#[must_use]
pub fn healthy_servers(manila: &Path) -> String {
    let manila = manila.to_string_lossy();
    let spared = [&*manila, "sample-server", "--era=both"];
    tables("well", SPARED, &[&manila, "sample-server"])
        + &format!("[upstream.well{SPARED}]\ncommand = {spared:?}\n")
}

/// Returns the configuration tables of several servers with the same command.
#[must_use]
pub fn tables(name: &str, n_servers: usize, command: &[&str]) -> String {
    (0..n_servers).fold(String::new(), |mut text, n| {
        // Writing to a string cannot fail.
        let _ = write!(text, "[upstream.{name}{n}]\ncommand = {command:?}\n");
        text
    })
}

/// Starts `manila serve` with these servers, and waits until the healthy ones are ready.
///
/// # Panics
/// If a healthy server does not become ready.
#[must_use]
pub fn serve_when_ready(manila: &Path, servers: &str) -> Endpoint {
    let endpoint = Endpoint::serve(manila, servers);
    let address = endpoint.target().address;
    for n in 0..N_HEALTHY {
        let mut connection = Connection::open(address).expect("it listens");
        let is_ready = (0..200).any(|_| {
            let (is_good, _) = call(&mut connection, address, n);
            if !is_good {
                std::thread::sleep(Duration::from_millis(50));
            }
            is_good
        });
        assert!(is_ready, "a healthy server must become ready");
    }
    endpoint
}

/// Calls a tool, and returns whether the call succeeded and whether the response is an envelope.
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

/// The statistics of the clients' calls.
#[derive(Default)]
pub struct LoadStats {
    times: Vec<Duration>,
    /// The number of failed calls.
    pub n_failed: usize,
    /// The number of failed calls of the server that is never killed.
    pub n_failed_of_spared: usize,
    /// The number of responses without an envelope.
    pub n_without_envelope: usize,
}

impl LoadStats {
    fn merge(mut self, other: LoadStats) -> LoadStats {
        self.times.extend(other.times);
        self.n_failed += other.n_failed;
        self.n_failed_of_spared += other.n_failed_of_spared;
        self.n_without_envelope += other.n_without_envelope;
        self
    }

    /// Returns the number of calls.
    #[must_use]
    pub fn n_calls(&self) -> usize {
        self.times.len()
    }

    /// Returns a percentile of the call times.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() * percent / 100).copied().unwrap_or_default()
    }
}

/// Runs all clients for this time, each with a pause after every call.
///
/// # Panics
/// If a client loses its connection.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
pub fn load(endpoint: &Endpoint, time: Duration, pause: Duration) -> LoadStats {
    let address = endpoint.target().address;
    let end = Instant::now() + time;
    let client = |number: usize| {
        let mut stats = LoadStats::default();
        let mut connection = Connection::open(address).expect("it listens");
        let mut n_calls = number;
        while Instant::now() < end {
            n_calls += 1;
            let start = Instant::now();
            let server = n_calls % N_HEALTHY;
            let (is_good, is_enveloped) = call(&mut connection, address, server);
            stats.times.push(start.elapsed());
            stats.n_failed += usize::from(!is_good);
            stats.n_failed_of_spared += usize::from(!is_good && server == SPARED);
            stats.n_without_envelope += usize::from(!is_enveloped);
            std::thread::sleep(pause);
        }
        stats
    };
    std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> =
            (0..N_CLIENTS).map(|number| scope.spawn(move || client(number))).collect();
        let stats = clients.into_iter().map(|client| client.join().expect("a client must work"));
        stats.fold(LoadStats::default(), LoadStats::merge)
    })
}
