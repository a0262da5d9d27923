//! The program on files of many envelopes: `manila check --lines` and `manila convert --lines`, on
//! all cores.
//!
//! Run with `cargo bench --bench lines`. Rounds of all rows alternate, so that a slow minute of the
//! machine affects all of them; the result is the median of the rounds. In each round, the peer
//! `serde_json` parses the same lines into a tree, on one core, without checking any rule.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use manila_bench::observations::{ResultKind, record};
use manila_bench::program::{build, median};

const N_ROUNDS: usize = 5;
const N_LINES: usize = 200_000;
const CHECKED_MIN: f64 = 300.0;
const CONVERTED_MIN: f64 = 200.0;

/// The contracts, each with the contract that it is converted to.
const CONTRACTS: [(&str, &str); 4] = [
    ("response-v2", "envelope-v1"),
    ("envelope-v1", "response-v2"),
    ("machine-readable-v1", "response-v2"),
    ("mcp.envelope.v0.1", "response-v2"),
];

/// A file of envelopes, with the times of all rounds.
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
    let manila = build();
    let folder = std::env::temp_dir().join(format!("manila-bench-lines-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the files");
    let mut rows = rows(&manila, &folder);
    for _ in 0..N_ROUNDS {
        for row in &mut rows {
            let Row { contract, to, file, .. } = row;
            row.checked.push(time(&manila, &["check", "--lines", "-c", contract], file));
            let convert = ["convert", "--lines", "--from", contract, "--to", to];
            row.converted.push(time(&manila, &convert, file));
            row.parsed.push(peer_time(file));
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

/// Writes two files for each contract: one of successful calls, one where every fifth call failed.
fn rows(manila: &Path, folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, is_failure) in
        [("all answered", (|_| false) as fn(usize) -> bool), ("every fifth failed", |n| n % 5 == 4)]
    {
        let observed = folder.join("observed.jsonl");
        let mut lines = std::io::BufWriter::new(File::create(&observed).expect("a file"));
        for n in 0..N_LINES {
            let kind = if is_failure(n) { ResultKind::Failed } else { ResultKind::Answered };
            let items: Vec<String> = (0..4).map(|item| record(5 * n + item)).collect();
            writeln!(lines, "{}", kind.observation(&items)).expect("the disk has room");
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
            let label = format!("{contract:<22}{name}");
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

/// Returns the time of the peer for the file, extrapolated from its first part.
fn peer_time(file: &Path) -> Duration {
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
