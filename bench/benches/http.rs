//! The gateway over HTTP: the same calls to a stdio server, direct, through `manila wrap --http` in
//! both eras, and through the peer, the Rust program `mcp-proxy`.
//!
//! Run with `cargo bench --bench http`. Rounds of all take turns, so that a slow minute of the
//! machine slows all; the median of the rounds counts, and the range of all rounds stands beside
//! it: where the system places the processes itself, it may change its mind between rounds.
//! `MCP_PROXY` is the path of the peer, and `MANILA_BENCH_EVERYTHING` that of `dist/index.js` of
//! npm's `server-everything`. A word after `--` leaves only the tables whose names have it:
//! `cargo bench --bench http -- '16 at'`. With `--serve` after `--`, `manila serve` with a
//! configuration and a journal stands in the place of `manila wrap`. `MANILA_BENCH_PREVIOUS` is the
//! path of another build of `manila`, which takes part in front of the same server.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use manila_bench::clients::{Clients, Era};
use manila_bench::endpoint::Endpoint;
use manila_bench::one_core::on_one_core;
use manila_bench::program::{self, median};
use manila_bench::round::{Call, round};
use manila_bench::server::Server;

const RESIDENT_MB_MAX: f64 = 20.0;

fn main() {
    let manila = program::built();
    let peer = program::peer();
    if peer.is_none() {
        println!("the peer was not measured: mcp-proxy is neither at MCP_PROXY nor on the PATH");
        println!("hint: cargo install mcp-proxy --version 0.6.0\n");
    }
    let programs = Programs { manila, previous: program::previous(), peer };
    println!("everything on one core\n");
    if !on_one_core(|| measure_all(&programs)) {
        println!("(this system cannot hold processes on one core)\n");
    }
    println!("wherever the system puts it\n");
    measure_all(&programs);
}

fn measure_all(programs: &Programs) {
    if let Some(path) = program::everything() {
        println!("npm's server-everything\n");
        let message = "hello ".repeat(100 * 1024 / 6);
        let arguments = format!(r#"{{"message":"{message}"}}"#);
        let large = large("100 KB there and back", echo_of(&arguments));
        let server = ["node", &path.to_string_lossy(), "stdio"];
        programs.measure(&server, &[ALONE, TOGETHER, large]);
    } else {
        println!("npm's server-everything was not measured: it is not there, or Node is not");
        println!("hint: tests/real-clients/run installs it, or set MANILA_BENCH_EVERYTHING\n");
    }
    println!("manila sample-server\n");
    let sample = programs.manila.to_string_lossy();
    // The sample server answers in a few microseconds, which nothing with a socket can come near:
    // that limit is for servers such as the one above.
    let together = Work { goal: Goal::Rate(None), ..TOGETHER };
    let alone = Work { n_calls: 5_000, ..ALONE };
    let works =
        [alone, together, large("100 KB of text", Call::TEXT), large("71 KB of JSON", Call::JSON)];
    programs.measure(&[&sample, "sample-server"], &works);
}

/// A kind of call, how many of them are open at a time, and what it may cost.
#[derive(Clone, Copy)]
struct Work<'a> {
    name: &'a str,
    call: Call<'a>,
    n_at_once: usize,
    n_calls: usize,
    goal: Goal,
    /// The gateway's processor time for a call.
    cpu_max: Option<Duration>,
}

/// How a call through a gateway is to compare with a direct one.
#[derive(Clone, Copy)]
enum Goal {
    /// So much may be added to its time.
    Added(Duration),
    /// Its time may be so many times as long.
    Times(f64),
    /// So many calls a second there must be for each direct one.
    Rate(Option<f64>),
}

const ALONE: Work<'_> = Work {
    name: "echo, one at a time",
    call: Call::ECHO,
    n_at_once: 1,
    n_calls: 3_000,
    goal: Goal::Added(Duration::from_micros(150)),
    cpu_max: Some(Duration::from_micros(160)),
};

const TOGETHER: Work<'_> = Work {
    name: "echo, 16 at a time",
    call: Call::ECHO,
    n_at_once: 16,
    n_calls: 40_000,
    goal: Goal::Rate(Some(0.6)),
    cpu_max: Some(Duration::from_micros(100)),
};

const fn large<'a>(name: &'a str, call: Call<'a>) -> Work<'a> {
    Work { name, call, n_at_once: 1, n_calls: 500, goal: Goal::Times(1.6), cpu_max: None }
}

fn echo_of(arguments: &str) -> Call<'_> {
    Call { arguments, bytes_min: arguments.len(), ..Call::ECHO }
}

/// What stands between.
struct Programs {
    manila: PathBuf,
    previous: Option<PathBuf>,
    peer: Option<PathBuf>,
}

impl Programs {
    fn measure(&self, server: &[&str], works: &[Work<'_>]) {
        let (program, arguments) = server.split_first().expect("a server has a program");
        let mut direct = Server::start(Path::new(program), arguments);
        let endpoint = |manila: &PathBuf| {
            if std::env::args().any(|word| word == "--serve") {
                Endpoint::manila_serving(manila, server)
            } else {
                Endpoint::manila(manila, server)
            }
        };
        let manila = endpoint(&self.manila);
        let previous = self.previous.as_ref().map(endpoint);
        let peer = self.peer.as_ref().map(|peer| Endpoint::peer(peer, server));
        for work in works.iter().filter(|work| is_wanted(work.name)) {
            let mut ways = vec![
                Way::new("manila, 2025-11-25", &manila, Era::Legacy, work),
                Way::new("manila, 2026-07-28", &manila, Era::Modern, work),
            ];
            if let Some(previous) = &previous {
                ways.push(Way::new("previous, 2025-11-25", previous, Era::Legacy, work));
                ways.push(Way::new("previous, 2026-07-28", previous, Era::Modern, work));
            }
            ways.extend(peer.as_ref().map(|peer| Way::new("mcp-proxy", peer, Era::Legacy, work)));
            let times = rounds(&mut direct, &mut ways, work);
            let figures: Vec<Figures> = ways.iter().map(|way| way.figures(work)).collect();
            print(work, &times, &figures);
        }
    }
}

/// Whether a table was asked for: all are, unless some are named.
fn is_wanted(name: &str) -> bool {
    // Cargo itself adds an option.
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// Lets all take turns, and gives the times of direct calls.
fn rounds(direct: &mut Server, ways: &mut [Way<'_>], work: &Work<'_>) -> Vec<Duration> {
    let Work { call, n_calls, n_at_once, .. } = work;
    // Servers and gateways become faster in their first calls.
    round(direct, call, *n_calls, *n_at_once);
    for way in &mut *ways {
        round(&mut way.clients, call, *n_calls, *n_at_once);
    }
    let mut times = Vec::new();
    for n_round in 0..program::n_rounds() {
        times.push(round(direct, call, *n_calls, *n_at_once));
        for way in program::turns(n_round, ways.len()) {
            ways.get_mut(way).into_iter().for_each(|way| way.round(work));
        }
    }
    times
}

/// A way through a gateway.
struct Way<'a> {
    name: &'static str,
    endpoint: &'a Endpoint,
    clients: Clients,
    times: Vec<Duration>,
    cpu: Duration,
}

impl<'a> Way<'a> {
    fn new(name: &'static str, endpoint: &'a Endpoint, era: Era, work: &Work<'_>) -> Way<'a> {
        let clients = Clients::open(endpoint.place(), era, work.n_at_once, work.call.tool);
        Way { name, endpoint, clients, times: Vec::new(), cpu: Duration::ZERO }
    }

    fn round(&mut self, work: &Work<'_>) {
        let before = self.endpoint.usage().cpu;
        self.times.push(round(&mut self.clients, &work.call, work.n_calls, work.n_at_once));
        self.cpu += self.endpoint.usage().cpu.saturating_sub(before);
    }

    fn figures(&self, work: &Work<'_>) -> Figures {
        let n_calls = u32::try_from(self.times.len() * work.n_calls).unwrap_or(u32::MAX);
        Figures {
            name: self.name,
            time: median(self.times.clone()),
            range: range(work, &self.times),
            cpu: self.cpu / n_calls.max(1),
            resident_mb: self.endpoint.usage().resident_kb as f64 / 1024.0,
        }
    }
}

/// What was measured of a way.
struct Figures {
    name: &'static str,
    time: Duration,
    range: String,
    cpu: Duration,
    resident_mb: f64,
}

impl Figures {
    fn is_peer(&self) -> bool {
        self.name == "mcp-proxy"
    }
}

fn print(work: &Work<'_>, direct: &[Duration], ways: &[Figures]) {
    let direct_range = range(work, direct);
    let direct = median(direct.to_vec());
    let [value, compared, limit, to_peer] = match work.goal {
        Goal::Added(limit) => ["p50", "- direct", &format!("<= {}", us(limit)), "< 1"],
        Goal::Times(limit) => ["p50", "/ direct", &format!("<= {limit:.1}"), "< 1"],
        Goal::Rate(Some(limit)) => ["calls/s", "/ direct", &format!(">= {limit:.1}"), "> 1"],
        Goal::Rate(None) => ["calls/s", "/ direct", "", "> 1"],
    };
    let cpu_max = work.cpu_max.map(|limit| format!("<= {}", us(limit))).unwrap_or_default();
    let heads = [compared, "/ peer", "CPU a call", "resident"];
    row(work.name, [value, "rounds"], heads.map(|head| (head, "")));
    let limits = [limit, to_peer, &cpu_max, &format!("<= {RESIDENT_MB_MAX:.0} MB")];
    row("  limit", ["", ""], limits.map(|limit| (limit, "")));
    row("  direct", [&value_of(work, direct), &direct_range], [("", ""); 4]);
    let peer = ways.iter().find(|way| way.is_peer());
    for way in ways {
        let peer = peer.filter(|_| !way.is_peer());
        print_way(work, direct, peer, way);
    }
    for era in ["2025-11-25", "2026-07-28"] {
        let time = |build: &str| {
            let name = format!("{build}, {era}");
            ways.iter().find(|way| way.name == name).map(|way| way.time.as_secs_f64())
        };
        if let (Some(now), Some(before)) = (time("manila"), time("previous")) {
            println!("  time of a call / previous, {era}: {:.3}", now / before);
        }
    }
    println!();
}

fn print_way(work: &Work<'_>, direct: Duration, peer: Option<&Figures>, way: &Figures) {
    let Figures { name, time, range, cpu, resident_mb } = way;
    let (compared, is_good) = compared(work.goal, direct, *time);
    let cells = [
        (compared, is_good),
        peer.map(|peer| beside_peer(work.goal, peer.time, *time)).unwrap_or_default(),
        (us(*cpu), work.cpu_max.map(|limit| *cpu <= limit)),
        (format!("{resident_mb:.1} MB"), Some(*resident_mb <= RESIDENT_MB_MAX)),
    ];
    let cells = cells.each_ref().map(|(figure, is_good)| {
        // The limits are ours, not the peer's.
        (figure.as_str(), is_good.filter(|_| !way.is_peer()).map_or("", verdict))
    });
    row(&format!("  {name}"), [&value_of(work, *time), range], cells);
}

fn value_of(work: &Work<'_>, time: Duration) -> String {
    match work.goal {
        Goal::Added(_) | Goal::Times(_) => us(time),
        Goal::Rate(_) => format!("{:.0}", 1.0 / time.as_secs_f64()),
    }
}

/// From the lowest to the highest of all rounds.
fn range(work: &Work<'_>, times: &[Duration]) -> String {
    let figure = |time: &Duration| match work.goal {
        Goal::Added(_) | Goal::Times(_) => time.as_secs_f64() * 1e6,
        Goal::Rate(_) => 1.0 / time.as_secs_f64(),
    };
    let lowest = times.iter().map(figure).fold(f64::INFINITY, f64::min);
    let highest = times.iter().map(figure).fold(0.0, f64::max);
    format!("{lowest:.0}-{highest:.0}")
}

fn compared(goal: Goal, direct: Duration, time: Duration) -> (String, Option<bool>) {
    let times = time.as_secs_f64() / direct.as_secs_f64();
    match goal {
        Goal::Added(limit) => {
            let added = time.saturating_sub(direct);
            (us(added), Some(added <= limit))
        }
        Goal::Times(limit) => (format!("{times:.2}"), Some(times <= limit)),
        Goal::Rate(limit) => {
            let rate = 1.0 / times;
            (format!("{rate:.2}"), limit.map(|limit| rate >= limit))
        }
    }
}

fn beside_peer(goal: Goal, peer: Duration, time: Duration) -> (String, Option<bool>) {
    let times = time.as_secs_f64() / peer.as_secs_f64();
    let shown = match goal {
        Goal::Added(_) | Goal::Times(_) => times,
        Goal::Rate(_) => 1.0 / times,
    };
    (format!("{shown:.2}"), Some(times < 1.0))
}

fn us(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

fn verdict(is_good: bool) -> &'static str {
    if is_good { "ok" } else { "OVER" }
}

/// A figure, and whether it is good.
type Cell<'a> = (&'a str, &'a str);

fn row(name: &str, [value, range]: [&str; 2], cells: [Cell<'_>; 4]) {
    let cells = cells.map(|(figure, verdict)| format!("{figure:>12} {verdict:<4}")).concat();
    println!("{}", format!("{name:<22}{value:>10}{range:>15}{cells}").trim_end());
}
