//! The gateway over stdio: the same calls to the sample server, direct and through `manila wrap`.
//!
//! Run with `cargo bench --bench gateway`. Rounds of both take turns, so that a slow minute of
//! the machine slows both; the median of the rounds counts.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use manila_bench::server::{Server, Usage};

const N_ROUNDS: usize = 5;

fn main() {
    let manila = built();
    println!("{}", row(["work", "direct", "through", "difference", "ratio", "limit", ""]));
    for work in WORKS {
        measure(&manila, work);
    }
    start_up(&manila);
    resources(&manila);
}

/// A kind of call, and how many of them are open at a time.
struct Work {
    name: &'static str,
    call: &'static str,
    n_at_once: usize,
    n_calls: usize,
    /// What may be added to the median time of one call.
    limit: Option<Duration>,
}

const ECHO: &str = r#""name":"echo","arguments":{"message":"hello"}"#;
const TEXT_100_KB: &str = r#""name":"huge","arguments":{"bytes":102400}"#;
const JSON_100_KB: &str = r#""name":"list","arguments":{"count":1400}"#;

const WORKS: [Work; 4] = [
    Work {
        name: "echo, one at a time",
        call: ECHO,
        n_at_once: 1,
        n_calls: 4_000,
        limit: Some(Duration::from_micros(80)),
    },
    Work { name: "echo, 16 at a time", call: ECHO, n_at_once: 16, n_calls: 16_000, limit: None },
    Work { name: "100 KB of text", call: TEXT_100_KB, n_at_once: 1, n_calls: 400, limit: None },
    Work { name: "100 KB of JSON", call: JSON_100_KB, n_at_once: 1, n_calls: 400, limit: None },
];

fn measure(manila: &Path, work: Work) {
    let mut direct = Server::start(manila, &["sample-server"]);
    let path = manila.to_string_lossy();
    let mut through = Server::start(manila, &["wrap", "--", &path, "sample-server"]);
    let (mut directs, mut throughs) = (Vec::new(), Vec::new());
    for _ in 0..N_ROUNDS {
        directs.push(direct.round(work.call, work.n_calls, work.n_at_once));
        throughs.push(through.round(work.call, work.n_calls, work.n_at_once));
    }
    let (direct, through) = (median(directs), median(throughs));
    let difference = through.saturating_sub(direct);
    let (limit, verdict) = match work.limit {
        None => (String::new(), ""),
        Some(limit) => (format!("<= {}", us(limit)), verdict(difference <= limit)),
    };
    let ratio = format!("{:.2}", through.as_secs_f64() / direct.as_secs_f64());
    let columns = [work.name, &us(direct), &us(through), &us(difference), &ratio, &limit, verdict];
    println!("{}", row(columns));
}

/// From the start of the program to the answer to `initialize`; the difference is what Manila and
/// its keeper need before the server starts, and a little more.
fn start_up(manila: &Path) {
    const N_STARTS: usize = 40;
    const LIMIT: Duration = Duration::from_millis(20);
    let path = manila.to_string_lossy();
    let (mut directs, mut throughs) = (Vec::new(), Vec::new());
    for _ in 0..N_STARTS {
        let timed = |arguments: &[&str]| {
            let start = Instant::now();
            drop(Server::start(manila, arguments));
            start.elapsed()
        };
        directs.push(timed(&["sample-server"]));
        throughs.push(timed(&["wrap", "--", &path, "sample-server"]));
    }
    let (direct, through) = (median(directs), median(throughs));
    let difference = through.saturating_sub(direct);
    let ratio = format!("{:.2}", through.as_secs_f64() / direct.as_secs_f64());
    let limit = format!("<= {}", us(LIMIT));
    let verdict = verdict(difference <= LIMIT);
    let columns = ["start-up", &us(direct), &us(through), &us(difference), &ratio, &limit, verdict];
    println!("{}", row(columns));
}

/// What the gateway itself needs.
fn resources(manila: &Path) {
    const RESIDENT_KB_MAX: u64 = 15 * 1024;
    let path = manila.to_string_lossy();
    let mut server = Server::start(manila, &["wrap", "--", &path, "sample-server"]);
    for (name, n_at_once) in [("one at a time", 1), ("16 at a time", 16)] {
        let n_calls = 8_000;
        let before = server.usage();
        server.round(ECHO, n_calls, n_at_once);
        let Usage { cpu, resident_kb } = server.usage();
        let per_call = (cpu - before.cpu) / u32::try_from(n_calls).unwrap_or(u32::MAX);
        let verdict = verdict(resident_kb <= RESIDENT_KB_MAX);
        println!(
            "gateway, {name}: CPU {} a call; resident {:.1} MB (limit 15 MB) {verdict}",
            us(per_call),
            resident_kb as f64 / 1024.0,
        );
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn us(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

fn verdict(is_good: bool) -> &'static str {
    if is_good { "ok" } else { "OVER" }
}

fn row(columns: [&str; 7]) -> String {
    let [work, direct, through, difference, ratio, limit, verdict] = columns;
    format!(
        "{work:<20} {direct:>11} {through:>11} {difference:>11} {ratio:>6}  {limit:<14} {verdict}"
    )
    .trim_end()
    .to_owned()
}

/// The program, built as it is released. It lies beside this benchmark's folder.
fn built() -> PathBuf {
    let status = std::process::Command::new("cargo")
        .args(["build", "--quiet", "--release", "-p", "manila-cli"])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "manila must build");
    let own = std::env::current_exe().unwrap_or_default();
    let release = own.ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default();
    release.join("manila")
}
