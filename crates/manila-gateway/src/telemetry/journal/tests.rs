use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::Value;

use super::files::{Files, JournalFile};
use super::writer::Writer;
use super::{
    BEHIND, Closed, Journal, JournalEvent, JournalEvents, JournalSettings, OpenError,
    QUEUE_BYTES_MAX, Shared, latest,
};
use manila_process::os::private;

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(60);

/// The folder of one test, which is removed when the test ends.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(test: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("manila-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn runs(&self) -> PathBuf {
        self.0.join("runs")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system cleans up a folder that cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the files of a journal, without the link, the oldest first.
pub(super) fn journal_files(runs: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(runs.join("mcp_server")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.symlink_metadata().unwrap().is_file()).collect();
    files.sort();
    files
}

pub(super) fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn no_events() -> JournalEvents {
    Arc::new(|event| panic!("{event:?}"))
}

#[test]
fn writes_every_line() {
    let scratch = Scratch::new("journal");
    let journal = Journal::open(JournalSettings::new(scratch.runs()), no_events()).unwrap();
    for n in 0..10_000 {
        journal.put(n.to_string());
    }
    assert_eq!(journal.close(LONG), Closed::Done);
    assert_eq!(journal.problem(), None);
    let expected: Vec<Value> = (0..10_000).map(Value::from).collect();
    assert_eq!(lines(&latest(&scratch.runs())), expected);
}

#[test]
fn a_journal_without_lines_leaves_no_file() {
    let scratch = Scratch::new("journal-idle");
    let journal = Journal::open(JournalSettings::new(scratch.runs()), no_events()).unwrap();
    assert_eq!(journal.close(LONG), Closed::Done);
    assert!(journal_files(&scratch.runs()).is_empty());
    // A closed journal counts further lines as lost.
    journal.put("late");
    assert_eq!(journal.problem().map(|problem| problem.n_lost), Some(1));
}

#[test]
fn several_journals_share_a_folder() {
    let scratch = Scratch::new("journal-shared");
    let settings = JournalSettings { file_bytes_max: 2_000, files_max: 1, folder: scratch.runs() };
    let journals: Vec<Journal> =
        (0..4).map(|_| Journal::open(settings.clone(), no_events()).unwrap()).collect();
    for n in 0..1_000 {
        for journal in &journals {
            journal.put(n.to_string());
        }
    }
    for journal in &journals {
        assert_eq!((journal.close(LONG), journal.problem()), (Closed::Done, None));
    }
    // Each keeps its last lines, although the others remove old files.
    let last = |path: &PathBuf| lines(path).last().and_then(Value::as_u64);
    let n_ends = journal_files(&scratch.runs()).iter().filter(|it| last(it) == Some(999)).count();
    assert!(n_ends >= 1 && lines(&latest(&scratch.runs())).len() > 1);
}

#[test]
fn open_fails_if_the_folder_or_a_limit_is_unusable() {
    let scratch = Scratch::new("journal-refused");
    fs::write(scratch.runs(), "in the way").unwrap();
    let settings = JournalSettings::new(scratch.runs());
    let open_error = |settings: JournalSettings| match Journal::open(settings, no_events()) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    };
    let error = open_error(settings.clone());
    assert!(matches!(&error, OpenError::Folder { .. }), "{error}");
    assert!(error.to_string().starts_with("cannot write the journal in `/"), "{error}");
    let error = open_error(JournalSettings { files_max: 0, ..settings.clone() });
    assert_eq!(error.to_string(), "`files_max` of the journal must be at least 1, but is 0");
    assert!(matches!(
        open_error(JournalSettings { file_bytes_max: 0, ..settings }),
        OpenError::ZeroLimit(_)
    ));
}

/// A file on a disk that blocks until it is released.
struct Stalled {
    file: File,
    reached: mpsc::Sender<()>,
    release: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Write for Stalled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Both channels may be closed. A closed `release` no longer blocks.
        let _ = self.reached.send(());
        let _ = self.release.lock().unwrap().recv();
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl JournalFile for Stalled {
    fn truncate(&self, n_bytes: u64) -> io::Result<()> {
        self.file.set_len(n_bytes)
    }

    fn is_at(&self, path: &Path) -> bool {
        private::is_at(&self.file, path)
    }
}

#[test]
fn put_does_not_wait_for_the_disk() {
    let scratch = Scratch::new("journal-stalled");
    let (releaser, release) = mpsc::channel();
    let release = Arc::new(Mutex::new(release));
    let (reached, at_the_disk) = mpsc::channel();
    let create = move |path: &Path| {
        let file = private::create_file(path)?;
        let (reached, release) = (reached.clone(), Arc::clone(&release));
        Ok(Box::new(Stalled { file, reached, release }) as Box<dyn JournalFile>)
    };
    let files = Files::with_create(scratch.runs().join("mcp_server"), 5, Box::new(create));
    let (sender, reported) = mpsc::channel();
    let events: JournalEvents = Arc::new(move |event| sender.send(event).unwrap());
    let shared = Arc::<Shared>::default();
    let writer = Writer::new(files, 1 << 30, Arc::clone(&shared), events, Duration::ZERO);
    let journal = Journal::start(writer, shared).unwrap();

    let line = format!("\"{}\"", "x".repeat(64 * 1024));
    let n_lines = 4 * QUEUE_BYTES_MAX / line.len();
    journal.put(line.clone());
    // A thread that had not started yet would report the lines lost until then separately.
    at_the_disk.recv_timeout(LONG).unwrap();
    for _ in 1..n_lines {
        journal.put(line.clone());
    }
    let problem = journal.problem().unwrap();
    assert_eq!(problem.reason, BEHIND);
    assert!(problem.n_lost > 0 && journal.close(Duration::ZERO) == Closed::TimedOut);

    drop(releaser);
    assert_eq!((journal.close(LONG), journal.problem()), (Closed::Done, None));
    let events = [reported.recv_timeout(LONG).unwrap(), reported.recv_timeout(LONG).unwrap()];
    let n_lost = problem.n_lost;
    let reason = BEHIND.to_owned();
    assert_eq!(events, [JournalEvent::Problem { reason }, JournalEvent::Recovered { n_lost }]);
    let written = lines(&latest(&scratch.runs()));
    assert_eq!(written.len() as u64, n_lines as u64 - n_lost + 1, "and one that reports the loss");
}
