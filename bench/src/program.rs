//! The program itself, as it is released, and what a row of measurements says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Builds `manila` as it is released, and says where it lies: beside the benchmark's own folder.
///
/// # Panics
/// If it does not build.
#[must_use]
pub fn built() -> PathBuf {
    let status =
        Command::new("cargo").args(["build", "--quiet", "--release", "-p", "manila-cli"]).status();
    assert!(status.is_ok_and(|status| status.success()), "manila must build");
    let benchmark = std::env::current_exe().unwrap_or_default();
    benchmark.ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default().join("manila")
}

/// The one in the middle.
#[must_use]
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
