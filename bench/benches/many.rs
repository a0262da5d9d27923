//! Many servers behind `manila serve`, some of them broken: how does that affect the healthy ones?
//!
//! Run with `cargo bench --bench many`, or `cargo bench --bench many -- 120` for two minutes of
//! each load; `-- 20 babbles shouts` selects these kinds of broken servers. 32 clients call tools
//! of four healthy servers:
//!
//! 1. without other servers
//! 2. with ten more servers, one of each broken kind
//! 3. while all healthy servers but one are killed at random
//!
//! Last, the benchmark measures the list of all tools of 50 servers.
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
use manila_bench::load::{LoadStats, healthy_servers, load, serve_when_ready, tables};
use manila_bench::{program, tools};

/// The pause for about half load, at which requests do not queue.
const PAUSE: Duration = Duration::from_millis(2);

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    if arguments.iter().any(|it| it == tools::ARGUMENT) {
        tools::serve();
        return;
    }
    let seconds = arguments.iter().find_map(|it| it.parse().ok()).unwrap_or(20);
    let kinds: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|it| it.parse::<u64>().is_err()).collect();
    let time = Duration::from_secs(seconds);
    let manila = program::build();
    let quiet = {
        let endpoint = serve_when_ready(&manila, &healthy_servers(&manila));
        row("all are healthy", &endpoint, &load(&endpoint, time, PAUSE), None)
    };
    let endpoint =
        serve_when_ready(&manila, &(healthy_servers(&manila) + &broken_servers(&manila, &kinds)));
    row("some are broken", &endpoint, &load(&endpoint, time, PAUSE), Some(quiet));
    if !kinds.is_empty() {
        return;
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| kill_at_random(&manila, &is_over));
        let stats = load(&endpoint, time, PAUSE);
        is_over.store(true, Ordering::Relaxed);
        row("servers are killed", &endpoint, &stats, None);
    });
    drop(endpoint);
    list_of_many(&manila);
}

/// Returns the configuration tables of one server of each broken kind, or of these kinds.
fn broken_servers(manila: &Path, kinds: &[&str]) -> String {
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
    let is_selected = |name: &str| kinds.is_empty() || kinds.contains(&name);
    let mut text = String::new();
    for (name, script) in scripts.iter().filter(|(name, _)| is_selected(name)) {
        let command = ["sh", "-c", script];
        let _ = write!(text, "[upstream.{name}]\ncommand = {command:?}\nstart_timeout = \"5s\"\n");
    }
    if is_selected("away") {
        text.push_str("[upstream.away]\nurl = \"http://127.0.0.1:9/mcp\"\n");
    }
    text
}

/// Kills one healthy server after another.
fn kill_at_random(manila: &Path, is_over: &AtomicBool) {
    let server = format!("^{} sample-server$", manila.display());
    let mut n_killed = 0_usize;
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(300));
        let found = Command::new("pgrep").args(["-f", &server]).output();
        let found = found.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let found = found.unwrap_or_default();
        let pids: Vec<&str> = found.lines().collect();
        if let Some(pid) = pids.get(n_killed * 7 % pids.len().max(1)) {
            let _ = Command::new("kill").args(["-9", pid]).stderr(Stdio::null()).status();
            n_killed += 1;
        }
    }
    assert!(n_killed > 0, "the row above is meaningless if no server was killed");
    println!("{n_killed} servers were killed");
}

fn resident(endpoint: &Endpoint) -> String {
    format!("{:.1} MB", endpoint.usage().resident_kb as f64 / 1024.0)
}

fn row(name: &str, endpoint: &Endpoint, stats: &LoadStats, quiet: Option<Duration>) -> Duration {
    let (p50, p99) = (stats.percentile(50), stats.percentile(99));
    let times_quiet = quiet.map(|quiet| p99.as_secs_f64() / quiet.as_secs_f64());
    let compared = times_quiet.map(|times| {
        let verdict = if times < 3.0 { "ok" } else { "OVER" };
        format!(", {times:.2} of quiet (< 3) {verdict}")
    });
    println!(
        "{name:<20} {:>8} calls, {} failed ({} of the spared server), \
         {} without envelope, p50 {p50:.0?}, p99 {p99:.0?}{}; \
         resident {}, {:.0?} of CPU",
        stats.n_calls(),
        stats.n_failed,
        stats.n_failed_of_spared,
        stats.n_without_envelope,
        compared.unwrap_or_default(),
        resident(endpoint),
        endpoint.usage().cpu,
    );
    p99
}

/// Measures the list of all tools of 50 servers.
fn list_of_many(manila: &Path) {
    const N_SERVERS: usize = 50;
    let benchmark = std::env::current_exe().unwrap_or_default();
    let servers = tables("s", N_SERVERS, &[&benchmark.to_string_lossy(), tools::ARGUMENT]);
    let endpoint = Endpoint::serve(manila, &servers);
    let address = endpoint.target().address;
    let mut connection = Connection::open(address).expect("it listens");
    let request = format!("GET /tools HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut list = |n_expected: usize| {
        let start = Instant::now();
        connection.send(request.as_bytes());
        let body = connection.reply().body;
        let time = start.elapsed();
        let n_tools = String::from_utf8_lossy(body).matches("find_orders_").count();
        (time, n_tools >= n_expected, body.len())
    };
    let n_tools = N_SERVERS * tools::N_TOOLS;
    let is_ready = (0..600).any(|_| {
        let (_, is_complete, _) = list(n_tools);
        if !is_complete {
            std::thread::sleep(Duration::from_millis(50));
        }
        is_complete
    });
    assert!(is_ready, "all tools must be listed");
    let times: Vec<Duration> = (0..30).map(|_| list(n_tools).0).collect();
    let warm = program::median(times);
    let verdict = if warm <= Duration::from_millis(5) { "ok" } else { "OVER" };
    println!(
        "{N_SERVERS} servers list {n_tools} tools in {warm:.1?} (<= 5 ms) {verdict}: \
         {} bytes; resident {} (<= 40 MB)",
        list(n_tools).2,
        resident(&endpoint)
    );
}
