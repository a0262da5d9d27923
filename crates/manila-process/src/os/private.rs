//! Files that only their owner can read, and how processes share a folder of them.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Creates a folder and those above it, where they are missing.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a file that is written at its end. There must be none at this path, nor a link.
pub fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether `path` leads to this open file.
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |it: std::fs::Metadata| (it.dev(), it.ino());
        let there = path.symlink_metadata().map(id);
        there.is_ok_and(|there| file.metadata().is_ok_and(|own| id(own) == there))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Marks a file as in use until it is closed, by whatever end of the process. Says whether that
/// can be so: a file that is about to be removed is nobody's to use.
#[must_use]
pub fn claim(file: &File) -> bool {
    // Elsewhere a lock would keep everybody from reading. Where there are no locks, nothing is
    // known.
    !cfg!(unix) || !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Removes a file, unless somebody has claimed it.
pub fn remove_unclaimed(path: &Path) -> io::Result<()> {
    // The lock is held until the file is gone, so that nobody begins to use it meanwhile.
    let file = File::open(path)?;
    let is_claimed = cfg!(unix) && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    if is_claimed { Ok(()) } else { std::fs::remove_file(path) }
}

/// Creates a link to a file.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    return std::os::windows::fs::symlink_file(target, link);
    #[cfg(not(any(unix, windows)))]
    return Err(io::ErrorKind::Unsupported.into());
}
