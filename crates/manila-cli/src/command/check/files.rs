//! Which documents are meant: files, directories, patterns, standard input.

use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::walk::{Below, walk};
use crate::input::InputArgs;
use crate::refusal::Refusal;

/// How a file holds its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It is one.
    Whole,
    /// Each line is one.
    ByLine,
}

/// Where documents come from.
pub(super) struct Source {
    pub(super) input: InputArgs,
    /// Its name in reports; `-` is standard input.
    pub(super) label: String,
    pub(super) path: Option<PathBuf>,
    pub(super) reading: Reading,
}

/// What an argument led to.
pub(super) enum Found {
    Source(Source),
    /// Nothing to read, and why.
    Nothing {
        label: String,
        refusal: Refusal,
    },
}

/// All that the arguments led to.
#[derive(Default)]
pub(super) struct Files {
    pub(super) found: Vec<Found>,
    /// How many files in directories have names of another kind.
    pub(super) n_skipped: u64,
}

/// How the documents are to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) is_by_line: bool,
    pub(super) bytes_max: u64,
}

impl Files {
    /// What these arguments lead to.
    pub(super) fn find(arguments: &[PathBuf], how: How) -> Files {
        let mut files = Files::default();
        if arguments.is_empty() {
            files.found.push(Found::Source(Source::new(None, how)));
        }
        let mut is_stdin_given = false;
        for path in arguments {
            match std::fs::metadata(path) {
                _ if path == Path::new("-") => {
                    if std::mem::replace(&mut is_stdin_given, true) {
                        let message = "standard input is given twice, and can be read once";
                        files.add_nothing(path, Refusal::new(message, "name `-` once"));
                    } else {
                        files.add(path.clone(), how);
                    }
                }
                Ok(metadata) if metadata.is_dir() => files.add_below(path, how),
                Err(error) if error.kind() == ErrorKind::NotFound && is_pattern(path) => {
                    files.add_matching(path, how);
                }
                // Why it cannot be read is told when it is read.
                Ok(_) | Err(_) => files.add(path.clone(), how),
            }
        }
        files
    }

    /// How many bytes all of them have, if every one of them is a file.
    pub(super) fn n_bytes(&self) -> Option<u64> {
        let sources = self.found.iter().filter_map(|found| match found {
            Found::Source(source) => Some(source),
            Found::Nothing { .. } => None,
        });
        sources.map(Source::n_bytes).sum()
    }

    fn add(&mut self, path: PathBuf, how: How) {
        self.found.push(Found::Source(Source::new(Some(path), how)));
    }

    fn add_nothing(&mut self, path: &Path, refusal: Refusal) {
        self.found.push(Found::Nothing { label: path.display().to_string(), refusal });
    }

    /// A directory that cannot be listed.
    fn add_closed(&mut self, folder: &Path, error: &io::Error) {
        let refusal = InputArgs::new(Some(folder.to_owned()), 0).unreadable(error);
        self.add_nothing(folder, refusal);
    }

    /// The files of a directory whose names say that they are JSON.
    fn add_below(&mut self, folder: &Path, how: How) {
        let n_before = self.found.len();
        walk(folder, usize::MAX, |below| match below {
            Below::File(path) if is_json(&path) => self.add(path, how),
            Below::File(_) | Below::Other => self.n_skipped += 1,
            Below::Closed(path, error) => self.add_closed(&path, &error),
        });
        if self.found.len() == n_before {
            let message = format!("`{}` has no file to check", folder.display());
            let hint =
                "in a directory the files .json, .jsonl and .ndjson are checked; name others";
            self.add_nothing(folder, Refusal::new(message, hint));
        }
    }

    /// The files that a pattern matches, whatever they are called.
    fn add_matching(&mut self, pattern: &Path, how: How) {
        let n_before = self.found.len();
        // Without what says nothing, as in `a//b`: so are the paths that it is compared with.
        let pattern: &Path = &pattern.components().collect::<PathBuf>();
        let text = pattern.to_string_lossy();
        let compiled = match Pattern::new(&text) {
            Ok(compiled) => compiled,
            Err(error) => {
                let message = format!("`{text}` is no file, and no pattern: {}", error.msg);
                let hint = "`*` and `?` stand for names, `**` for directories, `[ab]` for letters";
                return self.add_nothing(pattern, Refusal::new(message, hint));
            }
        };
        let (folder, n_levels) = start_of(pattern);
        walk(&folder, n_levels, |below| match below {
            Below::File(path) if compiled.matches_path_with(&path, AS_SHELLS) => {
                self.add(path, how);
            }
            Below::Closed(path, error)
                if error.kind() != ErrorKind::NotFound && leads_through(pattern, &path) =>
            {
                self.add_closed(&path, &error);
            }
            // The rest of a directory was not meant, and where there is none, nothing matches.
            Below::File(_) | Below::Other | Below::Closed(..) => {}
        });
        if self.found.len() == n_before {
            let message = format!("no file matches `{text}`");
            let hint = "check the path and the pattern; `**` stands for any directories";
            self.add_nothing(pattern, Refusal::new(message, hint));
        }
    }
}

const AS_SHELLS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// The directory below which a pattern's files are, and how deep they can be in it.
fn start_of(pattern: &Path) -> (PathBuf, usize) {
    let is_plain = |part: &Component<'_>| !is_pattern(part.as_ref());
    let folder: PathBuf = pattern.components().take_while(is_plain).collect();
    let rest: Vec<Component<'_>> = pattern.components().skip_while(is_plain).collect();
    let is_deep = rest.iter().any(|part| part.as_os_str() == "**");
    (folder, if is_deep { usize::MAX } else { rest.len() })
}

/// Whether files that match a pattern can be below this folder.
fn leads_through(pattern: &Path, folder: &Path) -> bool {
    let n_any = pattern.components().position(|part| part.as_os_str() == "**");
    let n_parts = folder.components().count().min(n_any.map_or(usize::MAX, |n| n + 1));
    let start: PathBuf = pattern.components().take(n_parts).collect();
    Pattern::new(&start.to_string_lossy()).is_ok_and(|it| it.matches_path_with(folder, AS_SHELLS))
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|own| known.iter().any(|it| own.eq_ignore_ascii_case(it)))
}

fn is_json(path: &Path) -> bool {
    has_extension(path, &["json"]) || is_lines(path)
}

fn is_lines(path: &Path) -> bool {
    has_extension(path, &["jsonl", "ndjson"])
}

impl Source {
    /// This file; none is standard input.
    fn new(path: Option<PathBuf>, how: How) -> Source {
        let is_by_line = how.is_by_line || path.as_deref().is_some_and(is_lines);
        let reading = if is_by_line { Reading::ByLine } else { Reading::Whole };
        let input = InputArgs::new(path.clone(), how.bytes_max);
        let path = path.filter(|path| path != Path::new("-"));
        Source { label: input.label(), input, path, reading }
    }

    /// How many bytes it has, if it is a file.
    pub(super) fn n_bytes(&self) -> Option<u64> {
        let metadata = std::fs::metadata(self.path.as_ref()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

#[cfg(test)]
mod tests;
