//! Where there is no keeper: no server is started under one.

use std::ffi::OsString;

/// Never takes over.
#[must_use]
pub fn dispatch(_arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    None
}
