//! Where programs may work.

use std::path::{Component, Path, PathBuf};

/// Where programs may work: paths outside of these folders are refused.
#[derive(Debug, Clone)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

impl Roots {
    /// These folders, which must exist.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> std::io::Result<Roots> {
        let folders = folders.into_iter().map(|folder| folder.canonicalize());
        Ok(Roots { folders: folders.collect::<std::io::Result<_>>()? })
    }

    /// The folder in which programs run if nobody says otherwise.
    pub(super) fn first(&self) -> PathBuf {
        self.folders.first().cloned().unwrap_or_default()
    }

    /// The path behind links and `..`, if it lies in one of the folders. What does not exist yet
    /// may be made where its folder lies.
    pub(super) fn inside(&self, folder: &Path, given: &str) -> Option<PathBuf> {
        let whole = folder.join(given);
        let real = behind_links(&whole)?;
        // Many programs take `..` for the folder before it in the text, wherever that leads as a
        // link.
        if behind_links(&without_parents(&whole)?)? != real {
            return None;
        }
        self.folders.iter().any(|root| real.starts_with(root)).then_some(real)
    }
}

impl Roots {
    /// The same for a path that a program looks for in the folder of a file. Where the file is a
    /// link, that is one folder for some programs, and another one for others.
    pub(super) fn inside_folder_of(
        &self,
        folder: &Path,
        file: &str,
        given: &str,
    ) -> Option<PathBuf> {
        let (real, named) = (self.inside(folder, file)?, folder.join(file));
        // Many programs take the folder of a project for the project.
        let base = |path: &Path| {
            if path.is_dir() {
                Some(path.to_path_buf())
            } else {
                path.parent().map(Path::to_path_buf)
            }
        };
        let found = self.inside(&base(&real)?, given)?;
        (self.inside(&base(&named)?, given)? == found).then_some(found)
    }
}

/// Where a path leads.
fn behind_links(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let (above, rest) = existing_above(path)?;
    Some(above.join(rest))
}

/// A path whose `..` are taken away with the names before them.
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

/// The nearest folder above a path that exists, and the plain names below it.
fn existing_above(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut rest = PathBuf::new();
    let mut above = path;
    loop {
        let name = above.file_name()?;
        rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(rest) };
        // A link that leads nowhere leads wherever somebody makes something.
        if above.symlink_metadata().is_ok() {
            return None;
        }
        above = above.parent()?;
        if let Ok(real) = above.canonicalize() {
            return Some((real, rest));
        }
    }
}
