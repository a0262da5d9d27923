//! Many servers behind `manila serve`, some of them broken: what do those notice that are well?
//!
//! Run with `cargo bench --bench many`, or `cargo bench --bench many -- 120` for two minutes of each load. 32 clients call tools of
//! four servers that are well. First nobody else is there; then ten more servers are, one of each broken
//! kind; then the servers that are well are killed at random. Last, 50 servers list their tools together.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use manila_bench::endpoint::Endpoint;
use manila_bench::http::Connection;
use manila_bench::program;

const N_CLIENTS: usize = 32;
const N_WELL: usize = 4;

fn main() {
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(20);
    let load = Duration::from_secs(seconds);
    let manila = program::built();
    let quiet = {
        let endpoint = serving(&manila, &well(&manila));
        row("all are well", &loaded(&endpoint, load, &AtomicBool::new(false)), None)
    };
    let endpoint = serving(&manila, &(well(&manila) + &broken(&manila)));
    row("ten are broken", &loaded(&endpoint, load, &AtomicBool::new(false)), Some(quiet));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| kill_at_random(&endpoint, &is_over));
        let seen = loaded(&endpoint, load, &is_over);
        row("servers are killed", &seen, None);
    });
    drop(endpoint);
    list_of_many(&manila);
}

/// Servers that are well.
fn well(manila: &Path) -> String {
    tables("well", N_WELL, &[&manila.to_string_lossy(), "sample-server"])
}

fn tables(name: &str, n_servers: usize, command: &[&str]) -> String {
    (0..n_servers).fold(String::new(), |mut text, n| {
        // A string takes everything that is written to it.
        let _ = write!(text, "[upstream.{name}{n}]\ncommand = {command:?}\n");
        text
    })
}

/// One of each broken kind.
fn broken(manila: &Path) -> String {
    let sample = manila.to_string_lossy();
    let scripts: [(&str, String); 9] = [
        ("missing", "exec /no/such/program".to_owned()),
        ("ends", "exit 1".to_owned()),
        ("silent", "exec sleep 1000".to_owned()),
        ("deaf", "exec >&-; exec sleep 1000".to_owned()),
        ("babbles", "yes this is no message".to_owned()),
        ("shouts", format!("yes shouting >&2 & exec {sample} sample-server")),
        ("endless", "cat /dev/zero".to_owned()),
        ("dies", format!("(sleep 1; kill -9 $$) & exec {sample} sample-server")),
        ("slow", format!("sleep 15; exec {sample} sample-server")),
    ];
    let mut text = String::new();
    for (name, script) in scripts {
        let command = ["sh", "-c", &script];
        let _ = write!(text, "[upstream.{name}]\ncommand = {command:?}\nstart_timeout = \"5s\"\n");
    }
    text + "[upstream.away]\nurl = \"http://127.0.0.1:9/mcp\"\n"
}

/// `manila serve` in front of these servers.
fn serving(manila: &Path, servers: &str) -> Endpoint {
    let endpoint = Endpoint::serving(manila, servers);
    // All that can be ready are.
    for n in 0..N_WELL {
        let mut connection = Connection::open(endpoint.place().address).expect("it listens");
        let is_there = (0..200).any(|_| {
            let (is_good, _) = call(&mut connection, endpoint.place().address, n);
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
        "POST /tools/well{server}_echo HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{BODY}",
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
struct Seen {
    times: Vec<Duration>,
    n_failed: usize,
    n_without_envelope: usize,
}

fn loaded(endpoint: &Endpoint, load: Duration, is_over: &AtomicBool) -> Seen {
    let address = endpoint.place().address;
    let end = Instant::now() + load;
    let client = |number: usize| {
        let mut seen = Seen::default();
        let mut connection = Connection::open(address).expect("it listens");
        let mut n_calls = number;
        while Instant::now() < end {
            n_calls += 1;
            let start = Instant::now();
            let (is_good, is_enveloped) = call(&mut connection, address, n_calls % N_WELL);
            seen.times.push(start.elapsed());
            seen.n_failed += usize::from(!is_good);
            seen.n_without_envelope += usize::from(!is_enveloped);
            // Half of what it could do: queues are another story.
            std::thread::sleep(Duration::from_millis(2));
        }
        seen
    };
    let all = std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> =
            (0..N_CLIENTS).map(|number| scope.spawn(move || client(number))).collect();
        let seen = clients.into_iter().map(|client| client.join().expect("a client must go on"));
        seen.fold(Seen::default(), |mut all, seen| {
            all.times.extend(seen.times);
            all.n_failed += seen.n_failed;
            all.n_without_envelope += seen.n_without_envelope;
            all
        })
    });
    is_over.store(true, Ordering::Relaxed);
    all
}

/// Kills one child after another.
fn kill_at_random(endpoint: &Endpoint, is_over: &AtomicBool) {
    let mut n_killed = 0_usize;
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(300));
        let found = Command::new("pgrep").args(["-f", "^[^ ]*manila sample-server"]).output();
        let found = found.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let ours = found.unwrap_or_default();
        let ours: Vec<&str> = ours.lines().collect();
        if let Some(pid) = ours.get(n_killed * 7 % ours.len().max(1)) {
            let _ = Command::new("kill").args(["-9", pid]).stderr(Stdio::null()).status();
            n_killed += 1;
        }
    }
    println!("{n_killed} servers were killed; resident {}", resident(endpoint));
}

fn resident(endpoint: &Endpoint) -> String {
    format!("{:.1} MB", endpoint.usage().resident_kb as f64 / 1024.0)
}

fn row(name: &str, seen: &Seen, quiet: Option<Duration>) -> Duration {
    let mut times = seen.times.clone();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    let (p50, p99) = (at(50), at(99));
    let times_quiet = quiet.map(|quiet| p99.as_secs_f64() / quiet.as_secs_f64());
    let compared = times_quiet.map(|times| {
        let verdict = if times < 3.0 { "ok" } else { "OVER" };
        format!(", {times:.2} of quiet (< 3) {verdict}")
    });
    println!(
        "{name:<20} {:>8} calls, {} failed, {} without envelope, p50 {p50:.0?}, p99 {p99:.0?}{}",
        times.len(),
        seen.n_failed,
        seen.n_without_envelope,
        compared.unwrap_or_default()
    );
    p99
}

/// 50 servers, and how long all their tools take to list.
fn list_of_many(manila: &Path) {
    const N_SERVERS: usize = 50;
    let sample: PathBuf = manila.to_path_buf();
    let servers = tables("s", N_SERVERS, &[&sample.to_string_lossy(), "sample-server"]);
    let endpoint = Endpoint::serving(manila, &servers);
    let address = endpoint.place().address;
    let mut connection = Connection::open(address).expect("it listens");
    let request = format!("GET /tools HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut times = Vec::new();
    let mut n_bytes = 0;
    for _ in 0..30 {
        let start = Instant::now();
        connection.send(request.as_bytes());
        n_bytes = connection.reply().body.len();
        times.push(start.elapsed());
    }
    let warm = program::median(times.split_off(10));
    let verdict = if warm <= Duration::from_millis(5) { "ok" } else { "OVER" };
    println!(
        "{N_SERVERS} servers list their tools in {warm:.1?} (<= 5 ms) {verdict}: {n_bytes} bytes; resident {} (<= 40 MB)",
        resident(&endpoint)
    );
}
