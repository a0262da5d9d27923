//! Programs as tools: the time that `manila run` adds, and the speed of parsing compiler output.
//!
//! Run with `cargo bench --bench run`. `manila run -- true` and `true` alternate; the result is the
//! median of the rounds. Output is parsed in memory, on one core, by the rules of the pack whose
//! program printed it. The peer searches each line for the text `error`.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use manila::Diagnosis;
use manila_bench::program::{build, median};
use manila_pack::LoadedPack;

/// Writes the nth line, or lines, of an output.
type Line = fn(&mut String, usize);

const N_RUNS: usize = 200;
const ADDED_MS_MAX: f64 = 15.0;
const OUTPUT_BYTES: usize = 100_000_000;
const N_ROUNDS: usize = 5;
const MB_PER_S_MIN: f64 = 200.0;

fn main() {
    measure_added(&build());
    let cargo = LoadedPack::from_name("cargo").expect("the pack is built in").pack;
    let dotnet = LoadedPack::from_name("dotnet").expect("the pack is built in").pack;
    println!("\n{:<34}{:>6}{:>8}{:>12}{:>8}", "output", "MB", "found", "MB/s", "peer");
    let kinds: [(&str, Line); 4] = [
        ("rustc, an error every 40 lines", |text, n| rustc(text, n, 40)),
        ("rustc, an error every 4 lines", |text, n| rustc(text, n, 4)),
        ("rustc, as JSON", rustc_json),
        ("MSBuild, an error every 10 lines", msbuild),
    ];
    for (label, line) in kinds {
        let mut text = String::with_capacity(OUTPUT_BYTES + 1024);
        let mut n = 0;
        while text.len() < OUTPUT_BYTES {
            line(&mut text, n);
            n += 1;
        }
        let pack = if label.starts_with("rustc") { &cargo } else { &dotnet };
        measure_read(label, &text, || {
            let by_pack = pack.diagnose_output(&text, "");
            let known = Diagnosis::from_output(&text, "");
            by_pack.failures.len() as u64
                + by_pack.n_omitted
                + known.failures.len() as u64
                + known.n_omitted
        });
    }
}

/// Measures the time that `manila run` adds to a program that does nothing.
fn measure_added(manila: &Path) {
    let timed = |command: &mut Command| {
        let begin = Instant::now();
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "{command:?} must work");
        begin.elapsed()
    };
    let (mut bare, mut run): (Vec<Duration>, Vec<Duration>) = (Vec::new(), Vec::new());
    for _ in 0..N_RUNS {
        bare.push(timed(&mut Command::new("true")));
        run.push(timed(Command::new(manila).args(["run", "--", "true"])));
    }
    let ms = |times: Vec<Duration>| median(times).as_secs_f64() * 1e3;
    let (bare, run) = (ms(bare), ms(run));
    let verdict = if run - bare <= ADDED_MS_MAX { "ok" } else { "OVER" };
    println!(
        "true {bare:.1} ms, manila run -- true {run:.1} ms: {:.1} ms more, {verdict}",
        run - bare
    );
}

fn measure_read(label: &str, text: &str, find: impl Fn() -> u64) {
    let rate = |work: &dyn Fn() -> u64| {
        let rounds = (0..N_ROUNDS).map(|_| {
            let begin = Instant::now();
            std::hint::black_box(work());
            begin.elapsed()
        });
        text.len() as f64 / 1e6 / median(rounds.collect()).as_secs_f64()
    };
    let found = find();
    let speed = rate(&find);
    let peer = rate(&|| text.lines().filter(|line| line.contains("error")).count() as u64);
    let verdict = if speed >= MB_PER_S_MIN { "ok" } else { "UNDER" };
    let mb = text.len() as f64 / 1e6;
    println!("{label:<34}{mb:>6.0}{found:>8}{speed:>8.0} {verdict:<5}{peer:>6.0}");
}

fn rustc(text: &mut String, n: usize, each: usize) {
    // Writing to a string cannot fail.
    let _ = if n.is_multiple_of(each) {
        writeln!(
            text,
            "error[E0308]: mismatched types\n   --> src/module_{n}.rs:{}:18\n    |\n\
             {n} |     let x: u32 = \"hello\";\n    \
             |            ---   ^^^^^^^ expected `u32`, found `&str`\n",
            n % 977
        )
    } else {
        writeln!(
            text,
            "   Compiling some-crate-{n} v1.{}.0 (/home/dev/crates/some-crate-{n})",
            n % 50
        )
    };
}

fn rustc_json(text: &mut String, n: usize) {
    let level = if n.is_multiple_of(10) { "error" } else { "note" };
    let _ = writeln!(
        text,
        "{{\"reason\":\"compiler-message\",\"package_id\":\"sample 0.1.0\",\"message\":{{\
         \"rendered\":\"{level}: mismatched types {n}\\n\",\
         \"code\":{{\"code\":\"E0308\",\"explanation\":null}},\"level\":\"{level}\",\
         \"message\":\"mismatched types\",\"spans\":[{{\"file_name\":\"src/main.rs\",\
         \"is_primary\":true,\"line_start\":{n},\"column_start\":18}}]}}}}"
    );
}

fn msbuild(text: &mut String, n: usize) {
    let _ = if n.is_multiple_of(10) {
        writeln!(
            text,
            "/home/dev/src/File{n}.cs({n},9): error CS0103: The name 'x{n}' does not exist"
        )
    } else {
        writeln!(text, "  Project{n} -> /home/dev/src/Project{n}/bin/Debug/net10.0/Project{n}.dll")
    };
}
