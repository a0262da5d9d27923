//! Programs as tools: what `manila run` adds to a program, and how fast compilers' output is read.
//!
//! Run with `cargo bench --bench run`. `manila run -- true` and `true` take turns; the median of
//! the rounds counts. Output is read in memory, on one core, by the rules of the pack whose program
//! printed it; a peer walks over its lines and looks for one word.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use manila::Diagnosed;
use manila_bench::program::{built, median};
use manila_pack::Source;

/// Writes the nth line, or lines, of an output.
type Line = fn(&mut String, usize);

const N_RUNS: usize = 200;
const ADDED_MS_MAX: f64 = 15.0;
const OUTPUT_BYTES: usize = 100_000_000;
const N_ROUNDS: usize = 5;
const MB_PER_S_MIN: f64 = 200.0;

fn main() {
    added(&built());
    let cargo = Source::named("cargo").expect("it comes along").pack;
    let dotnet = Source::named("dotnet").expect("it comes along").pack;
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
        read(label, &text, || {
            let own = pack.diagnosed(&text, "");
            let known = Diagnosed::in_output(&text, "");
            own.failures.len() as u64 + own.n_untold + known.failures.len() as u64 + known.n_untold
        });
    }
}

/// What `manila run` adds to a program that does nothing.
fn added(manila: &Path) {
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
    let word = if run - bare <= ADDED_MS_MAX { "ok" } else { "OVER" };
    println!(
        "true {bare:.1} ms, manila run -- true {run:.1} ms: {:.1} ms more, {word}",
        run - bare
    );
}

fn read(label: &str, text: &str, find: impl Fn() -> u64) {
    let rate = |work: &dyn Fn() -> u64| {
        let rounds = (0..N_ROUNDS).map(|_| {
            let begin = Instant::now();
            std::hint::black_box(work());
            begin.elapsed()
        });
        text.len() as f64 / 1e6 / median(rounds.collect()).as_secs_f64()
    };
    let found = find();
    let own = rate(&find);
    let peer = rate(&|| text.lines().filter(|line| line.contains("error")).count() as u64);
    let word = if own >= MB_PER_S_MIN { "ok" } else { "UNDER" };
    let mb = text.len() as f64 / 1e6;
    println!("{label:<34}{mb:>6.0}{found:>8}{own:>8.0} {word:<5}{peer:>6.0}");
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
