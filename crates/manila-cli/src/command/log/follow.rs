//! Follows a growing file across rotation.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use same_file::Handle;
use tokio::time::timeout;

use crate::refusal::Refusal;

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Calls a function repeatedly until Ctrl-C.
pub(super) fn follow_until_interrupted(
    mut poll: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupted = Box::pin(tokio::signal::ctrl_c());
        loop {
            poll()?;
            if timeout(POLL_INTERVAL, &mut interrupted).await.is_ok() {
                return Ok(());
            }
        }
    })
}

/// Reads what is appended to the file at a path, and to the file that replaces it.
pub(super) struct Follower {
    path: PathBuf,
    line_bytes_max: u64,
    open: Option<OpenFile>,
}

/// The current file.
struct OpenFile {
    file: Handle,
    /// Offset of the first line that was not returned. A partial line is read again when it is
    /// complete, because the writer may truncate it.
    n_done: u64,
    /// State of the text after the last line end.
    partial: PartialLine,
}

/// State of the text after the last line end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartialLine {
    Nothing,
    Some,
    /// The line is too long; its rest is skipped.
    TooLong,
}

impl Follower {
    pub(super) fn new(path: PathBuf, line_bytes_max: u64) -> Follower {
        Follower { path, line_bytes_max, open: None }
    }

    /// Passes all complete lines to `each`; `None` is a line that is too long.
    pub(super) fn read(
        &mut self,
        mut each: impl FnMut(Option<&[u8]>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        loop {
            // Opened before the last read of the old file, so that no line of that file is missed.
            let next = Handle::from_path(&self.path).ok();
            if let Some(open) = &mut self.open {
                open.read(self.line_bytes_max, &mut each)?;
            }
            let is_same = match (&self.open, &next) {
                (Some(open), Some(next)) => open.file == *next,
                (_, None) => true,
                (None, Some(_)) => false,
            };
            let Some(next) = next.filter(|_| !is_same) else { return Ok(()) };
            let before = self.open.replace(OpenFile::new(next));
            if before.is_some_and(|before| before.partial != PartialLine::Nothing) {
                // The writer has moved on and will not complete that line.
                each(None)?;
            }
        }
    }
}

impl OpenFile {
    fn new(file: Handle) -> OpenFile {
        OpenFile { file, n_done: 0, partial: PartialLine::Nothing }
    }

    /// Reads to the end of the file, and passes all complete lines to `each`.
    fn read(
        &mut self,
        line_bytes_max: u64,
        each: &mut impl FnMut(Option<&[u8]>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.seek_unread().map_err(|error| unreadable(&error))?;
        let mut piece = vec![0; 64 * 1024];
        let mut line = Vec::new();
        loop {
            let read = self.file.as_file_mut().read(&mut piece);
            let n_bytes = read.map_err(|error| unreadable(&error))?;
            for part in piece.get(..n_bytes).unwrap_or_default().split_inclusive(|it| *it == b'\n')
            {
                line.extend_from_slice(part);
                let is_long =
                    self.partial == PartialLine::TooLong || line.len() as u64 > line_bytes_max;
                if part.ends_with(b"\n") {
                    self.finish_line(&mut line, PartialLine::Nothing, |line| {
                        each((!is_long).then_some(line))
                    })?;
                } else if is_long {
                    self.finish_line(&mut line, PartialLine::TooLong, |_| Ok(()))?;
                }
            }
            // A short read means the end of the file.
            if n_bytes < piece.len() {
                break;
            }
        }
        if self.partial != PartialLine::TooLong {
            self.partial = if line.is_empty() { PartialLine::Nothing } else { PartialLine::Some };
        }
        Ok(())
    }

    /// Seeks to the first unread line, or to the end if the file was truncated before it.
    fn seek_unread(&mut self) -> io::Result<()> {
        let file: &mut File = self.file.as_file_mut();
        self.n_done = self.n_done.min(file.metadata()?.len());
        file.seek(SeekFrom::Start(self.n_done)).map(drop)
    }

    /// Advances past a line, or the part of one that was read, and passes it to `each`.
    fn finish_line(
        &mut self,
        line: &mut Vec<u8>,
        partial: PartialLine,
        each: impl FnOnce(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.n_done += line.len() as u64;
        self.partial = partial;
        let result = each(line.strip_suffix(b"\n").unwrap_or(line));
        line.clear();
        result
    }
}

fn unreadable(error: &io::Error) -> Refusal {
    Refusal::new(format!("cannot read the journal: {error}"), "check the file and the disk")
}
