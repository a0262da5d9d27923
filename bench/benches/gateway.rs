//! The gateway over stdio: the same calls to the sample server, direct, through a relay that only
//! copies bytes, and through `manila wrap`.
//!
//! Run with `cargo bench --bench gateway`. Rounds of all three alternate, so that a slow minute of
//! the machine affects all of them; the result is the median of the rounds. If
//! `MANILA_BENCH_PREVIOUS` is the path of another build of `manila`, its gateway is measured with
//! the same sample server, and the last columns compare the two.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use manila_bench::one_core::on_one_core;
use manila_bench::program::{self, median};
use manila_bench::relay;
use manila_bench::round::{Call, round};
use manila_bench::server::Server;
use manila_bench::usage::Usage;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mark, rest @ ..] = arguments.as_slice()
        && mark == relay::MARK
    {
        return relay::run(rest).unwrap_or(ExitCode::FAILURE);
    }
    let routes = Routes::build();
    println!("everything on one core");
    let is_pinned = on_one_core(|| measure_all(&routes, &WORKS));
    if !is_pinned {
        println!("(this system cannot pin processes to one core)");
    }
    println!("\nunpinned");
    measure_all(&routes, &WORKS);
    println!();
    start_up(&routes);
    resources(&routes);
    ExitCode::SUCCESS
}

/// A kind of call, and the number of open calls.
#[derive(Clone, Copy)]
struct Work {
    name: &'static str,
    call: Call<'static>,
    n_at_once: usize,
    n_calls: usize,
    /// The limit for the time that the gateway adds to a call, by the median.
    limit: Option<Duration>,
}

const WORKS: [Work; 4] = [
    Work {
        name: "echo, one at a time",
        call: Call::ECHO,
        n_at_once: 1,
        n_calls: 4_000,
        limit: Some(Duration::from_micros(80)),
    },
    Work {
        name: "echo, 16 at a time",
        call: Call::ECHO,
        n_at_once: 16,
        n_calls: 16_000,
        limit: None,
    },
    Work { name: "100 KB of text", call: Call::TEXT, n_at_once: 1, n_calls: 400, limit: None },
    Work { name: "100 KB of JSON", call: Call::JSON, n_at_once: 1, n_calls: 400, limit: None },
];

/// The programs on the routes to the sample server.
struct Routes {
    manila: PathBuf,
    relay: PathBuf,
    previous: Option<PathBuf>,
}

impl Routes {
    /// Builds the programs; the relay is this benchmark itself.
    fn build() -> Routes {
        Routes {
            manila: program::build(),
            relay: std::env::current_exe().unwrap_or_default(),
            previous: program::previous(),
        }
    }

    fn direct(&self) -> Server {
        Server::start(&self.manila, &["sample-server"])
    }

    fn through_relay(&self) -> Server {
        let manila = self.manila.to_string_lossy();
        Server::start(&self.relay, &[relay::MARK, &manila, "sample-server"])
    }

    /// Starts the sample server behind a gateway.
    fn through(&self, gateway: &Path) -> Server {
        let manila = self.manila.to_string_lossy();
        Server::start(gateway, &["wrap", "--", &manila, "sample-server"])
    }

    /// Returns the measured gateways: this build and the previous one.
    fn gateways(&self) -> impl Iterator<Item = &Path> {
        iter::once(self.manila.as_path()).chain(self.previous.as_deref())
    }

    /// Returns a function that starts each route, in the order of the columns.
    fn each(&self) -> Vec<Box<dyn Fn() -> Server + '_>> {
        let mut starts: Vec<Box<dyn Fn() -> Server + '_>> =
            vec![Box::new(|| self.direct()), Box::new(|| self.through_relay())];
        for gateway in self.gateways() {
            starts.push(Box::new(|| self.through(gateway)));
        }
        starts
    }
}

fn measure_all(routes: &Routes, works: &[Work]) {
    let heads = ["direct", "relay", "manila", "- direct", "/ direct", "limit", ""];
    let more = routes.previous.as_ref().map_or(["", ""], |_| ["previous", "/ previous"]);
    println!("{}", row("work", heads, more));
    for work in works {
        measure(routes, work);
    }
}

fn measure(routes: &Routes, work: &Work) {
    let mut servers: Vec<Server> = routes.each().iter().map(|start| start()).collect();
    let mut times = vec![Vec::new(); servers.len()];
    for n_round in 0..program::n_rounds() {
        for route in program::turns(n_round, servers.len()) {
            let (Some(server), Some(times)) = (servers.get_mut(route), times.get_mut(route)) else {
                continue;
            };
            times.push(round(server, &work.call, work.n_calls, work.n_at_once));
        }
    }
    print(work.name, times, work.limit);
}

/// Measures the time from the start of the program to the response to `initialize`.
///
/// The difference is mostly the time that Manila and its keeper need to start the server.
fn start_up(routes: &Routes) {
    const N_STARTS: usize = 40;
    const LIMIT: Duration = Duration::from_millis(20);
    let starts = routes.each();
    let mut times = vec![Vec::new(); starts.len()];
    for _ in 0..N_STARTS {
        for (start, times) in starts.iter().zip(&mut times) {
            let begin = Instant::now();
            let server = start();
            times.push(begin.elapsed());
            drop(server);
        }
    }
    print("start-up", times, Some(LIMIT));
}

/// Prints the medians of direct, relayed and wrapped calls, and of the previous build.
fn print(name: &str, times: Vec<Vec<Duration>>, limit: Option<Duration>) {
    let mut medians = times.into_iter().map(median);
    let [direct, relay, through] = [(); 3].map(|()| medians.next().unwrap_or_default());
    let difference = through.saturating_sub(direct);
    let ratio = ratio(through, direct);
    let verdict = limit.map_or("", |limit| verdict(difference <= limit));
    let limit = limit.map(|limit| format!("<= {}", us(limit))).unwrap_or_default();
    let more = medians.next().map(|previous| [us(previous), self::ratio(through, previous)]);
    let more = more.unwrap_or_default();
    let [direct, relay, through, difference] = [direct, relay, through, difference].map(us);
    let cells = [direct, relay, through, difference, ratio, limit, verdict.to_owned()];
    println!(
        "{}",
        row(name, cells.each_ref().map(String::as_str), more.each_ref().map(String::as_str))
    );
}

fn ratio(time: Duration, other: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() / other.as_secs_f64())
}

/// Prints the resource usage of the gateway, and of the previous build.
fn resources(routes: &Routes) {
    const RESIDENT_KB_MAX: u64 = 15 * 1024;
    for (program, name) in routes.gateways().zip(["manila", "previous"]) {
        let mut server = routes.through(program);
        for (work, n_at_once) in [("one at a time", 1), ("16 at a time", 16)] {
            let n_calls = 8_000;
            let before = server.usage();
            round(&mut server, &Call::ECHO, n_calls, n_at_once);
            let Usage { cpu, resident_kb, n_files: _ } = server.usage();
            let per_call =
                cpu.saturating_sub(before.cpu) / u32::try_from(n_calls).unwrap_or(u32::MAX);
            let verdict = verdict(resident_kb <= RESIDENT_KB_MAX);
            println!(
                "{name}, {work}: CPU {} a call; resident {:.1} MB (limit 15 MB) {verdict}",
                us(per_call),
                resident_kb as f64 / 1024.0,
            );
        }
    }
}

fn us(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

fn verdict(is_good: bool) -> &'static str {
    if is_good { "ok" } else { "OVER" }
}

fn row(work: &str, columns: [&str; 7], [previous, compared]: [&str; 2]) -> String {
    let [direct, relay, through, difference, ratio, limit, verdict] = columns;
    format!(
        "{work:<20} {direct:>10} {relay:>10} {through:>11} {difference:>10} {ratio:>8}  \
         {limit:<14} {verdict:<4} {previous:>11} {compared:>10}"
    )
    .trim_end()
    .to_owned()
}
