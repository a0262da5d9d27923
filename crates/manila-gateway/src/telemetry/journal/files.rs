//! The files of a journal: names them, creates them, links the newest and removes the oldest.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::rt::clock;
use manila_process::os::private;

/// The folder below the root of the runs (Q6).
pub(super) const FOLDER: &str = "mcp_server";

/// The link to the newest file (Q6).
pub(super) const LATEST: &str = "envelope_validation.latest.jsonl";

const STEM: &str = "envelope_validation.";
const ENDING: &str = ".jsonl";

/// A file that lines are written to.
pub(super) trait JournalFile: Write + Send {
    /// Truncates the file to its first bytes.
    fn truncate(&self, n_bytes: u64) -> io::Result<()>;

    /// Returns whether this path still leads to the file.
    fn is_at(&self, path: &Path) -> bool;
}

impl JournalFile for File {
    fn truncate(&self, n_bytes: u64) -> io::Result<()> {
        self.set_len(n_bytes)
    }

    fn is_at(&self, path: &Path) -> bool {
        private::is_at(self, path)
    }
}

/// The function that creates a file.
pub(super) type Create = Box<dyn Fn(&Path) -> io::Result<Box<dyn JournalFile>> + Send>;

fn create_on_disk(path: &Path) -> io::Result<Box<dyn JournalFile>> {
    let file = private::create_file(path)?;
    // A process that removes old files may have claimed it first.
    if private::claim(&file) { Ok(Box::new(file)) } else { Err(ErrorKind::ResourceBusy.into()) }
}

/// The folder with the files of all processes that write a journal there.
pub(super) struct Files {
    folder: PathBuf,
    kept_max: usize,
    create: Create,
}

impl Files {
    pub(super) fn new(folder: PathBuf, kept_max: usize) -> Files {
        Files::with_create(folder, kept_max, Box::new(create_on_disk))
    }

    pub(super) fn with_create(folder: PathBuf, kept_max: usize, create: Create) -> Files {
        Files { folder, kept_max, create }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates a file, and its folder if that is missing.
    pub(super) fn create(&self) -> io::Result<OpenFile> {
        const ATTEMPTS_MAX: usize = 3;
        let mut created = self.create_once();
        for _ in 1..ATTEMPTS_MAX {
            match created {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                    created = self.create_once();
                }
                created => return created,
            }
        }
        created
    }

    fn create_once(&self) -> io::Result<OpenFile> {
        private::create_folder(&self.folder)?;
        let path = self.folder.join(new_name());
        let file = (self.create)(&path)?;
        let open_file = OpenFile { file, path, n_bytes: 0, is_announced: false };
        if open_file.exists() { Ok(open_file) } else { Err(ErrorKind::ResourceBusy.into()) }
    }

    /// Fails if no file can be created. Leaves no file behind.
    pub(super) fn probe(&self) -> io::Result<()> {
        self.create().map(OpenFile::remove)
    }

    /// Links to a file that has lines now, and removes the oldest files beyond the limit. Fails if
    /// the link cannot be set.
    pub(super) fn announce(&self, open_file: &mut OpenFile) -> io::Result<()> {
        if open_file.is_announced {
            return Ok(());
        }
        open_file.is_announced = true;
        self.remove_oldest(open_file);
        self.link(open_file.name())
    }

    /// Replaces the link atomically, so that it is never missing.
    fn link(&self, target: &OsStr) -> io::Result<()> {
        let latest = self.folder.join(LATEST);
        // If it is not a link, the gateway did not create it.
        if latest.symlink_metadata().is_ok_and(|it| !it.is_symlink()) {
            let message = format!("`{}` is not a link, and is not replaced", latest.display());
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
        let temporary = self.folder.join(format!(".{LATEST}.{}", uuid_text(clock::random_id())));
        private::link(Path::new(target), &temporary)?;
        fs::rename(&temporary, &latest).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Removes the oldest files of journals beyond the limit. A file that cannot be removed is
    /// tried again the next time.
    fn remove_oldest(&self, current: &OpenFile) {
        let Ok(mut others) = journal_names(&self.folder) else { return };
        others.retain(|name| name != current.name());
        let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_file());
        let n_removed = (others.len() + 1).saturating_sub(self.kept_max);
        for name in others.into_iter().take(n_removed) {
            let path = self.folder.join(name);
            if is_file(&path) {
                let _ = private::remove_unclaimed(&path);
            }
        }
    }
}

/// Returns the names of all journal files in a folder, the oldest first.
pub(super) fn journal_names(folder: &Path) -> io::Result<Vec<OsString>> {
    let is_journal = |name: &OsString| name.to_str().is_some_and(is_journal_name);
    let names = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name());
    let mut names: Vec<_> = names.filter(is_journal).collect();
    // The names begin with the time, and those of the same second continue with an ordered id.
    names.sort_unstable();
    Ok(names)
}

/// Returns a new name (Q6): `envelope_validation.<UTC yyyymmddThhmmssZ>.<uuid>.jsonl`.
fn new_name() -> String {
    let (time, id) = (clock::timestamp().compact(), uuid_text(clock::ordered_id()));
    format!("{STEM}{time}.{id}{ENDING}")
}

fn uuid_text(bytes: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(bytes).to_string()
}

/// Returns whether a name has exactly the format of `new_name`.
fn is_journal_name(name: &str) -> bool {
    let middle = name.strip_prefix(STEM).and_then(|rest| rest.strip_suffix(ENDING));
    let Some((time, id)) = middle.and_then(|middle| middle.split_once('.')) else { return false };
    matches_pattern(time, "00000000T000000Z")
        && matches_pattern(id, "ffffffff-ffff-ffff-ffff-ffffffffffff")
}

/// Returns whether a text matches a pattern: `0` stands for a digit, `f` for a lower-case hex
/// digit, and every other character for itself.
fn matches_pattern(text: &str, pattern: &str) -> bool {
    let matches = |(found, expected): (u8, u8)| match expected {
        b'0' => found.is_ascii_digit(),
        b'f' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
        literal => found == literal,
    };
    text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(matches)
}

/// A file to which lines are written.
pub(super) struct OpenFile {
    file: Box<dyn JournalFile>,
    path: PathBuf,
    n_bytes: u64,
    is_announced: bool,
}

/// A failure to write all lines.
pub(super) struct AppendError {
    /// The number of bytes that were written, in complete lines.
    pub(super) n_bytes: usize,
    pub(super) error: io::Error,
    /// The file, if more lines can be written to it.
    pub(super) open_file: Option<OpenFile>,
}

impl OpenFile {
    pub(super) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns whether the file still exists at its path.
    pub(super) fn exists(&self) -> bool {
        self.file.is_at(&self.path)
    }

    /// Writes complete lines. A line that was written only in part is removed again.
    pub(super) fn append(mut self, lines: &[u8]) -> Result<OpenFile, AppendError> {
        let mut rest = lines;
        while !rest.is_empty() {
            let written = match self.file.write(rest) {
                Ok(0) => Err(ErrorKind::WriteZero.into()),
                written => written,
            };
            match written {
                Ok(n_bytes) => rest = rest.get(n_bytes..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let written = lines.strip_suffix(rest).unwrap_or_default();
                    return Err(self.append_error(written, error));
                }
            }
        }
        self.n_bytes += lines.len() as u64;
        Ok(self)
    }

    fn append_error(mut self, written: &[u8], error: io::Error) -> AppendError {
        let n_bytes = memchr::memrchr(b'\n', written).map_or(0, |at| at + 1);
        self.n_bytes += n_bytes as u64;
        let is_intact = n_bytes == written.len() || self.file.truncate(self.n_bytes).is_ok();
        // A full disk does not require a new file: many small files would displace the large ones.
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let open_file = if self.n_bytes == 0 {
            self.remove();
            None
        } else {
            Some(self).filter(|_| is_intact && is_full)
        };
        AppendError { n_bytes, error, open_file }
    }

    /// Removes the file.
    fn remove(self) {
        // The file may already have been removed.
        let _ = fs::remove_file(&self.path);
    }

    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
