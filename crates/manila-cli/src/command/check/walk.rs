//! The files below a folder, in order, without following links to folders.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// An entry below a folder.
pub(super) enum WalkEntry {
    /// An entry that can be read as a file.
    File(PathBuf),
    /// An entry that is not a file: a socket, a pipe, a link to a folder.
    Other,
    /// A folder that cannot be listed.
    Unreadable(PathBuf, io::Error),
}

/// Visits everything below `folder`, at most `levels_max` levels deep, sorted by name.
///
/// Links to folders are not followed, because they may form a cycle.
pub(super) fn walk(folder: &Path, levels_max: usize, mut each: impl FnMut(WalkEntry)) {
    let mut waiting = vec![Pending::Folder(folder.to_path_buf(), levels_max)];
    while let Some(entry) = waiting.pop() {
        match entry {
            Pending::Entry(below) => each(below),
            Pending::Folder(_, 0) => {}
            Pending::Folder(path, levels) => match list(&path, levels - 1) {
                Ok(entries) => waiting.extend(entries.into_iter().rev()),
                Err(error) => each(WalkEntry::Unreadable(path, error)),
            },
        }
    }
}

enum Pending {
    Entry(WalkEntry),
    /// A folder, and the number of levels to visit.
    Folder(PathBuf, usize),
}

/// Lists a folder, sorted by name.
fn list(folder: &Path, levels: usize) -> io::Result<Vec<Pending>> {
    let place = if folder == OsStr::new("") { Path::new(".") } else { folder };
    let mut entries = std::fs::read_dir(place)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let listed = entries.into_iter().map(|entry| {
        let path = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        Ok(if kind.is_dir() {
            Pending::Folder(path, levels)
        } else if kind.is_file() || (kind.is_symlink() && !is_link_to_non_file(&path)) {
            Pending::Entry(WalkEntry::File(path))
        } else {
            Pending::Entry(WalkEntry::Other)
        })
    });
    listed.collect()
}

/// Returns whether a link's target exists and is not a file. A broken link is reported when it is
/// read.
fn is_link_to_non_file(link: &Path) -> bool {
    std::fs::metadata(link).is_ok_and(|found| !found.is_file())
}
