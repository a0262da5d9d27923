//! `[journal]`: where the journal is written, and how much of it is kept.

use std::path::PathBuf;

use manila_files::{ConfigError, Key, Kind, key, values};
use serde::Deserialize;
use toml::Spanned;

use super::value::set;

/// The keys of `[journal]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "journal.folder",
        Kind::Text,
        "where the journal is written; `runs` below `MANILA_HOME` by default",
    ),
    key("journal.file_bytes_max", Kind::Size, "how large a file of the journal may become"),
    key("journal.files_max", Kind::Count, "how many files of it are kept; 0 keeps no journal"),
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
    /// How large a file may become.
    pub file_bytes_max: usize,
    /// How many files are kept; 0 keeps no journal.
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
