//! Locks on the targets that actions change.
//!
//! Locks are files, so that all processes of one user share them, and the system releases them when
//! their holder ends for any reason.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use manila::{JsonObject, RawJson, sha256_hex};

use manila_process::clock;
use manila_process::os::private::{create_folder, is_at};

/// The folder of locks.
#[derive(Debug, Clone)]
pub(super) struct Locks {
    folder: PathBuf,
}

/// A lock, held until this is dropped.
#[derive(Debug)]
pub(super) struct LockGuard {
    file: File,
    path: PathBuf,
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        // While the file is locked, no other process uses it. If it was removed in the meantime,
        // another process's file may be at this path.
        if is_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// Why a lock was not acquired.
#[derive(Debug)]
pub(super) enum LockError {
    /// Another process holds it; its holder, if known.
    Busy(Option<Holder>),
    /// The folder cannot be used.
    Unusable(io::Error),
}

/// The holder of a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Holder {
    /// The operation, e.g. `restore`.
    pub(super) operation: String,
    /// When the operation began.
    pub(super) since: String,
}

impl Locks {
    pub(super) fn new(folder: PathBuf) -> Locks {
        Locks { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Acquires the lock of this name for an operation, if it is free.
    pub(super) fn take(&self, name: &str, operation: &str) -> Result<LockGuard, LockError> {
        create_folder(&self.folder).map_err(LockError::Unusable)?;
        let path = self.folder.join(sha256_hex(name.as_bytes()));
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(LockError::Unusable)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    let held = LockGuard { file, path };
                    // Without a holder, other processes only get a less specific message.
                    let _ = held.write_holder(operation);
                    return Ok(held);
                }
                // The previous holder has just removed the file.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::Busy(holder(&path))),
                Err(TryLockError::Error(error)) => return Err(LockError::Unusable(error)),
            }
        }
    }
}

impl LockGuard {
    fn write_holder(&self, operation: &str) -> io::Result<()> {
        let since = clock::timestamp().to_string();
        let holder = JsonObject::build(|object| {
            object.member("operation", operation);
            object.member("since", &since);
        });
        self.file.set_len(0)?;
        (&self.file).write_all(holder.as_raw().as_bytes())
    }
}

/// Reads the holder of a lock, if it wrote one.
fn holder(path: &Path) -> Option<Holder> {
    const BYTES_MAX: u64 = 4096;
    let mut text = String::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    let json = RawJson::parse(text).ok()?;
    let member = |name: &str| json.get(name)?.as_text().map(std::borrow::Cow::into_owned);
    Some(Holder { operation: member("operation")?, since: member("since")? })
}

#[cfg(test)]
mod tests;
