//! The program itself, as it is released, and what a row of measurements says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Builds `manila` as it is released, and says where it lies: beside the benchmark's own folder.
/// `MANILA_BENCH_PROGRAM` is one that is built already, for a comparison with another build.
///
/// # Panics
/// If it does not build.
#[must_use]
pub fn built() -> PathBuf {
    if let Some(program) = std::env::var_os("MANILA_BENCH_PROGRAM") {
        return program.into();
    }
    let status =
        Command::new("cargo").args(["build", "--quiet", "--release", "-p", "manila-cli"]).status();
    assert!(status.is_ok_and(|status| status.success()), "manila must build");
    let benchmark = std::env::current_exe().unwrap_or_default();
    benchmark.ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default().join("manila")
}

/// The previous build of `manila`, at `MANILA_BENCH_PREVIOUS`, to be measured in the same rounds.
#[must_use]
pub fn previous() -> Option<PathBuf> {
    std::env::var_os("MANILA_BENCH_PREVIOUS").map(PathBuf::from)
}

/// The number of rounds: more beside a previous build, where a difference of 3 % matters.
#[must_use]
pub fn n_rounds() -> usize {
    if previous().is_some() { 10 } else { 5 }
}

/// The order in which `n` ways take their turns in a round. Each begins a round in its time: who
/// comes after another one finds the machine as that one left it.
pub fn turns(n_round: usize, n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |place| (place + n_round) % n)
}

/// The one in the middle.
#[must_use]
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The peer, the Rust program `mcp-proxy`: at `MCP_PROXY`, or on the path.
///
/// Other programs have the same name, so it is asked whether it is the one.
#[must_use]
pub fn peer() -> Option<PathBuf> {
    let path = std::env::var_os("MCP_PROXY").unwrap_or_else(|| "mcp-proxy".into());
    let help = Command::new(&path).arg("--help").output().ok()?;
    let is_it = String::from_utf8_lossy(&help.stdout).starts_with("Standalone MCP proxy");
    is_it.then(|| path.into())
}

/// npm's `server-everything`: at `MANILA_BENCH_EVERYTHING`, or where `tests/real-clients/run` puts
/// it. It needs Node.
#[must_use]
pub fn everything() -> Option<PathBuf> {
    const INSTALLED: &str = "real-clients/node/node_modules/@modelcontextprotocol/\
                             server-everything/dist/index.js";
    let installed = || {
        let benchmark = std::env::current_exe().unwrap_or_default();
        benchmark.ancestors().nth(3).unwrap_or(Path::new("target")).join(INSTALLED)
    };
    let path = std::env::var_os("MANILA_BENCH_EVERYTHING").map_or_else(installed, PathBuf::from);
    let node = Command::new("node").arg("--version").output();
    (node.is_ok() && path.is_file()).then_some(path)
}
