//! The journal: one line of JSON for each request, in files of limited size and number (Q6).
//!
//! A separate thread writes, so no request ever waits for the disk. Lines that cannot be written
//! are counted. As soon as writing works again, a line in the file reports how many are missing.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;
use std::{io, thread};

use bytes::Bytes;

use crate::rt::clock;
use crate::rt::queue::{Receiver, Sender, Weigh, queue};

mod files;
mod writer;

use files::Files;
use writer::Writer;

/// The maximum size of the lines that wait to be written.
const QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// How long lines are collected after the first one. Waking the thread is the main cost of adding
/// a line; while the thread collects lines, it need not be woken.
const COLLECT_TIME: Duration = Duration::from_millis(2);

/// The minimum time between a failure and the next attempt.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The reason that is reported if the thread cannot keep up.
const BEHIND: &str = "lines arrive faster than they can be written";

/// The folder and the limits of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalSettings {
    /// The root of the runs. The files are in its folder `mcp_server`.
    pub folder: PathBuf,
    /// The maximum size of a file. A line that would exceed it starts a new file.
    pub file_bytes_max: u64,
    /// The number of files to keep. Files that another process writes are never removed.
    pub files_max: usize,
}

impl JournalSettings {
    /// Creates the settings of a journal below this folder, with the default limits.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> JournalSettings {
        JournalSettings { folder: folder.into(), file_bytes_max: 64 * 1024 * 1024, files_max: 5 }
    }
}

/// Returns the path of the link to the newest file (Q6), below a root of runs.
#[must_use]
pub fn latest(folder: &Path) -> PathBuf {
    folder.join(files::FOLDER).join(files::LATEST)
}

/// Lists all files of a journal below a root of runs, the oldest first. Several processes may write
/// at the same time.
pub fn list_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = folder.join(files::FOLDER);
    let names = files::journal_names(&folder)?;
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// The reason why a journal cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A limit is zero.
    #[error("`{0}` of the journal must be at least 1, but is 0")]
    ZeroLimit(&'static str),
    /// A file cannot be created.
    #[error("cannot write the journal in `{}`: {reason}", folder.display())]
    Folder {
        /// The root of the runs.
        folder: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
    /// The thread cannot be started.
    #[error("cannot start the thread that writes the journal: {0}")]
    Thread(io::Error),
}

/// An event of a journal, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalEvent {
    /// Lines are being lost from now on. Reported once, until writing works again.
    Problem {
        /// Why lines are lost.
        reason: String,
    },
    /// Writing works again.
    Recovered {
        /// The number of lost lines, which the journal itself also reports.
        n_lost: u64,
    },
    /// The link to the newest file cannot be set. Lines are still written. Reported once.
    LinkFailed {
        /// Why the link cannot be set.
        reason: String,
    },
}

/// The callback for a journal's events. It is called on the journal's thread.
pub type JournalEvents = Arc<dyn Fn(JournalEvent) + Send + Sync>;

/// The state of a journal that is losing lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Why lines are lost.
    pub reason: String,
    /// The number of lost lines that the journal has not reported yet.
    pub n_lost: u64,
}

/// How closing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// Everything was written, or counted as lost.
    Done,
    /// The timeout passed. The rest is written if the process lives long enough.
    TimedOut,
}

/// A handle to a journal, which accepts lines.
pub struct Journal {
    waiting: Sender<Item>,
    shared: Arc<Shared>,
    /// A channel without messages, which closes when the thread ends.
    done: Mutex<mpsc::Receiver<Infallible>>,
}

enum Item {
    Line(Bytes),
    Close,
}

impl Weigh for Item {
    fn n_bytes(&self) -> usize {
        match self {
            Item::Line(line) => line.len(),
            Item::Close => 0,
        }
    }
}

/// The state that the handle and the thread share.
#[derive(Default)]
struct Shared {
    /// The number of lost lines that the journal has not reported yet.
    n_lost: AtomicU64,
    /// Why lines are lost, while they are.
    reason: Mutex<Option<String>>,
}

impl Shared {
    fn lose(&self, n_lines: u64) {
        self.n_lost.fetch_add(n_lines, Ordering::Relaxed);
    }

    fn n_lost(&self) -> u64 {
        self.n_lost.load(Ordering::Relaxed)
    }

    fn reason(&self) -> MutexGuard<'_, Option<String>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal {
    /// Opens a journal. Fails at once if the folder is not writable. The first line creates the
    /// file, so a program that only starts and stops leaves no file.
    pub fn open(settings: JournalSettings, events: JournalEvents) -> Result<Journal, OpenError> {
        let JournalSettings { folder, file_bytes_max, files_max } = settings;
        let limits = [("file_bytes_max", file_bytes_max), ("files_max", files_max as u64)];
        if let Some((name, _)) = limits.into_iter().find(|(_, limit)| *limit == 0) {
            return Err(OpenError::ZeroLimit(name));
        }
        let files = Files::new(folder.join(files::FOLDER), files_max);
        files.probe().map_err(|reason| OpenError::Folder { folder, reason })?;
        let shared = Arc::<Shared>::default();
        let writer = Writer::new(files, file_bytes_max, Arc::clone(&shared), events, RETRY_AFTER);
        Journal::start(writer, shared).map_err(OpenError::Thread)
    }

    fn start(mut writer: Writer, shared: Arc<Shared>) -> io::Result<Journal> {
        let (waiting, lines) = queue(QUEUE_BYTES_MAX);
        let (running, done) = mpsc::channel();
        let name = "manila-journal".to_owned();
        thread::Builder::new().name(name).spawn(move || {
            write_until_closed(lines, &mut writer);
            writer.finish(clock::now());
            drop(running);
        })?;
        Ok(Journal { waiting, shared, done: Mutex::new(done) })
    }

    /// Adds a line, given without a line break. Never blocks: a line that does not fit into the
    /// queue is counted as lost.
    pub fn put(&self, line: impl Into<Bytes>) {
        if self.waiting.push(Item::Line(line.into())).is_err() {
            self.shared.lose(1);
        }
    }

    /// Returns whether lines are being lost, and why.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let n_lost = self.shared.n_lost();
        let reason = self.shared.reason().clone();
        let reason = reason.or_else(|| (n_lost > 0).then(|| BEHIND.to_owned()))?;
        Some(Problem { reason, n_lost })
    }

    /// Writes the remaining lines, and waits for that at most for `timeout`. Lines added later are
    /// lost. This blocks the calling thread.
    pub fn close(&self, timeout: Duration) -> Closed {
        // This fails if the thread has already ended.
        let _ = self.waiting.push_after_wait(Item::Close);
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        match done.recv_timeout(timeout) {
            Ok(never) => match never {},
            Err(mpsc::RecvTimeoutError::Disconnected) => Closed::Done,
            Err(mpsc::RecvTimeoutError::Timeout) => Closed::TimedOut,
        }
    }
}

fn write_until_closed(mut lines: Receiver<Item>, writer: &mut Writer) {
    while let Some(Item::Line(first)) = lines.recv_blocking() {
        writer.add(&first, clock::now());
        thread::sleep(COLLECT_TIME);
        let now = clock::now();
        while let Some(item) = lines.try_recv() {
            let Item::Line(line) = item else { return };
            writer.add(&line, now);
        }
        writer.flush(now);
    }
}

#[cfg(test)]
mod tests;
