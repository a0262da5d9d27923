//! Redaction with all rules, on one core.
//!
//! Run with `cargo bench --bench redact`. Every row is measured in the same run as its peer: a loop
//! over the patterns of the same vendors' tokens, each as a separate regular expression.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use manila_bench::best;
use manila_redact::{Redactor, apply, rules};
use regex::bytes::{Regex, RegexBuilder};

const KB: usize = 1024;
const MB: usize = 1024 * KB;

/// A shared machine has slow and fast minutes; the best pass counts for every row and its peer.
const N_PASSES: usize = 8;

fn main() {
    let peer = peer();
    let mut rows = rows();
    for _ in 0..N_PASSES {
        for row in &mut rows {
            row.measure(&peer);
        }
    }
    let clean = rows.iter().find(|row| row.name == "log").map_or(0.0, Row::speed);
    println!("{:<34} {:>8} {:>10} {:>7} {:>8}  limit", "text", "found", "time", "MB/s", "peer ×");
    for row in &rows {
        row.print(clean);
    }
}

/// The format of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Json,
}

/// The limit of a row.
enum Limit {
    Speed(f64),
    Time(Duration),
    /// The maximal slowdown compared to a clean log.
    Slower(f64),
    None,
}

struct Row {
    name: &'static str,
    kind: Kind,
    text: Vec<u8>,
    limit: Limit,
    time: Duration,
    peer: Duration,
}

impl Row {
    fn new(name: &'static str, kind: Kind, text: impl Into<Vec<u8>>, limit: Limit) -> Row {
        let (time, peer) = (Duration::MAX, Duration::MAX);
        Row { name, kind, text: text.into(), limit, time, peer }
    }

    fn redact(&self) -> Vec<manila_redact::Edit> {
        match self.kind {
            Kind::Text => Redactor::standard().text(&self.text),
            Kind::Json => Redactor::standard().json(&self.text),
        }
    }

    fn measure(&mut self, peer: &[Regex]) {
        let time = best(|| {
            let edits = self.redact();
            if edits.is_empty() { 0 } else { apply(&self.text, &edits).len() }
        });
        self.time = self.time.min(time);
        // The peer would take minutes for the whole text.
        let part = self.text.get(..16 * KB).unwrap_or(&self.text);
        if self.peer == Duration::MAX {
            let of_part = best(|| peer.iter().map(|it| it.find_iter(part).count()).sum::<usize>());
            self.peer = of_part.mul_f64(self.text.len() as f64 / part.len() as f64);
        }
    }

    fn speed(&self) -> f64 {
        self.text.len() as f64 / self.time.as_secs_f64() / 1e6
    }

    fn print(&self, clean: f64) {
        let speed = self.speed();
        let (limit, is_met) = match self.limit {
            Limit::Speed(least) => (format!(">= {least:.0} MB/s"), Some(speed >= least)),
            Limit::Time(most) => (format!("<= {most:?}"), Some(self.time <= most)),
            Limit::Slower(times) => (
                format!(">= {:.0} MB/s, a {times:.0}th of log", clean / times),
                Some(speed >= clean / times),
            ),
            Limit::None => (String::new(), None),
        };
        let verdict = is_met.map_or("", |is_met| if is_met { "ok" } else { "OVER" });
        let time = format!("{:.1} us", self.time.as_secs_f64() * 1e6);
        let times = self.peer.as_secs_f64() / self.time.as_secs_f64();
        let (name, found) = (self.name, self.redact().len());
        println!(
            "{name:<34} {found:>8} {time:>10} {speed:>7.0} {times:>8.0}  {limit:<30} {verdict}"
        );
    }
}

fn rows() -> Vec<Row> {
    let (ids, log, code) = (ids(4 * MB), log(4 * MB), code());
    let first = |text: &str, len: usize| text.as_bytes().get(..len).unwrap_or_default().to_vec();
    let in_json = format!("{{\"text\":{}}}", serde_json::Value::from(log.clone()));
    let mut with_secrets = String::new();
    for (n, part) in log.as_bytes().chunks(4 * KB).enumerate() {
        with_secrets += &String::from_utf8_lossy(part);
        with_secrets += SECRETS.get(n % SECRETS.len()).copied().unwrap_or_default();
    }
    let repeated = |part: &str| part.repeat(10 * MB / part.len());
    let hostile = |name, part: &str| Row::new(name, Kind::Text, repeated(part), Limit::Slower(5.0));
    vec![
        Row::new("JSON full of hashes and ids", Kind::Json, ids.clone(), Limit::Speed(500.0)),
        Row::new("log", Kind::Text, log.clone(), Limit::Speed(900.0)),
        Row::new("code", Kind::Text, code, Limit::Speed(900.0)),
        Row::new("log in a JSON string", Kind::Json, in_json, Limit::None),
        Row::new("a secret every 4 KB", Kind::Text, with_secrets, Limit::Speed(200.0)),
        Row::new("1 KB of log", Kind::Text, first(&log, KB), Limit::Time(Duration::from_micros(2))),
        Row::new(
            "1 KB of JSON",
            Kind::Json,
            first(&ids, KB),
            Limit::Time(Duration::from_micros(2)),
        ),
        hostile("10 MB of eyJ", "eyJ"),
        hostile("10 MB of eyJ.", "eyJ."),
        hostile("10 MB of eyJ-", "eyJ-"),
        hostile("10 MB of -----BEGIN", "-----BEGIN"),
        hostile("10 MB of -----BEGIN … KEY-----", "-----BEGIN RSA PRIVATE KEY-----\n"),
        hostile("10 MB of password=", "password="),
        hostile("10 MB of password= and a space", "password= "),
        hostile("10 MB of token=", "token="),
        hostile("10 MB of authorization:", "authorization:"),
        hostile("10 MB of cookie:", "cookie: "),
        hostile("10 MB of a://", "a://"),
        hostile("10 MB of mysql -x", "mysql -x "),
        hostile("10 MB of nearly a GitHub token", "ghp_16C7e42F292c6912E7710c838347Ae178B4 "),
        hostile("10 MB of \"password\":", "\"password\":"),
        hostile("10 MB of token:", "token:"),
        hostile("10 MB of api_key=", "api_key="),
        hostile("10 MB of secret:", "secret: "),
    ]
}

const SECRETS: [&str; 4] = [
    " password=hunter2x9 ",
    " ghp_16C7e42F292c6912E7710c838347Ae178B4a ",
    " Authorization: Bearer mF_9B5f-4.1JqM1a2b3c4d5e6f ",
    " postgres://app:s3cretpw@db:5432/app ",
];

/// A pseudorandom generator with the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap_or(0)
    }
}

fn ids(size: usize) -> String {
    let mut random = Random(1);
    let mut text = String::from("{\"items\":[");
    while text.len() < size {
        let (a, b, c, d) = (random.next(), random.next(), random.next(), random.next());
        let _ = write!(
            text,
            r#"{{"id":"{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}","sha256":"{a:016x}{b:016x}{c:016x}{d:016x}","trace_id":"{b:016x}{a:016x}","n":{},"path":"/srv/app/{}/file.rs","commit":"{c:016x}{d:016x}00000000"}},"#,
            a >> 32,
            a & 0xFFFF,
            b & 0xFFF,
            b >> 52,
            c & 0xFFFF_FFFF_FFFF,
            d % 100_000,
            a % 1000,
        );
    }
    text.pop();
    text + "]}"
}

const WORDS: [&str; 64] = [
    "request",
    "handled",
    "by",
    "worker",
    "in",
    "pool",
    "and",
    "returned",
    "status",
    "for",
    "user",
    "the",
    "cache",
    "miss",
    "upstream",
    "connection",
    "closed",
    "retry",
    "queue",
    "index",
    "build",
    "with",
    "warning",
    "error",
    "info",
    "debug",
    "service",
    "gateway",
    "handler",
    "started",
    "stopped",
    "config",
    "loaded",
    "from",
    "file",
    "path",
    "timeout",
    "after",
    "bytes",
    "sent",
    "received",
    "client",
    "server",
    "session",
    "opened",
    "database",
    "query",
    "took",
    "rows",
    "table",
    "lock",
    "waiting",
    "thread",
    "memory",
    "limit",
    "reached",
    "token",
    "expired",
    "job",
    "scheduled",
    "to",
    "run",
    "at",
    "host",
];

fn log(size: usize) -> String {
    let mut random = Random(2);
    let mut text = String::new();
    while text.len() < size {
        let time = random.below(86_400);
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        let level =
            ["INFO", "DEBUG", "WARN", "ERROR"].get(random.below(4)).copied().unwrap_or_default();
        let _ = write!(
            text,
            "2026-11-16T{hour:02}:{minute:02}:{second:02}.{:03}Z {level} [http-{}] ",
            random.below(1000),
            random.below(32)
        );
        for _ in 0..5 + random.below(10) {
            text += WORDS.get(random.below(WORDS.len())).copied().unwrap_or_default();
            text.push(' ');
        }
        let _ = writeln!(
            text,
            "id={:016x} ip=10.0.{}.{} dur={}ms",
            random.next(),
            random.below(256),
            random.below(256),
            random.below(900)
        );
    }
    text
}

/// Returns the sources of Manila.
fn code() -> Vec<u8> {
    let mut text = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/manila")];
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/manila-gateway"));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                text.extend(std::fs::read(path).unwrap_or_default());
            }
        }
    }
    text
}

fn peer() -> Vec<Regex> {
    let tokens = rules().iter().filter(|rule| rule.is_token());
    let compile = |pattern: &str| RegexBuilder::new(pattern).unicode(false).build().ok();
    tokens.filter_map(|rule| compile(&rule.pattern())).collect()
}
