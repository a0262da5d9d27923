//! The program on files of many envelopes: `manila check --lines` and `manila convert --lines`, on
//! all cores.
//!
//! Run with `cargo bench --bench lines`. Rounds of all rows take turns, so that a slow minute of
//! the machine slows all; the median of the rounds counts. In each round a peer works on the same
//! lines: `serde_json` reads them into a tree, on one core, and checks no rule.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use manila_bench::observations::{Seen, record};
use manila_bench::program::{built, median};

const N_ROUNDS: usize = 5;
const N_LINES: usize = 200_000;
const CHECKED_MIN: f64 = 300.0;
const CONVERTED_MIN: f64 = 200.0;

/// The contracts, and what each is converted to.
const CONTRACTS: [(&str, &str); 4] = [
    ("response-v2", "envelope-v1"),
    ("envelope-v1", "response-v2"),
    ("machine-readable-v1", "response-v2"),
    ("mcp.envelope.v0.1", "response-v2"),
];

/// A file of envelopes, and how long each round took.
struct Row {
    label: String,
    contract: &'static str,
    to: &'static str,
    file: PathBuf,
    checked: Vec<Duration>,
    converted: Vec<Duration>,
    parsed: Vec<Duration>,
}

fn main() {
    let manila = built();
    let folder = std::env::temp_dir().join(format!("manila-bench-lines-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    let mut rows = rows(&manila, &folder);
    for _ in 0..N_ROUNDS {
        for row in &mut rows {
            let Row { contract, to, file, .. } = row;
            row.checked.push(time(&manila, &["check", "--lines", "-c", contract], file));
            let convert = ["convert", "--lines", "--from", contract, "--to", to];
            row.converted.push(time(&manila, &convert, file));
            row.parsed.push(time_of_peer(file));
        }
    }
    let head = ["MB", "check, MB/s", "convert, MB/s", "peer, MB/s", "check / peer"];
    println!(
        "{:<42}{:>5}{:>13}{:>15}{:>12}{:>14}",
        "", head[0], head[1], head[2], head[3], head[4]
    );
    for row in rows {
        print(row);
    }
    std::fs::remove_dir_all(&folder).expect("the files can be removed");
}

/// One file where all calls were answered, and one where every fifth failed, for each contract.
fn rows(manila: &Path, folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for (kind, is_failure) in
        [("all answered", (|_| false) as fn(usize) -> bool), ("every fifth failed", |n| n % 5 == 4)]
    {
        let observed = folder.join("observed.jsonl");
        let mut lines = std::io::BufWriter::new(File::create(&observed).expect("a file"));
        for n in 0..N_LINES {
            let seen = if is_failure(n) { Seen::Failed } else { Seen::Answered };
            let items: Vec<String> = (0..4).map(|item| record(5 * n + item)).collect();
            writeln!(lines, "{}", seen.observation(&items)).expect("there is room");
        }
        drop(lines);
        for (contract, to) in CONTRACTS {
            let file = folder.join(format!("{contract}.{}.jsonl", is_failure(4)));
            let sealed = Command::new(manila)
                .args(["seal", "--lines", "-c", contract])
                .arg(&observed)
                .stdout(File::create(&file).expect("a file"))
                .status();
            assert!(sealed.is_ok_and(|status| status.success()), "seal must work");
            let label = format!("{contract:<22}{kind}");
            let (checked, converted, parsed) = (vec![], vec![], vec![]);
            rows.push(Row { label, contract, to, file, checked, converted, parsed });
        }
    }
    rows
}

fn time(manila: &Path, arguments: &[&str], file: &Path) -> Duration {
    let begin = Instant::now();
    let status = Command::new(manila)
        .args(arguments)
        .arg(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{arguments:?} must work");
    begin.elapsed()
}

/// How long the peer would take for the file; it gets the first part of it.
fn time_of_peer(file: &Path) -> Duration {
    const PART: usize = 20;
    let text = std::fs::read_to_string(file).expect("the file can be read");
    let n_lines = N_LINES / PART;
    let begin = Instant::now();
    for line in text.lines().take(n_lines) {
        assert!(std::hint::black_box(serde_json::from_str::<serde_json::Value>(line)).is_ok());
    }
    begin.elapsed() * u32::try_from(PART).unwrap_or(1)
}

fn print(row: Row) {
    let mb = std::fs::metadata(&row.file).map_or(0, |file| file.len()) as f64 / 1e6;
    let rate = |times| mb / median(times).as_secs_f64();
    let cell =
        |rate: f64, min| format!("{rate:.0} {:<5}", if rate >= min { "ok" } else { "UNDER" });
    let (checked, converted, peer) = (rate(row.checked), rate(row.converted), rate(row.parsed));
    println!(
        "{:<42}{mb:>5.0}{:>13}{:>15}{peer:>12.0}{:>14.1}",
        row.label,
        cell(checked, CHECKED_MIN),
        cell(converted, CONVERTED_MIN),
        checked / peer,
    );
}
