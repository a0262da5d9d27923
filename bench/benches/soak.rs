//! `manila serve` at half load for a long time: does it leak memory or open files?
//!
//! Run with `cargo bench --bench soak`, or `cargo bench --bench soak -- 1800` for half an hour.
//! Each line covers a twentieth of the time.
//!
//! - 32 clients call tools of four servers.
//! - A fifth server crashes repeatedly.
//! - The journal is rotated.
//! - Clients connect one after another; each opens a session, and every tenth leaves it open.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manila_bench::endpoint::Endpoint;
use manila_bench::http::Connection;
use manila_bench::load::{healthy_servers, load, serve_when_ready};
use manila_bench::program;
use manila_bench::server::INITIALIZE;

const N_PARTS: u32 = 20;

fn main() {
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(60);
    let time = Duration::from_secs(seconds);
    let manila = program::build();
    let crashing = format!("(sleep 5; kill -9 $$) & exec {} sample-server", manila.display());
    let config = format!(
        "[limits]\nsession_idle = \"10s\"\n{}[upstream.dies]\ncommand = {:?}\n",
        healthy_servers(&manila),
        ["sh", "-c", &crashing]
    );
    let endpoint = serve_when_ready(&manila, &config);
    let pause = half_load_pause(&endpoint);
    println!("half load is a pause of {pause:.1?} after each call");
    let is_over = AtomicBool::new(false);
    let usage = std::thread::scope(|scope| {
        scope.spawn(|| visit(endpoint.target().address, &is_over));
        let usage: Vec<_> =
            (0..N_PARTS).map(|part| observe_part(&endpoint, time, pause, part)).collect();
        is_over.store(true, Ordering::Relaxed);
        usage
    });
    let (resident, files): (Vec<u64>, Vec<u64>) = usage.into_iter().unzip();
    verdict("resident, KB", &resident, 1.05);
    verdict("open files", &files, 1.1);
}

/// Returns the pause after each call that halves the number of calls.
fn half_load_pause(endpoint: &Endpoint) -> Duration {
    const TIME: Duration = Duration::from_secs(5);
    let calls_at = |pause| load(endpoint, TIME, pause).n_calls();
    let n_calls_max = calls_at(Duration::ZERO);
    let mut pause = Duration::from_millis(1);
    while calls_at(pause) > n_calls_max / 2 && pause < Duration::from_millis(100) {
        pause = pause * 5 / 4;
    }
    pause
}

/// Runs one part of the time, and returns the memory and the number of open files after it.
fn observe_part(endpoint: &Endpoint, time: Duration, pause: Duration, part: u32) -> (u64, u64) {
    const SETTLE_TIME: Duration = Duration::from_millis(300);
    let stats = load(endpoint, time / N_PARTS, pause);
    // The gateway needs a moment to close the clients' connections.
    std::thread::sleep(SETTLE_TIME);
    let usage = endpoint.usage();
    println!(
        "{:>2}/{N_PARTS} {:>8} calls, {} failed, p50 {:.0?}, p99 {:.0?}; \
         resident {:.1} MB, {} files open",
        part + 1,
        stats.n_calls(),
        stats.n_failed,
        stats.percentile(50),
        stats.percentile(99),
        usage.resident_kb as f64 / 1024.0,
        usage.n_files,
    );
    (usage.resident_kb, usage.n_files)
}

/// Opens a session, lists the tools and closes the session, repeatedly. Every tenth stays open.
fn visit(address: SocketAddr, is_over: &AtomicBool) {
    const PAUSE: Duration = Duration::from_millis(50);
    let mut n_visits = 0_usize;
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(PAUSE);
        let mut connection = Connection::open(address).expect("it listens");
        connection.send(&post(address, "", INITIALIZE));
        let session = connection.reply().header("mcp-session-id").unwrap_or_default().to_owned();
        assert!(!session.is_empty(), "a session must be opened");
        let session = format!("Mcp-Session-Id: {session}\r\n");
        let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        connection.send(&post(address, &session, list));
        assert!(connection.reply().is_good(), "tools must be listed");
        n_visits += 1;
        if !n_visits.is_multiple_of(10) {
            let request = format!(
                "DELETE /mcp HTTP/1.1\r\nHost: {address}\r\n{session}Content-Length: 0\r\n\r\n"
            );
            connection.send(request.as_bytes());
            assert!(connection.reply().is_good(), "a session must be closed");
        }
    }
    println!("{n_visits} clients connected");
}

fn post(address: SocketAddr, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Prints whether the median of the last quarter exceeds that of the second, the first in which all
/// features have been used.
fn verdict(what: &str, values: &[u64], ratio_max: f64) {
    let median = |from: usize| {
        let mut quarter: Vec<u64> =
            values.iter().skip(from).take(values.len() / 4).copied().collect();
        quarter.sort_unstable();
        quarter.get(quarter.len() / 2).copied().unwrap_or_default()
    };
    let (before, after) = (median(values.len() / 4), median(values.len() * 3 / 4));
    let ratio = after as f64 / before as f64;
    let verdict = if ratio <= ratio_max { "flat" } else { "GROWS" };
    println!(
        "{what}: {before} in the second quarter, {after} in the last: \
         {ratio:.3} (<= {ratio_max}) {verdict}"
    );
}
