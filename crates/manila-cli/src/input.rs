//! Reads files and stdin, up to a limit.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use same_file::Handle;

use crate::blocks::{BlockLines, Blocks, Line};
use crate::refusal::Refusal;

/// The most frequent errors, each with its reason and hint.
const KNOWN_ERRORS: [(ErrorKind, &str, &str); 2] = [
    (ErrorKind::NotFound, "there is no such file", "check the path; `-` reads stdin"),
    (ErrorKind::PermissionDenied, "permission denied", "check the file's permissions"),
];

/// The input of a command, and its size limit.
#[derive(Clone, clap::Args)]
pub(crate) struct InputArgs {
    /// File to read; `-` or none is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Largest input, or with --lines the longest line, in bytes
    #[arg(long, value_name = "N", default_value_t = 256 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64 * 1024 * 1024 * 1024))]
    bytes_max: u64,
}

impl InputArgs {
    /// Creates an input for a command that does not flatten these arguments.
    pub(crate) fn new(file: Option<PathBuf>, bytes_max: u64) -> InputArgs {
        InputArgs { file, bytes_max }
    }

    /// Returns the input's name for lists.
    pub(crate) fn label(&self) -> String {
        self.path().map_or_else(|| "-".to_owned(), |path| path.display().to_string())
    }

    /// Returns the input's name for messages.
    pub(crate) fn name(&self) -> String {
        match self.path() {
            None => "stdin".to_owned(),
            Some(path) => format!("`{}`", path.display()),
        }
    }

    /// Returns the limit of the input, or of each line.
    pub(crate) fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    /// Reads the whole input.
    pub(crate) fn read(&self) -> anyhow::Result<Bytes> {
        let mut bytes = Vec::new();
        let (source, size) = self.open()?;
        if size.is_some_and(|size| size > self.bytes_max) {
            return Err(self.too_large().into());
        }
        bytes.reserve_exact(usize::try_from(size.unwrap_or(0)).unwrap_or(0).saturating_add(1));
        let read = source.take(self.bytes_max.saturating_add(1)).read_to_end(&mut bytes);
        let n_read = read.map_err(|error| self.unreadable(&error))?;
        if n_read as u64 > self.bytes_max {
            return Err(self.too_large().into());
        }
        Ok(bytes.into())
    }

    /// Opens the input to read it line by line.
    pub(crate) fn lines(&self) -> anyhow::Result<Lines> {
        let (blocks, _) = self.blocks()?;
        Ok(Lines { blocks, block: BlockLines::empty() })
    }

    /// Opens the input to read it in blocks of whole lines. Also returns its size, if known.
    pub(crate) fn blocks(&self) -> anyhow::Result<(Blocks, Option<u64>)> {
        let (source, size) = self.open()?;
        Ok((Blocks::new(self.clone(), source, size), size))
    }

    /// Returns whether this file is the input, under any path or as stdin.
    pub(crate) fn is_file(&self, other: &Path) -> bool {
        // A pipe can be opened only once, so it must not be opened here.
        let is_file = |path: &Path| path.metadata().is_ok_and(|it| it.is_file());
        if !is_file(other) || !self.path().is_none_or(is_file) {
            return false;
        }
        let input = self.path().map_or_else(Handle::stdin, Handle::from_path);
        matches!((input, Handle::from_path(other)), (Ok(input), Ok(other)) if input == other)
    }

    /// Returns the file, or `None` for stdin.
    fn path(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Opens the input. Also returns its size, if known.
    pub(crate) fn open(&self) -> anyhow::Result<(Box<dyn Read + Send>, Option<u64>)> {
        let Some(path) = self.path() else {
            let stdin = io::stdin();
            // With `-`, the user wants to type the input.
            if self.file.is_none() && stdin.is_terminal() {
                return Err(Refusal::new(
                    "no FILE given, and stdin is a terminal",
                    "pass a FILE, pipe the input, or pass `-` to type it",
                )
                .into());
            }
            return Ok((Box::new(stdin), None));
        };
        let file = File::open(path).map_err(|error| self.unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| self.unreadable(&error))?;
        if metadata.is_dir() {
            let message = format!("cannot read {}: it is a directory", self.name());
            return Err(Refusal::new(message, "pass one of its files").into());
        }
        let size = metadata.is_file().then_some(metadata.len());
        Ok((Box::new(file), size))
    }

    /// Returns the refusal for an input that cannot be read.
    pub(crate) fn unreadable(&self, error: &io::Error) -> Refusal {
        let known = KNOWN_ERRORS.iter().find(|(kind, ..)| *kind == error.kind());
        let (reason, hint) = known.map_or_else(
            || (error.to_string(), "check the file, or try a copy of it"),
            |(_, reason, hint)| ((*reason).to_owned(), *hint),
        );
        Refusal::new(format!("cannot read {}: {reason}", self.name()), hint)
    }

    /// Returns the refusal for an input over the limit.
    pub(crate) fn too_large(&self) -> Refusal {
        let (name, limit) = (self.name(), self.bytes_max);
        let message = format!("{name} exceeds the limit of {limit} bytes");
        Refusal::new(message, "raise the limit with `--bytes-max`")
    }
}

/// The lines of an input.
pub(crate) struct Lines {
    blocks: Blocks,
    block: BlockLines,
}

impl Lines {
    /// Returns the next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<Line>> {
        loop {
            if let Some(line) = self.block.next() {
                return Ok(Some(line));
            }
            let Some(block) = self.blocks.next() else { return Ok(None) };
            self.block = block?.into_iter();
        }
    }

    /// Returns whether the next line may block.
    pub(crate) fn may_wait(&self) -> bool {
        self.block.is_done()
    }
}
