//! Many servers behind `manila serve`, some of them broken: what do those notice that are well?
//!
//! Run with `cargo bench --bench many`, or `cargo bench --bench many -- 120` for two minutes of
//! each load; `-- 20 babbles shouts` has only these broken kinds. 32 clients call tools of four
//! servers that are well. First nobody else is there; then ten more servers are, one of each broken
//! kind; then the servers that are well are killed at random, but for one. Last, 50 servers list
//! the tools of all of them.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use manila_bench::endpoint::Endpoint;
use manila_bench::http::Connection;
use manila_bench::load::{Seen, load, serving, tables, well};
use manila_bench::{program, tools};

/// Half of what it could do: queues are another story.
const PAUSE: Duration = Duration::from_millis(2);

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == tools::ARGUMENT) {
        tools::serve();
        return;
    }
    let seconds = words.iter().find_map(|word| word.parse().ok()).unwrap_or(20);
    let kinds: Vec<&str> =
        words.iter().map(String::as_str).filter(|it| it.parse::<u64>().is_err()).collect();
    let time = Duration::from_secs(seconds);
    let manila = program::built();
    let quiet = {
        let endpoint = serving(&manila, &well(&manila));
        row("all are well", &endpoint, &load(&endpoint, time, PAUSE), None)
    };
    let endpoint = serving(&manila, &(well(&manila) + &broken(&manila, &kinds)));
    row("some are broken", &endpoint, &load(&endpoint, time, PAUSE), Some(quiet));
    if !kinds.is_empty() {
        return;
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| kill_at_random(&manila, &is_over));
        let seen = load(&endpoint, time, PAUSE);
        is_over.store(true, Ordering::Relaxed);
        row("servers are killed", &endpoint, &seen, None);
    });
    drop(endpoint);
    list_of_many(&manila);
}

/// One of each broken kind, or only of these.
fn broken(manila: &Path, kinds: &[&str]) -> String {
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
    let is_meant = |name: &str| kinds.is_empty() || kinds.contains(&name);
    let mut text = String::new();
    for (name, script) in scripts.iter().filter(|(name, _)| is_meant(name)) {
        let command = ["sh", "-c", script];
        let _ = write!(text, "[upstream.{name}]\ncommand = {command:?}\nstart_timeout = \"5s\"\n");
    }
    if is_meant("away") {
        text.push_str("[upstream.away]\nurl = \"http://127.0.0.1:9/mcp\"\n");
    }
    text
}

/// Kills one child after another.
fn kill_at_random(manila: &Path, is_over: &AtomicBool) {
    let server = format!("^{} sample-server$", manila.display());
    let mut n_killed = 0_usize;
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(300));
        let found = Command::new("pgrep").args(["-f", &server]).output();
        let found = found.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let ours = found.unwrap_or_default();
        let ours: Vec<&str> = ours.lines().collect();
        if let Some(pid) = ours.get(n_killed * 7 % ours.len().max(1)) {
            let _ = Command::new("kill").args(["-9", pid]).stderr(Stdio::null()).status();
            n_killed += 1;
        }
    }
    assert!(n_killed > 0, "the row above tells nothing if nobody was killed");
    println!("{n_killed} servers were killed");
}

fn resident(endpoint: &Endpoint) -> String {
    format!("{:.1} MB", endpoint.usage().resident_kb as f64 / 1024.0)
}

fn row(name: &str, endpoint: &Endpoint, seen: &Seen, quiet: Option<Duration>) -> Duration {
    let (p50, p99) = (seen.percentile(50), seen.percentile(99));
    let times_quiet = quiet.map(|quiet| p99.as_secs_f64() / quiet.as_secs_f64());
    let compared = times_quiet.map(|times| {
        let verdict = if times < 3.0 { "ok" } else { "OVER" };
        format!(", {times:.2} of quiet (< 3) {verdict}")
    });
    println!(
        "{name:<20} {:>8} calls, {} failed ({} of the spared server), \
         {} without envelope, p50 {p50:.0?}, p99 {p99:.0?}{}; \
         resident {}, {:.0?} of CPU",
        seen.n_calls(),
        seen.n_failed,
        seen.n_failed_of_spared,
        seen.n_without_envelope,
        compared.unwrap_or_default(),
        resident(endpoint),
        endpoint.usage().cpu,
    );
    p99
}

/// 50 servers, and how long all their tools take to list.
fn list_of_many(manila: &Path) {
    const N_SERVERS: usize = 50;
    let us = std::env::current_exe().unwrap_or_default();
    let servers = tables("s", N_SERVERS, &[&us.to_string_lossy(), tools::ARGUMENT]);
    let endpoint = Endpoint::serving(manila, &servers);
    let address = endpoint.place().address;
    let mut connection = Connection::open(address).expect("it listens");
    let request = format!("GET /tools HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut listed = |wanted: usize| {
        let start = Instant::now();
        connection.send(request.as_bytes());
        let body = connection.reply().body;
        let time = start.elapsed();
        let n_tools = String::from_utf8_lossy(body).matches("find_orders_").count();
        (time, n_tools >= wanted, body.len())
    };
    let n_tools = N_SERVERS * tools::N_TOOLS;
    let is_there = (0..600).any(|_| {
        let (_, is_whole, _) = listed(n_tools);
        if !is_whole {
            std::thread::sleep(Duration::from_millis(50));
        }
        is_whole
    });
    assert!(is_there, "all tools must be listed");
    let times: Vec<Duration> = (0..30).map(|_| listed(n_tools).0).collect();
    let warm = program::median(times);
    let verdict = if warm <= Duration::from_millis(5) { "ok" } else { "OVER" };
    println!(
        "{N_SERVERS} servers list {n_tools} tools in {warm:.1?} (<= 5 ms) {verdict}: \
         {} bytes; resident {} (<= 40 MB)",
        listed(n_tools).2,
        resident(&endpoint)
    );
}
