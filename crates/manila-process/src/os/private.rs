//! Files that only their owner can read, and locks for processes that share a folder of them.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Creates a folder and its missing parents.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a file for appending. Fails if a file or a link exists at this path.
pub fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Opens a file for writing from its start. Other users lose access to a file that exists.
pub fn overwrite_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // A device or a pipe keeps its mode.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(file)
}

/// Returns whether `path` refers to this open file.
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |it: std::fs::Metadata| (it.dev(), it.ino());
        let there = path.symlink_metadata().map(id);
        there.is_ok_and(|there| file.metadata().is_ok_and(|it| id(it) == there))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Marks a file as in use until it is closed, at the latest when the process ends.
///
/// Returns `false` if another process has locked the file, e.g. because it is about to remove it.
#[must_use]
pub fn claim(file: &File) -> bool {
    // On other systems, a lock would prevent others from reading. Without locks, a claim always
    // succeeds.
    !cfg!(unix) || !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Removes a file, unless a process has claimed it.
pub fn remove_unclaimed(path: &Path) -> io::Result<()> {
    // The lock is held until the file is removed, so that no process claims it meanwhile.
    let file = File::open(path)?;
    let is_claimed = cfg!(unix) && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    if is_claimed { Ok(()) } else { std::fs::remove_file(path) }
}

/// Creates a symbolic link to a file.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    return std::os::windows::fs::symlink_file(target, link);
    #[cfg(not(any(unix, windows)))]
    return Err(io::ErrorKind::Unsupported.into());
}
