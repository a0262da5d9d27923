//! A file that grows, and the one that follows it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use same_file::Handle;
use tokio::time::timeout;

use crate::refusal::Refusal;

/// How often is looked for more.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Does something again and again, until Ctrl-C.
pub(super) fn until_interrupted(
    mut look: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupted = Box::pin(tokio::signal::ctrl_c());
        loop {
            look()?;
            if timeout(LOOK_EVERY, &mut interrupted).await.is_ok() {
                return Ok(());
            }
        }
    })
}

/// Reads what is added to the file at a path, and to the one that the path leads to next.
pub(super) struct Follower {
    path: PathBuf,
    line_bytes_max: u64,
    open: Option<Open>,
}

/// The file that is read now.
struct Open {
    file: Handle,
    /// Where the first line begins that was not handed on. Half a line is read again with its
    /// other half: what writes it may cut it off again.
    n_done: u64,
    /// What comes after the last line end.
    half: Half,
}

/// What comes after the last line end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Nothing,
    Some,
    /// It is too long, and its end is waited for.
    TooLong,
}

impl Follower {
    pub(super) fn new(path: PathBuf, line_bytes_max: u64) -> Follower {
        Follower { path, line_bytes_max, open: None }
    }

    /// Hands on all lines that are there by now; `None` for one that is too long.
    pub(super) fn read(
        &mut self,
        mut each: impl FnMut(Option<&[u8]>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        loop {
            // Asked before the last look, so that nothing is missed that was written before.
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
            let before = self.open.replace(Open::new(next));
            if before.is_some_and(|before| before.half != Half::Nothing) {
                // Nobody will end that line any more.
                each(None)?;
            }
        }
    }
}

impl Open {
    fn new(file: Handle) -> Open {
        Open { file, n_done: 0, half: Half::Nothing }
    }

    fn read(
        &mut self,
        line_bytes_max: u64,
        each: &mut impl FnMut(Option<&[u8]>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.go_to_unread().map_err(|error| unreadable(&error))?;
        let mut piece = vec![0; 64 * 1024];
        let mut line = Vec::new();
        loop {
            let read = self.file.as_file_mut().read(&mut piece);
            let n_bytes = read.map_err(|error| unreadable(&error))?;
            for part in piece.get(..n_bytes).unwrap_or_default().split_inclusive(|it| *it == b'\n')
            {
                line.extend_from_slice(part);
                if part.ends_with(b"\n") {
                    let is_long = self.half == Half::TooLong || line.len() as u64 > line_bytes_max;
                    self.done(&mut line, Half::Nothing, |line| each((!is_long).then_some(line)))?;
                } else if self.half == Half::TooLong || line.len() as u64 > line_bytes_max {
                    self.done(&mut line, Half::TooLong, |_| Ok(()))?;
                }
            }
            // A file gives all that it has.
            if n_bytes < piece.len() {
                break;
            }
        }
        if self.half != Half::TooLong {
            self.half = if line.is_empty() { Half::Nothing } else { Half::Some };
        }
        Ok(())
    }

    /// Goes to the first line that was not handed on. Where more was cut off, that is the end.
    fn go_to_unread(&mut self) -> io::Result<()> {
        let file: &mut File = self.file.as_file_mut();
        self.n_done = self.n_done.min(file.metadata()?.len());
        file.seek(SeekFrom::Start(self.n_done)).map(drop)
    }

    fn done(
        &mut self,
        line: &mut Vec<u8>,
        half: Half,
        each: impl FnOnce(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.n_done += line.len() as u64;
        self.half = half;
        let told = each(line.strip_suffix(b"\n").unwrap_or(line));
        line.clear();
        told
    }
}

fn unreadable(error: &io::Error) -> Refusal {
    Refusal::new(format!("cannot read the journal: {error}"), "check the file and its disk")
}
