//! `[journal]`: the journal's folder, file size and number of files.

use std::path::PathBuf;

use manila_files::{ConfigError, Key, Kind, key, values};
use serde::Deserialize;
use toml::Spanned;

use super::value::set;

/// The keys of `[journal]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "journal.folder",
        Kind::String,
        "folder for the journal; default `runs` below `MANILA_HOME`",
    ),
    key(
        "journal.file_bytes_max",
        Kind::Size,
        "maximum size of one journal file; default `\"64MiB\"`",
    ),
    key(
        "journal.files_max",
        Kind::Count,
        "how many journal files to keep; default 5. 0 disables the journal",
    ),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct JournalTable {
    folder: Option<String>,
    file_bytes_max: Option<Spanned<String>>,
    files_max: Option<usize>,
}

/// The journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Journal {
    /// The folder, if it is not the default one.
    pub folder: Option<PathBuf>,
    /// The maximum size of a file.
    pub file_bytes_max: usize,
    /// The number of files to keep; 0 disables the journal.
    pub files_max: usize,
}

impl Default for Journal {
    fn default() -> Journal {
        Journal { folder: None, file_bytes_max: 64 * 1024 * 1024, files_max: 5 }
    }
}

/// Reads the table.
pub(super) fn read(text: &str, table: &JournalTable) -> Result<Journal, ConfigError> {
    let JournalTable { folder, file_bytes_max, files_max } = table;
    let folder = folder.as_ref().map(PathBuf::from);
    let mut journal = Journal { folder, ..Journal::default() };
    set(text, file_bytes_max.as_ref(), &mut journal.file_bytes_max, values::bytes)?;
    journal.files_max = files_max.unwrap_or(journal.files_max);
    Ok(journal)
}
