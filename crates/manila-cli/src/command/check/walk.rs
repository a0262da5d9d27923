//! The files below a directory, in order, without following links to directories.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Something below a directory.
pub(super) enum Below {
    /// What can be read as a file.
    File(PathBuf),
    /// What is none: a socket, a pipe, a link to a directory.
    Other,
    /// A directory that cannot be listed.
    Closed(PathBuf, io::Error),
}

/// Lists what is below `folder`, at most this many levels deep. The order is that of the names.
///
/// A link to a directory could lead back here, so it is not followed.
pub(super) fn walk(folder: &Path, levels_max: usize, mut each: impl FnMut(Below)) {
    let mut waiting = vec![Entry::Folder(folder.to_path_buf(), levels_max)];
    while let Some(entry) = waiting.pop() {
        match entry {
            Entry::Below(below) => each(below),
            Entry::Folder(_, 0) => {}
            Entry::Folder(path, levels) => match list(&path, levels - 1) {
                Ok(entries) => waiting.extend(entries.into_iter().rev()),
                Err(error) => each(Below::Closed(path, error)),
            },
        }
    }
}

enum Entry {
    Below(Below),
    /// A folder, and how many levels deep it is to be looked into.
    Folder(PathBuf, usize),
}

/// What is in a folder, in the order of the names.
fn list(folder: &Path, levels: usize) -> io::Result<Vec<Entry>> {
    let place = if folder == OsStr::new("") { Path::new(".") } else { folder };
    let mut entries = std::fs::read_dir(place)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let listed = entries.into_iter().map(|entry| {
        let path = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        Ok(if kind.is_dir() {
            Entry::Folder(path, levels)
        } else if kind.is_file() || (kind.is_symlink() && !leads_elsewhere(&path)) {
            Entry::Below(Below::File(path))
        } else {
            Entry::Below(Below::Other)
        })
    });
    listed.collect()
}

/// Whether a link leads to something that is there and no file. One that leads nowhere is told
/// when it is read.
fn leads_elsewhere(link: &Path) -> bool {
    std::fs::metadata(link).is_ok_and(|found| !found.is_file())
}
