//! The keeper on systems without one: no server is started under a keeper.

use std::ffi::OsString;

/// Returns `None`: this process is never a keeper.
#[must_use]
pub fn run_if_keeper(_arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    None
}
