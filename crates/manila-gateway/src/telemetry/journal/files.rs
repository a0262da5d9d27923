//! The files of a journal: their names, beginning one, the link to the latest, removing the oldest.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::rt::clock;
use manila_process::os::private;

/// Q6: the folder below the root of the runs.
pub(super) const FOLDER: &str = "mcp_server";

/// Q6: the link to the file that was begun last.
pub(super) const LATEST: &str = "envelope_validation.latest.jsonl";

const STEM: &str = "envelope_validation.";
const ENDING: &str = ".jsonl";

/// What lines are written to.
pub(super) trait Sheet: Write + Send {
    /// Keeps the first bytes only.
    fn cut(&self, n_bytes: u64) -> io::Result<()>;

    /// Whether it still is what this path leads to.
    fn is_at(&self, path: &Path) -> bool;
}

impl Sheet for File {
    fn cut(&self, n_bytes: u64) -> io::Result<()> {
        self.set_len(n_bytes)
    }

    fn is_at(&self, path: &Path) -> bool {
        private::is_at(self, path)
    }
}

/// How a file is created.
pub(super) type Create = Box<dyn Fn(&Path) -> io::Result<Box<dyn Sheet>> + Send>;

fn on_disk(path: &Path) -> io::Result<Box<dyn Sheet>> {
    let file = private::create_file(path)?;
    // Who removes old files may have been faster.
    if private::claim(&file) { Ok(Box::new(file)) } else { Err(ErrorKind::ResourceBusy.into()) }
}

/// The folder with the files of all who write a journal there.
pub(super) struct Files {
    folder: PathBuf,
    kept_max: usize,
    create: Create,
}

impl Files {
    pub(super) fn new(folder: PathBuf, kept_max: usize) -> Files {
        Files::created_by(folder, kept_max, Box::new(on_disk))
    }

    pub(super) fn created_by(folder: PathBuf, kept_max: usize, create: Create) -> Files {
        Files { folder, kept_max, create }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins a file, and creates the folder again if it has gone.
    pub(super) fn begin(&self) -> io::Result<Begun> {
        const TRIES_MAX: usize = 3;
        let mut tried = self.begin_once();
        for _ in 1..TRIES_MAX {
            match tried {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => tried = self.begin_once(),
                tried => return tried,
            }
        }
        tried
    }

    fn begin_once(&self) -> io::Result<Begun> {
        private::create_folder(&self.folder)?;
        let path = self.folder.join(fresh_name());
        let sheet = (self.create)(&path)?;
        let begun = Begun { sheet, path, n_bytes: 0, is_announced: false };
        if begun.is_there() { Ok(begun) } else { Err(ErrorKind::ResourceBusy.into()) }
    }

    /// Whether a file can be begun. None is left behind.
    pub(super) fn try_out(&self) -> io::Result<()> {
        self.begin().map(Begun::remove)
    }

    /// Lets the link lead to a file that has lines now, and removes those that are too many. Fails
    /// if the link cannot be kept.
    pub(super) fn announce(&self, begun: &mut Begun) -> io::Result<()> {
        if begun.is_announced {
            return Ok(());
        }
        begun.is_announced = true;
        self.remove_oldest(begun);
        self.link(begun.name())
    }

    /// Replaces the link in one step, so that it always leads somewhere.
    fn link(&self, target: &OsStr) -> io::Result<()> {
        let latest = self.folder.join(LATEST);
        // What is no link was not made by us.
        if latest.symlink_metadata().is_ok_and(|it| !it.is_symlink()) {
            let message = format!("`{}` is no link, and is left as it is", latest.display());
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
        let temporary = self.folder.join(format!(".{LATEST}.{}", uuid_text(clock::fresh())));
        private::link(Path::new(target), &temporary)?;
        fs::rename(&temporary, &latest).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Removes our oldest files beyond those that are kept. What cannot be removed now is there
    /// the next time.
    fn remove_oldest(&self, current: &Begun) {
        let Ok(mut others) = own_names(&self.folder) else { return };
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

/// The names of all our files in a folder, the oldest first.
pub(super) fn own_names(folder: &Path) -> io::Result<Vec<OsString>> {
    let is_own = |name: &OsString| name.to_str().is_some_and(is_own_name);
    let names = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name());
    let mut own: Vec<_> = names.filter(is_own).collect();
    // Their names begin with the time, and tell those of one second apart in order.
    own.sort_unstable();
    Ok(own)
}

/// Q6: `envelope_validation.<UTC yyyymmddThhmmssZ>.<uuid>.jsonl`.
fn fresh_name() -> String {
    let (time, id) = (clock::moment().compact(), uuid_text(clock::fresh_in_order()));
    format!("{STEM}{time}.{id}{ENDING}")
}

fn uuid_text(bytes: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(bytes).to_string()
}

/// Whether a name is exactly as we give them.
fn is_own_name(name: &str) -> bool {
    let middle = name.strip_prefix(STEM).and_then(|rest| rest.strip_suffix(ENDING));
    let Some((time, id)) = middle.and_then(|middle| middle.split_once('.')) else { return false };
    is_like(time, "00000000T000000Z") && is_like(id, "ffffffff-ffff-ffff-ffff-ffffffffffff")
}

/// Whether a text has digits, lower-case hex digits and the same signs where the pattern has `0`,
/// `f` and signs.
fn is_like(text: &str, pattern: &str) -> bool {
    let fits = |(found, wanted): (u8, u8)| match wanted {
        b'0' => found.is_ascii_digit(),
        b'f' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
        sign => found == sign,
    };
    text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(fits)
}

/// A file that was begun.
pub(super) struct Begun {
    sheet: Box<dyn Sheet>,
    path: PathBuf,
    n_bytes: u64,
    is_announced: bool,
}

/// What became of lines that could not all be written.
pub(super) struct Stopped {
    /// How many bytes of whole lines are in the file.
    pub(super) n_bytes: usize,
    pub(super) error: io::Error,
    /// The file, if more can be written to it.
    pub(super) begun: Option<Begun>,
}

impl Begun {
    pub(super) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Whether the file is still where it was.
    pub(super) fn is_there(&self) -> bool {
        self.sheet.is_at(&self.path)
    }

    /// Writes whole lines. Of a line that does not fit, nothing stays.
    pub(super) fn append(mut self, lines: &[u8]) -> Result<Begun, Stopped> {
        let mut rest = lines;
        while !rest.is_empty() {
            let written = match self.sheet.write(rest) {
                Ok(0) => Err(ErrorKind::WriteZero.into()),
                written => written,
            };
            match written {
                Ok(n_bytes) => rest = rest.get(n_bytes..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let written = lines.strip_suffix(rest).unwrap_or_default();
                    return Err(self.stopped(written, error));
                }
            }
        }
        self.n_bytes += lines.len() as u64;
        Ok(self)
    }

    fn stopped(mut self, written: &[u8], error: io::Error) -> Stopped {
        let n_bytes = memchr::memrchr(b'\n', written).map_or(0, |at| at + 1);
        self.n_bytes += n_bytes as u64;
        let is_whole = n_bytes == written.len() || self.sheet.cut(self.n_bytes).is_ok();
        // A full disk is no reason for another file: many small ones would push out the large.
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let begun = if self.n_bytes == 0 {
            self.remove();
            None
        } else {
            Some(self).filter(|_| is_whole && is_full)
        };
        Stopped { n_bytes, error, begun }
    }

    /// Removes the file.
    fn remove(self) {
        // What has gone already need not be removed.
        let _ = fs::remove_file(&self.path);
    }

    fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
