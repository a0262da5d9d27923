//! Reading files and standard input, never more than the limit.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use same_file::Handle;

use crate::blocks::{Blocks, Line, LinesOfBlock};
use crate::refusal::Refusal;

/// What stops a file from being read most often, and the next step.
const KNOWN: [(ErrorKind, &str, &str); 2] = [
    (ErrorKind::NotFound, "there is no such file", "check the path; `-` reads standard input"),
    (ErrorKind::PermissionDenied, "permission denied", "check who may read the file"),
];

/// The input of a command, and how much of it may be read.
#[derive(Clone, clap::Args)]
pub(crate) struct InputArgs {
    /// The file to read; `-` is standard input, and so is no file at all
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The largest input that is read, in bytes; with --lines, the longest line
    #[arg(long, value_name = "N", default_value_t = 256 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64 * 1024 * 1024 * 1024))]
    bytes_max: u64,
}

impl InputArgs {
    /// An input that was not named on its own.
    pub(crate) fn new(file: Option<PathBuf>, bytes_max: u64) -> InputArgs {
        InputArgs { file, bytes_max }
    }

    /// The input's name, for lists.
    pub(crate) fn label(&self) -> String {
        self.path().map_or_else(|| "-".to_owned(), |path| path.display().to_string())
    }

    /// The input's name, for messages.
    pub(crate) fn name(&self) -> String {
        match self.path() {
            None => "standard input".to_owned(),
            Some(path) => format!("`{}`", path.display()),
        }
    }

    /// The largest input, or line, that is read.
    pub(crate) fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    /// All of the input.
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

    /// The input line by line.
    pub(crate) fn lines(&self) -> anyhow::Result<Lines> {
        let (blocks, _) = self.blocks()?;
        Ok(Lines { blocks, block: LinesOfBlock::none() })
    }

    /// The input in blocks of whole lines, and its size if that is known beforehand.
    pub(crate) fn blocks(&self) -> anyhow::Result<(Blocks, Option<u64>)> {
        let (source, size) = self.open()?;
        Ok((Blocks::new(self.clone(), source, size), size))
    }

    /// Whether this file is the input, by whatever path, or through standard input.
    pub(crate) fn is_file(&self, other: &Path) -> bool {
        // A pipe is read once, and to open it here would be that once.
        let is_file = |path: &Path| path.metadata().is_ok_and(|it| it.is_file());
        if !is_file(other) || !self.path().is_none_or(is_file) {
            return false;
        }
        let own = self.path().map_or_else(Handle::stdin, Handle::from_path);
        matches!((own, Handle::from_path(other)), (Ok(own), Ok(other)) if own == other)
    }

    /// The file, unless standard input is meant.
    fn path(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// The source, and its size if that is known beforehand.
    pub(crate) fn open(&self) -> anyhow::Result<(Box<dyn Read + Send>, Option<u64>)> {
        let Some(path) = self.path() else {
            let stdin = io::stdin();
            // Who names `-` wants to type.
            if self.file.is_none() && stdin.is_terminal() {
                return Err(Refusal::new(
                    "no FILE is given, and nothing is piped in",
                    "give a FILE, pipe the input, or name `-` to type it",
                )
                .into());
            }
            return Ok((Box::new(stdin), None));
        };
        let file = File::open(path).map_err(|error| self.unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| self.unreadable(&error))?;
        if metadata.is_dir() {
            let message = format!("cannot read {}: it is a directory", self.name());
            return Err(Refusal::new(message, "give a file; a directory has many").into());
        }
        let size = metadata.is_file().then_some(metadata.len());
        Ok((Box::new(file), size))
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> Refusal {
        let known = KNOWN.iter().find(|(kind, ..)| *kind == error.kind());
        let (reason, hint) = known.map_or_else(
            || (error.to_string(), "check the file, or copy it and try the copy"),
            |(_, reason, hint)| ((*reason).to_owned(), *hint),
        );
        Refusal::new(format!("cannot read {}: {reason}", self.name()), hint)
    }

    pub(crate) fn too_large(&self) -> Refusal {
        let (name, limit) = (self.name(), self.bytes_max);
        let message = format!("{name} has more than {limit} bytes, the largest input that is read");
        Refusal::new(message, "raise the limit with `--bytes-max`, or split the input")
    }
}

/// An input of one value on each line.
pub(crate) struct Lines {
    blocks: Blocks,
    block: LinesOfBlock,
}

impl Lines {
    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<Line>> {
        loop {
            if let Some(line) = self.block.next() {
                return Ok(Some(line));
            }
            let Some(block) = self.blocks.next() else { return Ok(None) };
            self.block = block?.into_iter();
        }
    }

    /// Whether the next line may have to be waited for.
    pub(crate) fn may_wait(&self) -> bool {
        self.block.is_done()
    }
}
