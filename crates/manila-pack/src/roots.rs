//! The folders in which programs may work.

use std::path::{Component, Path, PathBuf};

/// The folders in which programs may work. Paths outside of them are refused.
#[derive(Debug, Clone)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

impl Roots {
    /// Creates the list of allowed folders, which must exist.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> std::io::Result<Roots> {
        let folders = folders.into_iter().map(|folder| folder.canonicalize());
        Ok(Roots { folders: folders.collect::<std::io::Result<_>>()? })
    }

    /// Returns the default working directory.
    pub(super) fn first(&self) -> PathBuf {
        self.folders.first().cloned().unwrap_or_default()
    }

    /// Resolves links and `..`, and returns the path if it lies in one of the folders.
    ///
    /// A path that does not exist yet is allowed if its nearest existing folder is.
    pub(super) fn resolve(&self, folder: &Path, given: &str) -> Option<PathBuf> {
        let path = folder.join(given);
        let real = resolve_links(&path)?;
        // Many programs resolve `..` in the text of a path, without regard to links. A path on
        // which the two methods disagree is refused.
        if resolve_links(&without_parents(&path)?)? != real {
            return None;
        }
        self.folders.iter().any(|root| real.starts_with(root)).then_some(real)
    }
}

impl Roots {
    /// Resolves a path that is relative to the folder of a file, and returns it if it is allowed.
    ///
    /// If the file is a link, programs disagree about its folder, so both must give the same path.
    pub(super) fn resolve_in_folder_of(
        &self,
        folder: &Path,
        file: &str,
        given: &str,
    ) -> Option<PathBuf> {
        let found = self.resolve(&self.folder_of(folder, file)?, given)?;
        let named = folder_itself(&folder.join(file))?;
        (self.resolve(&named, given)? == found).then_some(found)
    }

    /// Returns the real folder of a file.
    pub(super) fn folder_of(&self, folder: &Path, file: &str) -> Option<PathBuf> {
        folder_itself(&self.resolve(folder, file)?)
    }
}

/// Returns the folder of a file, or the folder itself: many programs accept the folder of a project
/// instead of its file.
fn folder_itself(path: &Path) -> Option<PathBuf> {
    if path.is_dir() { Some(path.to_path_buf()) } else { path.parent().map(Path::to_path_buf) }
}

/// Returns the path to pass to a program, which is relative to `base`: the path as given if it is
/// real, else the real one. A link in it could change after the check.
///
/// Returns `None` if the real path is not text.
pub(super) fn without_links(base: &Path, given: &str, real: &Path) -> Option<String> {
    if without_parents(&base.join(given)).is_some_and(|plain| plain == real) {
        return Some(given.to_owned());
    }
    // A program could read a relative path as an option or as a file with arguments.
    let inside = real.strip_prefix(base).ok().and_then(Path::to_str);
    let is_safe = |path: &&str| !path.is_empty() && !path.starts_with(['-', '@']);
    inside.filter(is_safe).or_else(|| real.to_str()).map(str::to_owned)
}

/// Resolves the links in a path, of which the last parts need not exist.
fn resolve_links(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let (above, rest) = nearest_existing(path)?;
    Some(above.join(rest))
}

/// Removes each `..` together with the name before it.
fn without_parents(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    Some(plain)
}

/// Returns the nearest existing folder above a path, and the rest of the path below it.
fn nearest_existing(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut rest = PathBuf::new();
    let mut above = path;
    loop {
        let name = above.file_name()?;
        rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(rest) };
        // The target of a dangling link could be created later, outside of the allowed folders.
        if above.symlink_metadata().is_ok() {
            return None;
        }
        above = above.parent()?;
        if let Ok(real) = above.canonicalize() {
            return Some((real, rest));
        }
    }
}
