//! `manila serve` at half load for a long time: does it keep what it should give back?
//!
//! Run with `cargo bench --bench soak`, or `cargo bench --bench soak -- 1800` for half an hour. 32
//! clients call tools of four servers, a fifth server dies again and again, the journal is rotated,
//! and visitors come with a session of their own, some of whom leave without a word. Each line is a
//! twentieth of the time.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manila_bench::endpoint::Endpoint;
use manila_bench::http::Connection;
use manila_bench::load::{load, serving, well};
use manila_bench::program;
use manila_bench::server::HELLO;

const N_PARTS: u32 = 20;

fn main() {
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(60);
    let time = Duration::from_secs(seconds);
    let manila = program::built();
    let dying = format!("(sleep 5; kill -9 $$) & exec {} sample-server", manila.display());
    let config = format!(
        "[limits]\nsession_idle = \"10s\"\n{}[upstream.dies]\ncommand = {:?}\n",
        well(&manila),
        ["sh", "-c", &dying]
    );
    let endpoint = serving(&manila, &config);
    let pause = half(&endpoint);
    println!("half load is a pause of {pause:.1?} after each call");
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| visit(endpoint.place().address, &is_over));
        let seen: Vec<_> =
            (0..N_PARTS).map(|part| observed(&endpoint, time, pause, part)).collect();
        is_over.store(true, Ordering::Relaxed);
        seen
    });
    let (resident, files): (Vec<u64>, Vec<u64>) = seen.into_iter().unzip();
    verdict("resident, KB", &resident, 1.05);
    verdict("open files", &files, 1.1);
}

/// The pause after each call with which half as many calls are made as without one.
fn half(endpoint: &Endpoint) -> Duration {
    const TIME: Duration = Duration::from_secs(5);
    let calls_at = |pause| load(endpoint, TIME, pause).n_calls();
    let n_most = calls_at(Duration::ZERO);
    let mut pause = Duration::from_millis(1);
    while calls_at(pause) > n_most / 2 && pause < Duration::from_millis(100) {
        pause = pause * 5 / 4;
    }
    pause
}

/// One part of the time; the memory and the open files after it.
fn observed(endpoint: &Endpoint, time: Duration, pause: Duration, part: u32) -> (u64, u64) {
    const MOMENT: Duration = Duration::from_millis(300);
    let seen = load(endpoint, time / N_PARTS, pause);
    // Until the connections are closed that the clients have left.
    std::thread::sleep(MOMENT);
    let usage = endpoint.usage();
    println!(
        "{:>2}/{N_PARTS} {:>8} calls, {} failed, p50 {:.0?}, p99 {:.0?}; \
         resident {:.1} MB, {} files open",
        part + 1,
        seen.n_calls(),
        seen.n_failed,
        seen.percentile(50),
        seen.percentile(99),
        usage.resident_kb as f64 / 1024.0,
        usage.n_files,
    );
    (usage.resident_kb, usage.n_files)
}

/// Clients that come for one thing, each with a session of its own. Every tenth leaves it open.
fn visit(address: SocketAddr, is_over: &AtomicBool) {
    const BETWEEN: Duration = Duration::from_millis(50);
    let mut n_visits = 0_usize;
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(BETWEEN);
        let mut connection = Connection::open(address).expect("it listens");
        connection.send(&post(address, "", HELLO));
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
            assert!(connection.reply().is_good(), "a session must end");
        }
    }
    println!("{n_visits} visitors came");
}

fn post(address: SocketAddr, more: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{more}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Whether the last quarter of the time has more than the second one, when everything had been
/// used.
fn verdict(what: &str, values: &[u64], most: f64) {
    let middle = |from: usize| {
        let mut quarter: Vec<u64> =
            values.iter().skip(from).take(values.len() / 4).copied().collect();
        quarter.sort_unstable();
        quarter.get(quarter.len() / 2).copied().unwrap_or_default()
    };
    let (before, after) = (middle(values.len() / 4), middle(values.len() * 3 / 4));
    let ratio = after as f64 / before as f64;
    let verdict = if ratio <= most { "flat" } else { "GROWS" };
    println!(
        "{what}: {before} in the second quarter, {after} in the last: \
         {ratio:.3} (<= {most}) {verdict}"
    );
}
