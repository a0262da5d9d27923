//! One client's large results: how long do they make other clients wait?
//!
//! Run with `cargo bench --bench blocking`, or `cargo bench --bench blocking -- 30` for 30 seconds
//! of each load. One client calls a tool without a pause; its results have 10 MB, 50 MB, or 50 MB
//! of text that looks like passwords. Another client calls `echo` of another server once per
//! millisecond, and a third one asks for `/healthz`.
//!
//! The load also uses the processor in processes of its own. So a fourth client calls `echo` of
//! another gateway, which has no load: what it waits for longer than without load is not the
//! gateway's doing. It is printed as *apart*.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::io::{BufRead, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use manila_bench::clients::{Clients, Era, HttpTarget};
use manila_bench::endpoint::Endpoint;
use manila_bench::http::Connection;
use manila_bench::program;
use manila_bench::round::{Call, Channel};
use manila_bench::tools::member;

/// The argument that makes this benchmark a server.
const SERVER: &str = "be-a-server";

/// The maximum time of a response from `/healthz`.
const HEALTH_MAX: Duration = Duration::from_millis(20);

/// A load by one client.
struct Load {
    name: &'static str,
    call: Option<Call<'static>>,
    /// The maximum p99 of the other client, as a multiple of that of a gateway without load.
    limit: f64,
}

const LOADS: [Load; 4] = [
    Load { name: "quiet", call: None, limit: 2.0 },
    Load { name: "10 MB", call: Some(large("large_text", r#"{"mb":10}"#, 10_000_000)), limit: 2.0 },
    Load { name: "50 MB", call: Some(large("large_text", r#"{"mb":50}"#, 50_000_000)), limit: 3.0 },
    Load {
        name: "50 MB of passwords",
        call: Some(large("large_passwords", r#"{"mb":50}"#, 50_000_000)),
        limit: 3.0,
    },
];

const fn large(tool: &'static str, arguments: &'static str, bytes_min: usize) -> Call<'static> {
    Call { tool, arguments, proof: "the end", bytes_min }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|it| it == SERVER) {
        serve();
        return;
    }
    let seconds = arguments.iter().find_map(|it| it.parse().ok()).unwrap_or(10);
    let time = Duration::from_secs(seconds);
    let manila = program::build();
    for program in program::previous().iter().chain([&manila]) {
        println!("{}", program.display());
        let (endpoint, apart) = (start(program), start(program));
        for load in &LOADS {
            measure([endpoint.target(), apart.target()], time, load).print(load);
        }
    }
}

fn start(manila: &Path) -> Endpoint {
    let benchmark = std::env::current_exe().unwrap_or_default();
    let large = [&*benchmark.to_string_lossy(), SERVER].map(str::to_owned);
    let small = [&*manila.to_string_lossy(), "sample-server"].map(str::to_owned);
    let servers =
        format!("[upstream.large]\ncommand = {large:?}\n[upstream.small]\ncommand = {small:?}\n");
    let endpoint = Endpoint::serve(manila, &servers);
    // Both servers have started when they have answered.
    for name in ["small_echo", "large_text"] {
        drop(Clients::open(endpoint.target(), Era::Legacy, 1, name));
    }
    endpoint
}

/// What a load did to the other clients.
struct Measured {
    /// The times of small calls, in ascending order.
    times: Vec<Duration>,
    /// The same for a gateway without load.
    times_apart: Vec<Duration>,
    health_max: Duration,
    n_large: usize,
}

impl Measured {
    fn print(&self, load: &Load) {
        let (p50, p99) = (percentile(&self.times, 50), percentile(&self.times, 99));
        let apart = percentile(&self.times_apart, 99);
        let ratio = p99.as_secs_f64() / apart.as_secs_f64();
        let verdict = |is_within: bool| if is_within { "ok" } else { "OVER" };
        println!(
            "{:<19} {:>5} large, {:>6} small: p50 {p50:>7.1?}, p99 {p99:>7.1?}, apart \
             {apart:>7.1?}: {ratio:>6.2} times (<= {}) {:<4}; /healthz at most {:>7.1?} \
             (<= {HEALTH_MAX:?}) {}",
            load.name,
            self.n_large,
            self.times.len(),
            load.limit,
            verdict(ratio <= load.limit),
            self.health_max,
            verdict(self.health_max <= HEALTH_MAX),
        );
    }
}

/// The pause between two small calls.
const PAUSE: Duration = Duration::from_millis(1);

fn percentile(times: &[Duration], percent: usize) -> Duration {
    times.get(times.len() * percent / 100).copied().unwrap_or_default()
}

/// Calls a small tool once per millisecond. Returns the times in ascending order.
fn call_small(target: HttpTarget, time: Duration) -> Vec<Duration> {
    const ECHO: Call<'static> = Call { tool: "small_echo", ..Call::ECHO };
    let mut client = Clients::open(target, Era::Legacy, 1, ECHO.tool);
    let end = Instant::now() + time;
    let mut times = Vec::new();
    while Instant::now() < end {
        let start = Instant::now();
        client.call(0, &ECHO);
        client.answer(&ECHO);
        times.push(start.elapsed());
        std::thread::sleep(PAUSE);
    }
    times.sort_unstable();
    times
}

/// Measures small calls to a gateway with a load, and to one without.
fn measure([target, apart]: [HttpTarget; 2], time: Duration, load: &Load) -> Measured {
    let (is_over, n_large) = (AtomicBool::new(false), AtomicUsize::new(0));
    let is_running = || !is_over.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        if let Some(call) = &load.call {
            let (is_running, n_large) = (&is_running, &n_large);
            scope.spawn(move || {
                let mut client = Clients::open(target, Era::Legacy, 1, call.tool);
                while is_running() {
                    client.call(0, call);
                    client.answer(call);
                    n_large.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let health = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while is_running() {
                slowest = slowest.max(health_time(target));
                std::thread::sleep(PAUSE);
            }
            slowest
        });
        let calling_apart = scope.spawn(move || call_small(apart, time));
        let times = call_small(target, time);
        is_over.store(true, Ordering::Relaxed);
        let times_apart = calling_apart.join().expect("the gateway must answer");
        let health_max = health.join().expect("the gateway must be healthy");
        Measured { times, times_apart, health_max, n_large: n_large.load(Ordering::Relaxed) }
    })
}

/// Asks for `/healthz` over a new connection, as a load balancer does.
fn health_time(target: HttpTarget) -> Duration {
    let start = Instant::now();
    let mut connection = Connection::open(target.address).expect("it listens");
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", target.address);
    connection.send(request.as_bytes());
    assert!(connection.reply().is_good(), "the gateway must be healthy");
    start.elapsed()
}

/// Serves two tools that return as many megabytes of text as the call asks for.
fn serve() {
    const MB: usize = 1_000_000;
    let mut output = BufWriter::with_capacity(MB, std::io::stdout().lock());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some(id) = member(&line, "\"id\":") else { continue };
        let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
        let sent = if line.contains("\"initialize\"") {
            writeln!(
                output,
                concat!(
                    r#"{}{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"#,
                    r#""serverInfo":{{"name":"large","version":"1"}}}}}}"#
                ),
                start
            )
        } else if line.contains("\"tools/list\"") {
            writeln!(
                output,
                concat!(
                    r#"{}{{"tools":[{{"name":"text","inputSchema":{{"type":"object"}}}},"#,
                    r#"{{"name":"passwords","inputSchema":{{"type":"object"}}}}]}}}}"#
                ),
                start
            )
        } else {
            let n_mb = member(&line, "\"mb\":").and_then(|it| it.parse().ok()).unwrap_or(1);
            let piece = if line.contains("\"passwords\"") { "password: " } else { "plain text " };
            let text = piece.repeat(MB / piece.len() + 1);
            let begun = write!(output, r#"{start}{{"content":[{{"type":"text","text":""#);
            let filled = (0..n_mb).try_for_each(|_| output.write_all(text.as_bytes()));
            begun.and(filled).and_then(|()| writeln!(output, r#"the end"}}]}}}}"#))
        };
        sent.and_then(|()| output.flush()).expect("the client reads");
    }
}
