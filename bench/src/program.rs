//! The measured programs, the order of rounds, and the median.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Builds `manila` with the release profile and returns its path.
///
/// `MANILA_BENCH_PROGRAM` is the path of an existing build to use instead.
///
/// # Panics
/// If the build fails.
#[must_use]
pub fn build() -> PathBuf {
    if let Some(program) = std::env::var_os("MANILA_BENCH_PROGRAM") {
        return program.into();
    }
    let status =
        Command::new("cargo").args(["build", "--quiet", "--release", "-p", "manila-cli"]).status();
    assert!(status.is_ok_and(|status| status.success()), "manila must build");
    let benchmark = std::env::current_exe().unwrap_or_default();
    benchmark.ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default().join("manila")
}

/// Returns the path of a previous build, `MANILA_BENCH_PREVIOUS`, to measure in the same rounds.
#[must_use]
pub fn previous() -> Option<PathBuf> {
    std::env::var_os("MANILA_BENCH_PREVIOUS").map(PathBuf::from)
}

/// Returns the number of rounds: more with a previous build, where a difference of 3 % matters.
#[must_use]
pub fn n_rounds() -> usize {
    if previous().is_some() { 10 } else { 5 }
}

/// Returns the order of `n` routes in a round.
///
/// The first route changes from round to round, because each route affects the next one.
pub fn turns(n_round: usize, n: usize) -> impl Iterator<Item = usize> {
    (0..n).map(move |place| (place + n_round) % n)
}

/// Returns the median.
#[must_use]
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Returns the path of the peer, the Rust program `mcp-proxy`: `MCP_PROXY`, or on the `PATH`.
///
/// Other programs have the same name, so its help is checked.
#[must_use]
pub fn peer() -> Option<PathBuf> {
    let path = std::env::var_os("MCP_PROXY").unwrap_or_else(|| "mcp-proxy".into());
    let help = Command::new(&path).arg("--help").output().ok()?;
    let is_peer = String::from_utf8_lossy(&help.stdout).starts_with("Standalone MCP proxy");
    is_peer.then(|| path.into())
}

/// Returns the path of npm's `server-everything`, which needs Node: `MANILA_BENCH_EVERYTHING`, or
/// where `tests/real-clients/run` installs it.
#[must_use]
pub fn server_everything() -> Option<PathBuf> {
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
