//! Reading files and standard input, never more than the limit.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, IsTerminal, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::refusal::Refusal;

/// What stops a file from being read most often, and the next step.
const KNOWN: [(ErrorKind, &str, &str); 2] = [
    (ErrorKind::NotFound, "there is no such file", "check the path; `-` reads standard input"),
    (ErrorKind::PermissionDenied, "permission denied", "check who may read the file"),
];

/// The input of a command, and how much of it may be read.
#[derive(clap::Args)]
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
    pub(crate) fn lines(&self) -> anyhow::Result<Lines<'_>> {
        let (source, _) = self.open()?;
        let source = BufReader::with_capacity(256 * 1024, source);
        Ok(Lines { args: self, source, number: 0, is_inside_line: false, len_last: 0 })
    }

    /// The file, unless standard input is meant.
    fn path(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// The source, and its size if that is known beforehand.
    pub(crate) fn open(&self) -> anyhow::Result<(Box<dyn Read>, Option<u64>)> {
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
            return Ok((Box::new(stdin.lock()), None));
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
pub(crate) struct Lines<'a> {
    args: &'a InputArgs,
    source: BufReader<Box<dyn Read>>,
    number: u64,
    /// Whether the rest of the last line, which was too long, is still to be skipped.
    is_inside_line: bool,
    /// How long the last line was, as a guess at the next one.
    len_last: usize,
}

/// One line of an input.
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Its text without the line end, or `None` if it is longer than the limit.
    pub(crate) text: Option<Bytes>,
}

impl Lines<'_> {
    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<Line>> {
        if self.is_inside_line {
            self.skip_line()?;
        }
        let mut text = Vec::with_capacity(self.len_last);
        // The line end may be two bytes, and is not counted.
        let limit = self.args.bytes_max.saturating_add(2);
        let read = self.source.by_ref().take(limit).read_until(b'\n', &mut text);
        let n_read = read.map_err(|error| self.args.unreadable(&error))?;
        if n_read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.len_last = n_read;
        self.is_inside_line = !text.ends_with(b"\n") && n_read as u64 == limit;
        for line_end in [b'\n', b'\r'] {
            if text.last() == Some(&line_end) {
                text.pop();
            }
        }
        let fits = !self.is_inside_line && text.len() as u64 <= self.args.bytes_max;
        Ok(Some(Line { number: self.number, text: fits.then(|| text.into()) }))
    }

    /// Whether the next line may have to be waited for.
    pub(crate) fn may_wait(&self) -> bool {
        self.is_inside_line || !self.source.buffer().contains(&b'\n')
    }

    /// Reads to the end of a line that is too long, without keeping it.
    fn skip_line(&mut self) -> anyhow::Result<()> {
        self.is_inside_line = false;
        loop {
            let buffer = self.source.fill_buf().map_err(|error| self.args.unreadable(&error))?;
            let line_end = buffer.iter().position(|&byte| byte == b'\n');
            let n_skipped = line_end.map_or(buffer.len(), |at| at + 1);
            let is_done = line_end.is_some() || buffer.is_empty();
            self.source.consume(n_skipped);
            if is_done {
                return Ok(());
            }
        }
    }
}
