//! The journal: one line of JSON for each request, in files that are kept within limits (Q6).
//!
//! A thread of its own writes, so nobody ever waits for a disk. What cannot be written is counted,
//! and as soon as writing works again a line in the file itself says how much is missing.

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

/// How much may wait to be written.
const QUEUE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// How long lines are gathered after the first one. To wake the thread costs whoever puts a line
/// in more than all else of it; while lines are gathered, nobody has to.
const GATHER: Duration = Duration::from_millis(2);

/// After a failure it is tried again not sooner than this.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What is said where the thread cannot keep up.
const BEHIND: &str = "lines come faster than they can be written";

/// Where the journal is, and how large it grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalSettings {
    /// The root of the runs: files are in its folder `mcp_server`.
    pub folder: PathBuf,
    /// A file that would grow beyond this is followed by a new one.
    pub file_bytes_max: u64,
    /// How many files are kept. Those that another process writes are never removed.
    pub files_max: usize,
}

impl JournalSettings {
    /// A journal below this folder, within the usual limits.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> JournalSettings {
        JournalSettings { folder: folder.into(), file_bytes_max: 64 * 1024 * 1024, files_max: 5 }
    }
}

/// Q6: the link to the file that was begun last, below a root of runs.
#[must_use]
pub fn latest(folder: &Path) -> PathBuf {
    folder.join(files::FOLDER).join(files::LATEST)
}

/// All files of a journal below a root of runs, the oldest first. Several may be written at once.
pub fn kept(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = folder.join(files::FOLDER);
    let names = files::own_names(&folder)?;
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Why there is no journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotOpened {
    /// A limit leaves no room for anything.
    #[error("`{0}` of the journal must be at least 1, but is 0")]
    NoRoom(&'static str),
    /// No file can be created.
    #[error("cannot write the journal in `{}`: {reason}", folder.display())]
    Folder {
        /// Where.
        folder: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// No thread can be started.
    #[error("cannot start the thread that writes the journal: {0}")]
    Thread(io::Error),
}

/// What an operator should hear of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalEvent {
    /// Lines are being lost from now on. Told once, until it is over.
    Trouble {
        /// Why.
        reason: String,
    },
    /// Writing works again.
    Over {
        /// How many lines are missing; the journal itself says it, too.
        n_lost: u64,
    },
    /// The link to the latest file cannot be kept. Lines are written all the same. Told once.
    NoLatest {
        /// Why.
        reason: String,
    },
}

/// Where a journal's events go. They are told on its own thread.
pub type JournalEvents = Arc<dyn Fn(JournalEvent) + Send + Sync>;

/// That lines are being lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Why.
    pub reason: String,
    /// How many so far, of those that the journal does not tell of yet.
    pub n_lost: u64,
}

/// How closing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// Everything was written, or counted as lost.
    Done,
    /// The time was over. The rest is written if the process lives long enough.
    TimedOut,
}

/// Where lines are put in.
pub struct Journal {
    waiting: Sender<Item>,
    shared: Arc<Shared>,
    /// Nothing is ever sent: it ends with the thread.
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

/// What those who put in and the thread know together.
#[derive(Default)]
struct Shared {
    /// Lines that are lost and not told of in the journal.
    n_lost: AtomicU64,
    /// Why nothing is written.
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
    /// Opens a journal. A folder that cannot be written is told at once; a file is begun with the
    /// first line, so that those who only start and stop leave none behind.
    pub fn open(settings: JournalSettings, events: JournalEvents) -> Result<Journal, NotOpened> {
        let JournalSettings { folder, file_bytes_max, files_max } = settings;
        let limits = [("file_bytes_max", file_bytes_max), ("files_max", files_max as u64)];
        if let Some((name, _)) = limits.into_iter().find(|(_, limit)| *limit == 0) {
            return Err(NotOpened::NoRoom(name));
        }
        let files = Files::new(folder.join(files::FOLDER), files_max);
        files.try_out().map_err(|reason| NotOpened::Folder { folder, reason })?;
        let shared = Arc::<Shared>::default();
        let writer = Writer::new(files, file_bytes_max, Arc::clone(&shared), events, RETRY_AFTER);
        Journal::start(writer, shared).map_err(NotOpened::Thread)
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

    /// Puts a line in, without a line end. Never waits: what does not fit is counted as lost.
    pub fn put(&self, line: impl Into<Bytes>) {
        if self.waiting.push(Item::Line(line.into())).is_err() {
            self.shared.lose(1);
        }
    }

    /// Whether lines are being lost, and why.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        let n_lost = self.shared.n_lost();
        let reason = self.shared.reason().clone();
        let reason = reason.or_else(|| (n_lost > 0).then(|| BEHIND.to_owned()))?;
        Some(Trouble { reason, n_lost })
    }

    /// Writes the rest, and waits for that, but no longer than this. What is put in afterwards is
    /// lost. It blocks the thread that calls it.
    pub fn close(&self, within: Duration) -> Closed {
        // Where the thread has ended already, it hears nothing and need not.
        let _ = self.waiting.put_waited(Item::Close);
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        match done.recv_timeout(within) {
            Ok(never) => match never {},
            Err(mpsc::RecvTimeoutError::Disconnected) => Closed::Done,
            Err(mpsc::RecvTimeoutError::Timeout) => Closed::TimedOut,
        }
    }
}

fn write_until_closed(mut lines: Receiver<Item>, writer: &mut Writer) {
    while let Some(Item::Line(first)) = lines.recv_blocking() {
        writer.add(&first, clock::now());
        thread::sleep(GATHER);
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
