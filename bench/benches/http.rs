//! The gateway over HTTP: the same calls to a stdio server, direct, through `manila wrap --http` in
//! both eras, and through the peer, the Rust program `mcp-proxy`.
//!
//! Run with `cargo bench --bench http`. Rounds of all routes alternate, so that a slow minute of
//! the machine affects all of them; the result is the median of the rounds. The table also has the
//! range of all rounds, because the system may move processes to other cores between rounds.
//!
//! An argument after `--` selects the tables whose names contain it:
//! `cargo bench --bench http -- '16 at'`. With `--serve` after `--`, the benchmark measures
//! `manila serve` with a configuration and a journal instead of `manila wrap`.
//!
//! | variable | path of |
//! |---|---|
//! | `MCP_PROXY` | the peer |
//! | `MANILA_BENCH_EVERYTHING` | `dist/index.js` of npm's `server-everything` |
//! | `MANILA_BENCH_PREVIOUS` | another build of `manila`, measured with the same server |
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
    let manila = program::build();
    let peer = program::peer();
    if peer.is_none() {
        println!("the peer was not measured: mcp-proxy is neither at MCP_PROXY nor on the PATH");
        println!("hint: cargo install mcp-proxy --version 0.6.0\n");
    }
    let programs = Programs { manila, previous: program::previous(), peer };
    println!("everything on one core\n");
    if !on_one_core(|| measure_all(&programs)) {
        println!("(this system cannot pin processes to one core)\n");
    }
    println!("unpinned\n");
    measure_all(&programs);
}

fn measure_all(programs: &Programs) {
    if let Some(path) = program::server_everything() {
        println!("npm's server-everything\n");
        let message = "hello ".repeat(100 * 1024 / 6);
        let arguments = format!(r#"{{"message":"{message}"}}"#);
        let large = large("100 KB there and back", echo_of(&arguments));
        let server = ["node", &path.to_string_lossy(), "stdio"];
        programs.measure(&server, &[ALONE, TOGETHER, large]);
    } else {
        println!("npm's server-everything was not measured: it or Node is not installed");
        println!("hint: tests/real-clients/run installs it, or set MANILA_BENCH_EVERYTHING\n");
    }
    println!("manila sample-server\n");
    let sample = programs.manila.to_string_lossy();
    // The sample server responds in a few microseconds, which no gateway with a socket can match.
    // That limit is for servers such as the one above.
    let together = Work { goal: Goal::Rate(None), ..TOGETHER };
    let alone = Work { n_calls: 5_000, ..ALONE };
    let works =
        [alone, together, large("100 KB of text", Call::TEXT), large("71 KB of JSON", Call::JSON)];
    programs.measure(&[&sample, "sample-server"], &works);
}

/// A kind of call, the number of open calls, and the limits.
#[derive(Clone, Copy)]
struct Work<'a> {
    name: &'a str,
    call: Call<'a>,
    n_at_once: usize,
    n_calls: usize,
    goal: Goal,
    /// The limit of the gateway's processor time for a call.
    cpu_max: Option<Duration>,
}

/// The limit of a call through a gateway, relative to a direct call.
#[derive(Clone, Copy)]
enum Goal {
    /// The maximal added time.
    Added(Duration),
    /// The maximal ratio of the times.
    Times(f64),
    /// The minimal ratio of calls per second.
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

/// The measured gateways.
struct Programs {
    manila: PathBuf,
    previous: Option<PathBuf>,
    peer: Option<PathBuf>,
}

impl Programs {
    /// Measures all routes to a server.
    fn measure(&self, server: &[&str], works: &[Work<'_>]) {
        let (program, arguments) = server.split_first().expect("a server has a program");
        let mut direct = Server::start(Path::new(program), arguments);
        let endpoint = |manila: &PathBuf| {
            if std::env::args().any(|argument| argument == "--serve") {
                Endpoint::serve_one(manila, server)
            } else {
                Endpoint::manila(manila, server)
            }
        };
        let manila = endpoint(&self.manila);
        let previous = self.previous.as_ref().map(endpoint);
        let peer = self.peer.as_ref().map(|peer| Endpoint::peer(peer, server));
        for work in works.iter().filter(|work| is_selected(work.name)) {
            let mut routes = vec![
                Route::new("manila, 2025-11-25", &manila, Era::Legacy, work),
                Route::new("manila, 2026-07-28", &manila, Era::Modern, work),
            ];
            if let Some(previous) = &previous {
                routes.push(Route::new("previous, 2025-11-25", previous, Era::Legacy, work));
                routes.push(Route::new("previous, 2026-07-28", previous, Era::Modern, work));
            }
            let peer = peer.as_ref();
            routes.extend(peer.map(|peer| Route::new("mcp-proxy", peer, Era::Legacy, work)));
            let times = rounds(&mut direct, &mut routes, work);
            let figures: Vec<Figures> = routes.iter().map(|route| route.figures(work)).collect();
            print(work, &times, &figures);
        }
    }
}

/// Returns whether the arguments select a table. Without arguments, all tables are selected.
fn is_selected(name: &str) -> bool {
    // Cargo adds the option `--bench`.
    let mut filters = std::env::args().skip(1).filter(|it| !it.starts_with('-')).peekable();
    filters.peek().is_none() || filters.any(|filter| name.contains(&filter))
}

/// Runs the rounds of all routes in turn, and returns the times of direct calls.
fn rounds(direct: &mut Server, routes: &mut [Route<'_>], work: &Work<'_>) -> Vec<Duration> {
    let Work { call, n_calls, n_at_once, .. } = work;
    // The first calls warm up servers and gateways.
    round(direct, call, *n_calls, *n_at_once);
    for route in &mut *routes {
        round(&mut route.clients, call, *n_calls, *n_at_once);
    }
    let mut times = Vec::new();
    for n_round in 0..program::n_rounds() {
        times.push(round(direct, call, *n_calls, *n_at_once));
        for route in program::turns(n_round, routes.len()) {
            routes.get_mut(route).into_iter().for_each(|route| route.round(work));
        }
    }
    times
}

/// A route through a gateway.
struct Route<'a> {
    name: &'static str,
    endpoint: &'a Endpoint,
    clients: Clients,
    times: Vec<Duration>,
    cpu: Duration,
}

impl<'a> Route<'a> {
    fn new(name: &'static str, endpoint: &'a Endpoint, era: Era, work: &Work<'_>) -> Route<'a> {
        let clients = Clients::open(endpoint.target(), era, work.n_at_once, work.call.tool);
        Route { name, endpoint, clients, times: Vec::new(), cpu: Duration::ZERO }
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

/// The results of a route.
struct Figures {
    name: &'static str,
    time: Duration,
    range: String,
    cpu: Duration,
    resident_mb: f64,
}

impl Figures {
    /// Returns whether the route is the peer.
    fn is_peer(&self) -> bool {
        self.name == "mcp-proxy"
    }
}

fn print(work: &Work<'_>, direct: &[Duration], routes: &[Figures]) {
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
    let peer = routes.iter().find(|route| route.is_peer());
    for route in routes {
        let peer = peer.filter(|_| !route.is_peer());
        print_route(work, direct, peer, route);
    }
    for era in ["2025-11-25", "2026-07-28"] {
        let time = |build: &str| {
            let name = format!("{build}, {era}");
            routes.iter().find(|route| route.name == name).map(|route| route.time.as_secs_f64())
        };
        if let (Some(now), Some(before)) = (time("manila"), time("previous")) {
            println!("  time of a call / previous, {era}: {:.3}", now / before);
        }
    }
    println!();
}

fn print_route(work: &Work<'_>, direct: Duration, peer: Option<&Figures>, route: &Figures) {
    let Figures { name, time, range, cpu, resident_mb } = route;
    let (compared, is_good) = compare(work.goal, direct, *time);
    let cells = [
        (compared, is_good),
        peer.map(|peer| compare_with_peer(work.goal, peer.time, *time)).unwrap_or_default(),
        (us(*cpu), work.cpu_max.map(|limit| *cpu <= limit)),
        (format!("{resident_mb:.1} MB"), Some(*resident_mb <= RESIDENT_MB_MAX)),
    ];
    let cells = cells.each_ref().map(|(figure, is_good)| {
        // The limits do not apply to the peer.
        (figure.as_str(), is_good.filter(|_| !route.is_peer()).map_or("", verdict))
    });
    row(&format!("  {name}"), [&value_of(work, *time), range], cells);
}

fn value_of(work: &Work<'_>, time: Duration) -> String {
    match work.goal {
        Goal::Added(_) | Goal::Times(_) => us(time),
        Goal::Rate(_) => format!("{:.0}", 1.0 / time.as_secs_f64()),
    }
}

/// Formats the range of all rounds.
fn range(work: &Work<'_>, times: &[Duration]) -> String {
    let figure = |time: &Duration| match work.goal {
        Goal::Added(_) | Goal::Times(_) => time.as_secs_f64() * 1e6,
        Goal::Rate(_) => 1.0 / time.as_secs_f64(),
    };
    let lowest = times.iter().map(figure).fold(f64::INFINITY, f64::min);
    let highest = times.iter().map(figure).fold(0.0, f64::max);
    format!("{lowest:.0}-{highest:.0}")
}

fn compare(goal: Goal, direct: Duration, time: Duration) -> (String, Option<bool>) {
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

fn compare_with_peer(goal: Goal, peer: Duration, time: Duration) -> (String, Option<bool>) {
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

/// A figure and its verdict.
type Cell<'a> = (&'a str, &'a str);

fn row(name: &str, [value, range]: [&str; 2], cells: [Cell<'_>; 4]) {
    let cells = cells.map(|(figure, verdict)| format!("{figure:>12} {verdict:<4}")).concat();
    println!("{}", format!("{name:<22}{value:>10}{range:>15}{cells}").trim_end());
}
