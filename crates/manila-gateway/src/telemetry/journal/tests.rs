use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::Value;

use super::files::{Files, Sheet};
use super::writer::Writer;
use super::{
    BEHIND, Closed, Journal, JournalEvent, JournalEvents, JournalSettings, NotOpened,
    QUEUE_BYTES_MAX, Shared, latest,
};
use manila_process::os::private;

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// A folder of a test's own, which goes when the test is over.
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
        // What cannot be removed is the system's to clean up.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of a journal, without the link, the oldest first.
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

fn silent() -> JournalEvents {
    Arc::new(|event| panic!("{event:?}"))
}

#[test]
fn what_is_put_in_is_in_the_file() {
    let scratch = Scratch::new("journal");
    let journal = Journal::open(JournalSettings::new(scratch.runs()), silent()).unwrap();
    for n in 0..10_000 {
        journal.put(n.to_string());
    }
    assert_eq!(journal.close(LONG), Closed::Done);
    assert_eq!(journal.trouble(), None);
    let expected: Vec<Value> = (0..10_000).map(Value::from).collect();
    assert_eq!(lines(&latest(&scratch.runs())), expected);
}

#[test]
fn who_writes_nothing_leaves_nothing() {
    let scratch = Scratch::new("journal-idle");
    let journal = Journal::open(JournalSettings::new(scratch.runs()), silent()).unwrap();
    assert_eq!(journal.close(LONG), Closed::Done);
    assert!(journal_files(&scratch.runs()).is_empty());
    // Nobody takes it any more, and nobody is told that it was written.
    journal.put("late");
    assert_eq!(journal.trouble().map(|trouble| trouble.n_lost), Some(1));
}

#[test]
fn several_write_side_by_side() {
    let scratch = Scratch::new("journal-shared");
    let settings = JournalSettings { file_bytes_max: 2_000, files_max: 1, folder: scratch.runs() };
    let journals: Vec<Journal> =
        (0..4).map(|_| Journal::open(settings.clone(), silent()).unwrap()).collect();
    for n in 0..1_000 {
        for journal in &journals {
            journal.put(n.to_string());
        }
    }
    for journal in &journals {
        assert_eq!((journal.close(LONG), journal.trouble()), (Closed::Done, None));
    }
    // Each has the end of its own lines, whatever the others removed.
    let last = |path: &PathBuf| lines(path).last().and_then(Value::as_u64);
    let n_ends = journal_files(&scratch.runs()).iter().filter(|it| last(it) == Some(999)).count();
    assert!(n_ends >= 1 && lines(&latest(&scratch.runs())).len() > 1);
}

#[test]
fn what_cannot_be_written_is_refused_at_once() {
    let scratch = Scratch::new("journal-refused");
    fs::write(scratch.runs(), "in the way").unwrap();
    let settings = JournalSettings::new(scratch.runs());
    let told = |settings: JournalSettings| match Journal::open(settings, silent()) {
        Ok(_) => panic!("it was opened"),
        Err(refused) => refused,
    };
    let refused = told(settings.clone());
    assert!(matches!(&refused, NotOpened::Folder { .. }), "{refused}");
    assert!(refused.to_string().starts_with("cannot write the journal in `/"), "{refused}");
    let refused = told(JournalSettings { files_max: 0, ..settings.clone() });
    assert_eq!(refused.to_string(), "`files_max` of the journal must be at least 1, but is 0");
    assert!(matches!(
        told(JournalSettings { file_bytes_max: 0, ..settings }),
        NotOpened::NoRoom(_)
    ));
}

/// A disk that does nothing until it is told to.
struct Stalled {
    file: File,
    reached: mpsc::Sender<()>,
    go: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Write for Stalled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Nobody listens after the first time, and it goes on for good when nobody can tell it.
        let _ = self.reached.send(());
        let _ = self.go.lock().unwrap().recv();
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sheet for Stalled {
    fn cut(&self, n_bytes: u64) -> io::Result<()> {
        self.file.set_len(n_bytes)
    }

    fn is_at(&self, path: &Path) -> bool {
        private::is_at(&self.file, path)
    }
}

#[test]
fn nobody_waits_for_a_disk() {
    let scratch = Scratch::new("journal-stalled");
    let (free, go) = mpsc::channel();
    let go = Arc::new(Mutex::new(go));
    let (reached, at_the_disk) = mpsc::channel();
    let create = move |path: &Path| {
        let file = private::create_file(path)?;
        let (reached, go) = (reached.clone(), Arc::clone(&go));
        Ok(Box::new(Stalled { file, reached, go }) as Box<dyn Sheet>)
    };
    let files = Files::created_by(scratch.runs().join("mcp_server"), 5, Box::new(create));
    let (tell, told) = mpsc::channel();
    let events: JournalEvents = Arc::new(move |event| tell.send(event).unwrap());
    let shared = Arc::<Shared>::default();
    let writer = Writer::new(files, 1 << 30, Arc::clone(&shared), events, Duration::ZERO);
    let journal = Journal::start(writer, shared).unwrap();

    let line = format!("\"{}\"", "x".repeat(64 * 1024));
    let n_lines = 4 * QUEUE_BYTES_MAX / line.len();
    journal.put(line.clone());
    // A thread that had not begun yet would tell of what is lost until then by itself.
    at_the_disk.recv_timeout(LONG).unwrap();
    for _ in 1..n_lines {
        journal.put(line.clone());
    }
    let trouble = journal.trouble().unwrap();
    assert_eq!(trouble.reason, BEHIND);
    assert!(trouble.n_lost > 0 && journal.close(Duration::ZERO) == Closed::TimedOut);

    drop(free);
    assert_eq!((journal.close(LONG), journal.trouble()), (Closed::Done, None));
    let events = [told.recv_timeout(LONG).unwrap(), told.recv_timeout(LONG).unwrap()];
    let n_lost = trouble.n_lost;
    let reason = BEHIND.to_owned();
    assert_eq!(events, [JournalEvent::Trouble { reason }, JournalEvent::Over { n_lost }]);
    let written = lines(&latest(&scratch.runs()));
    assert_eq!(written.len() as u64, n_lines as u64 - n_lost + 1, "and one that tells of it");
}
