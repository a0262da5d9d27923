//! Finds the documents to check: files, directories, patterns and stdin.

use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::walk::{WalkEntry, walk};
use crate::input::InputArgs;
use crate::refusal::Refusal;

/// How a file holds its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The file is one document.
    Whole,
    /// Each line is a document.
    ByLine,
}

/// A file or stdin to read documents from.
pub(super) struct Source {
    pub(super) input: InputArgs,
    /// Name in reports; `-` is stdin.
    pub(super) label: String,
    pub(super) path: Option<PathBuf>,
    pub(super) reading: Reading,
}

/// What an argument resolves to.
pub(super) enum Target {
    Source(Source),
    /// Nothing to read, with the reason.
    Nothing {
        label: String,
        refusal: Refusal,
    },
}

/// Everything that the arguments resolve to.
#[derive(Default)]
pub(super) struct Files {
    pub(super) found: Vec<Target>,
    /// Number of files in directories that are skipped because of their extension.
    pub(super) n_skipped: u64,
}

/// How to read the documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadOptions {
    pub(super) is_by_line: bool,
    pub(super) bytes_max: u64,
}

impl Files {
    /// Resolves the arguments.
    pub(super) fn find(arguments: &[PathBuf], options: ReadOptions) -> Files {
        let mut files = Files::default();
        if arguments.is_empty() {
            files.found.push(Target::Source(Source::new(None, options)));
        }
        let mut is_stdin_given = false;
        for path in arguments {
            match std::fs::metadata(path) {
                _ if path == Path::new("-") => {
                    if std::mem::replace(&mut is_stdin_given, true) {
                        let message = "stdin is given twice, but can be read only once";
                        files.add_refusal(path, Refusal::new(message, "pass `-` once"));
                    } else {
                        files.add(path.clone(), options);
                    }
                }
                Ok(metadata) if metadata.is_dir() => files.add_below(path, options),
                Err(error) if error.kind() == ErrorKind::NotFound && is_pattern(path) => {
                    files.add_matching(path, options);
                }
                // Errors are reported when the file is read.
                Ok(_) | Err(_) => files.add(path.clone(), options),
            }
        }
        files
    }

    /// Returns the total size, if every source is a file.
    pub(super) fn n_bytes(&self) -> Option<u64> {
        let sources = self.found.iter().filter_map(|found| match found {
            Target::Source(source) => Some(source),
            Target::Nothing { .. } => None,
        });
        sources.map(Source::n_bytes).sum()
    }

    fn add(&mut self, path: PathBuf, options: ReadOptions) {
        self.found.push(Target::Source(Source::new(Some(path), options)));
    }

    fn add_refusal(&mut self, path: &Path, refusal: Refusal) {
        self.found.push(Target::Nothing { label: path.display().to_string(), refusal });
    }

    /// Adds a folder that cannot be listed.
    fn add_unreadable(&mut self, folder: &Path, error: &io::Error) {
        let refusal = InputArgs::new(Some(folder.to_owned()), 0).unreadable(error);
        self.add_refusal(folder, refusal);
    }

    /// Adds the files of a folder that have a JSON extension.
    fn add_below(&mut self, folder: &Path, options: ReadOptions) {
        let n_before = self.found.len();
        walk(folder, usize::MAX, |below| match below {
            WalkEntry::File(path) if is_json(&path) => self.add(path, options),
            WalkEntry::File(_) | WalkEntry::Other => self.n_skipped += 1,
            WalkEntry::Unreadable(path, error) => self.add_unreadable(&path, &error),
        });
        if self.found.len() == n_before {
            let message = format!("`{}` contains no files to check", folder.display());
            let hint = "in directories, only .json, .jsonl and .ndjson files are checked; pass \
                        other files by name";
            self.add_refusal(folder, Refusal::new(message, hint));
        }
    }

    /// Adds the files that a pattern matches, with any extension.
    fn add_matching(&mut self, pattern: &Path, options: ReadOptions) {
        let n_before = self.found.len();
        // Normalizes patterns such as `a//b`, because `walk` returns normalized paths.
        let pattern: &Path = &pattern.components().collect::<PathBuf>();
        let text = pattern.to_string_lossy();
        let compiled = match Pattern::new(&text) {
            Ok(compiled) => compiled,
            Err(error) => {
                let message =
                    format!("`{text}` is neither a file nor a valid pattern: {}", error.msg);
                let hint =
                    "`*` and `?` match within a name, `**` matches folders, `[ab]` one character";
                return self.add_refusal(pattern, Refusal::new(message, hint));
            }
        };
        let (folder, n_levels) = start_of(pattern);
        walk(&folder, n_levels, |below| match below {
            WalkEntry::File(path) if compiled.matches_path_with(&path, SHELL_MATCHING) => {
                self.add(path, options);
            }
            WalkEntry::Unreadable(path, error)
                if error.kind() != ErrorKind::NotFound && may_match_below(pattern, &path) =>
            {
                self.add_unreadable(&path, &error);
            }
            // Other entries cannot match, and a missing folder has no matches.
            WalkEntry::File(_) | WalkEntry::Other | WalkEntry::Unreadable(..) => {}
        });
        if self.found.len() == n_before {
            let message = format!("no file matches `{text}`");
            let hint = "check the path and the pattern; `**` matches any directories";
            self.add_refusal(pattern, Refusal::new(message, hint));
        }
    }
}

const SHELL_MATCHING: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// Returns the folder that contains all matches of a pattern, and the maximum depth of a match
/// in it.
fn start_of(pattern: &Path) -> (PathBuf, usize) {
    let is_plain = |part: &Component<'_>| !is_pattern(part.as_ref());
    let folder: PathBuf = pattern.components().take_while(is_plain).collect();
    let rest: Vec<Component<'_>> = pattern.components().skip_while(is_plain).collect();
    let is_deep = rest.iter().any(|part| part.as_os_str() == "**");
    (folder, if is_deep { usize::MAX } else { rest.len() })
}

/// Returns whether files below this folder can match the pattern.
fn may_match_below(pattern: &Path, folder: &Path) -> bool {
    let n_any = pattern.components().position(|part| part.as_os_str() == "**");
    let n_parts = folder.components().count().min(n_any.map_or(usize::MAX, |n| n + 1));
    let start: PathBuf = pattern.components().take(n_parts).collect();
    Pattern::new(&start.to_string_lossy())
        .is_ok_and(|it| it.matches_path_with(folder, SHELL_MATCHING))
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| known.iter().any(|it| extension.eq_ignore_ascii_case(it)))
}

fn is_json(path: &Path) -> bool {
    has_extension(path, &["json"]) || is_lines(path)
}

fn is_lines(path: &Path) -> bool {
    has_extension(path, &["jsonl", "ndjson"])
}

impl Source {
    /// Creates the source for a file; `None` is stdin.
    fn new(path: Option<PathBuf>, options: ReadOptions) -> Source {
        let is_by_line = options.is_by_line || path.as_deref().is_some_and(is_lines);
        let reading = if is_by_line { Reading::ByLine } else { Reading::Whole };
        let input = InputArgs::new(path.clone(), options.bytes_max);
        let path = path.filter(|path| path != Path::new("-"));
        Source { label: input.label(), input, path, reading }
    }

    /// Returns the size, if the source is a file.
    pub(super) fn n_bytes(&self) -> Option<u64> {
        let metadata = std::fs::metadata(self.path.as_ref()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

#[cfg(test)]
mod tests;
