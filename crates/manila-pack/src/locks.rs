//! Locks on what actions change. They are files, so that all who work for one user see them, and
//! the system lets go of them however their holder ends.

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

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    file: File,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        // While it is locked, nobody else takes this file for one to use. Where somebody has
        // removed it, another may stand there.
        if is_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// Why a lock is not held.
#[derive(Debug)]
pub(super) enum NotHeld {
    /// Somebody else has it, and what it said about that.
    Busy(Option<Holder>),
    /// The folder cannot be used.
    Unusable(io::Error),
}

/// Who has a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Holder {
    /// What it does, e.g. `restore`.
    pub(super) operation: String,
    /// Since when.
    pub(super) since: String,
}

impl Locks {
    pub(super) fn new(folder: PathBuf) -> Locks {
        Locks { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the lock of this name for an operation, if nobody has it.
    pub(super) fn take(&self, name: &str, operation: &str) -> Result<Held, NotHeld> {
        create_folder(&self.folder).map_err(NotHeld::Unusable)?;
        let path = self.folder.join(sha256_hex(name.as_bytes()));
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(NotHeld::Unusable)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    let held = Held { file, path };
                    // What cannot be told is only missing in what others are told.
                    let _ = held.tell(operation);
                    return Ok(held);
                }
                // Whoever had it has just removed it.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(NotHeld::Busy(holder(&path))),
                Err(TryLockError::Error(error)) => return Err(NotHeld::Unusable(error)),
            }
        }
    }
}

impl Held {
    fn tell(&self, operation: &str) -> io::Result<()> {
        let since = clock::moment().to_string();
        let told = JsonObject::build(|object| {
            object.member("operation", operation);
            object.member("since", &since);
        });
        self.file.set_len(0)?;
        (&self.file).write_all(told.as_raw().as_bytes())
    }
}

/// Who has a lock, if it has told.
fn holder(path: &Path) -> Option<Holder> {
    const BYTES_MAX: u64 = 4096;
    let mut text = String::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    let told = RawJson::parse(text).ok()?;
    let member = |name: &str| told.get(name)?.as_text().map(std::borrow::Cow::into_owned);
    Some(Holder { operation: member("operation")?, since: member("since")? })
}

#[cfg(test)]
mod tests;
