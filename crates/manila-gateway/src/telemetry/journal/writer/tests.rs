use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::Writer;
use crate::rt::clock;
use crate::telemetry::journal::files::{Create, Files, JournalFile};
use crate::telemetry::journal::tests::{Scratch, journal_files, lines};
use crate::telemetry::journal::{BEHIND, JournalEvent, Shared, latest};
use manila_process::os::private;

const SECOND: Duration = Duration::from_secs(1);

/// A writer, and the events that it reported.
struct Bench {
    scratch: Scratch,
    writer: Writer,
    shared: Arc<Shared>,
    events: Arc<Mutex<Vec<JournalEvent>>>,
    now: Instant,
}

impl Bench {
    fn new(test: &str, file_bytes_max: u64, create: Create) -> Bench {
        let scratch = Scratch::new(test);
        let files = Files::with_create(scratch.runs().join("mcp_server"), 5, create);
        let (shared, events) = (Arc::<Shared>::default(), Arc::<Mutex<Vec<_>>>::default());
        let reported = Arc::clone(&events);
        let report = Arc::new(move |event| reported.lock().unwrap().push(event));
        let writer = Writer::new(files, file_bytes_max, Arc::clone(&shared), report, SECOND);
        Bench { scratch, writer, shared, events, now: clock::now() }
    }

    fn on_disk(test: &str, file_bytes_max: u64) -> Bench {
        let create =
            |path: &Path| Ok(Box::new(private::create_file(path)?) as Box<dyn JournalFile>);
        Bench::new(test, file_bytes_max, Box::new(create))
    }

    /// Adds lines, and writes them.
    fn put(&mut self, lines: &[&str]) {
        for line in lines {
            self.writer.add(line.as_bytes(), self.now);
        }
        self.writer.flush(self.now);
    }

    fn advance_one_second(&mut self) {
        self.now += SECOND;
    }

    fn files(&self) -> Vec<PathBuf> {
        journal_files(&self.scratch.runs())
    }

    /// Returns all lines of all files.
    fn lines(&self) -> Vec<Value> {
        self.files().iter().flat_map(|path| lines(path)).collect()
    }

    /// Checks that trouble began for this reason, and that it is the only event since the last
    /// check.
    #[track_caller]
    fn check_trouble(&self, reason: &str, n_lost: u64) {
        let current = self.shared.reason().clone().unwrap_or_default();
        assert!(current.contains(reason), "{current}");
        assert_eq!(self.shared.n_lost(), n_lost);
        let events = std::mem::take(&mut *self.events.lock().unwrap());
        assert!(matches!(&events[..], [JournalEvent::Problem { .. }]), "{events:?}");
    }

    #[track_caller]
    fn check_over(&self, n_lost: u64) {
        assert_eq!((self.shared.reason().clone(), self.shared.n_lost()), (None, 0));
        let events = std::mem::take(&mut *self.events.lock().unwrap());
        assert_eq!(events, [JournalEvent::Recovered { n_lost }]);
    }
}

/// Checks a line that reports lost ones, except for the members that vary.
#[track_caller]
fn check_reports_lost(line: &Value, n_lost: u64) {
    assert_eq!(line["method"], "manila/journal");
    assert_eq!(line["status"], "internal_error");
    assert_eq!(line["error"]["details"], json!({ "lost": n_lost }));
    assert!(line["ts"].as_str().is_some_and(|ts| ts.len() == 24));
}

/// A real file on a disk that has little room.
struct Narrow {
    file: File,
    room: Arc<AtomicU64>,
}

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.load(Ordering::Relaxed);
        if room == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        let n_bytes = bytes.len().min(usize::try_from(room).unwrap());
        self.room.fetch_sub(n_bytes as u64, Ordering::Relaxed);
        self.file.write(&bytes[..n_bytes])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl JournalFile for Narrow {
    fn truncate(&self, n_bytes: u64) -> io::Result<()> {
        self.file.set_len(n_bytes)
    }

    fn is_at(&self, path: &Path) -> bool {
        private::is_at(&self.file, path)
    }
}

fn narrow(test: &str, room: u64) -> (Bench, Arc<AtomicU64>) {
    let room = Arc::new(AtomicU64::new(room));
    let shared = Arc::clone(&room);
    let create = move |path: &Path| {
        let file = private::create_file(path)?;
        Ok(Box::new(Narrow { file, room: Arc::clone(&shared) }) as Box<dyn JournalFile>)
    };
    (Bench::new(test, 1 << 20, Box::new(create)), room)
}

#[test]
fn a_full_disk_leaves_no_half_line() {
    let (mut bench, room) = narrow("writer-full", 25);
    bench.put(&[r#"{"n":1}"#, r#"{"n":2}"#]);
    // Each line has eight bytes, and nine are left: the third line and one byte of the fourth fit.
    bench.put(&[r#"{"n":3}"#, r#"{"n":4}"#, r#"{"n":5}"#]);
    bench.check_trouble("no storage space", 2);
    let files = bench.files();
    assert_eq!(fs::read_to_string(&files[0]).unwrap(), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");

    room.store(1 << 20, Ordering::Relaxed);
    bench.put(&[r#"{"n":6}"#]);
    assert_eq!(bench.lines().len(), 3, "it is too early to try again");
    bench.advance_one_second();
    bench.put(&[r#"{"n":7}"#, r#"{"n":8}"#]);
    bench.check_over(3);
    assert_eq!(bench.files(), files, "no other file is created");
    let lines = bench.lines();
    check_reports_lost(&lines[3], 3);
    assert_eq!(&lines[4..], [json!({"n": 7}), json!({"n": 8})]);
}

#[test]
fn no_file_is_left_on_a_disk_that_is_full_from_the_start() {
    let (mut bench, room) = narrow("writer-full-first", 3);
    for n in 0..5 {
        bench.put(&[r#"{"n":1}"#]);
        assert!(bench.files().is_empty(), "{n}");
        bench.advance_one_second();
    }
    bench.check_trouble("no storage space", 5);
    room.store(1 << 20, Ordering::Relaxed);
    bench.writer.finish(bench.now);
    bench.check_over(5);
    check_reports_lost(&bench.lines()[0], 5);
}

/// The system's real behaviour for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn dev_full_is_a_full_disk() {
    struct Full(File);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl JournalFile for Full {
        fn truncate(&self, n_bytes: u64) -> io::Result<()> {
            self.0.set_len(n_bytes)
        }
        fn is_at(&self, _path: &Path) -> bool {
            true
        }
    }
    let create = |_: &Path| {
        let full = OpenOptions::new().append(true).open("/dev/full")?;
        Ok(Box::new(Full(full)) as Box<dyn JournalFile>)
    };
    let mut bench = Bench::new("writer-dev-full", 1 << 20, Box::new(create));
    bench.put(&["{}", "{}"]);
    bench.check_trouble("No space left on device", 2);
    bench.advance_one_second();
    bench.put(&["{}"]);
    assert_eq!(bench.shared.n_lost(), 3);
    assert!(bench.events.lock().unwrap().is_empty(), "trouble is reported once");
}

#[test]
fn retries_once_a_second() {
    let n_attempts = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_attempts);
    let create = move |_: &Path| {
        counter.fetch_add(1, Ordering::Relaxed);
        Err(ErrorKind::PermissionDenied.into())
    };
    let mut bench = Bench::new("writer-retry", 1 << 20, Box::new(create));
    for second in 1..=3 {
        for _ in 0..1000 {
            bench.put(&["{}"]);
        }
        assert_eq!(n_attempts.load(Ordering::Relaxed), second);
        bench.advance_one_second();
    }
    bench.check_trouble("permission denied", 3000);
}

#[test]
fn creates_a_removed_folder_again() {
    let mut bench = Bench::on_disk("writer-removed", 1 << 20);
    bench.put(&["1"]);
    fs::remove_dir_all(bench.scratch.runs()).unwrap();
    bench.put(&["2"]);
    assert_eq!(bench.lines(), [2]);
    // A folder that was moved counts as removed.
    fs::rename(bench.scratch.runs(), bench.scratch.path().join("moved")).unwrap();
    bench.put(&["3"]);
    assert_eq!(bench.lines(), [3]);
    assert_eq!(lines(&latest(&bench.scratch.runs())), [3]);
    assert!(bench.events.lock().unwrap().is_empty(), "nothing is lost");
}

#[test]
fn a_file_in_place_of_the_folder_is_trouble_until_it_is_removed() {
    let mut bench = Bench::on_disk("writer-replaced", 1 << 20);
    bench.put(&["1"]);
    fs::remove_dir_all(bench.scratch.runs()).unwrap();
    fs::write(bench.scratch.runs(), "in the way").unwrap();
    bench.put(&["2", "3"]);
    bench.check_trouble("cannot write to", 2);
    bench.advance_one_second();
    bench.put(&["4"]);
    fs::remove_file(bench.scratch.runs()).unwrap();
    bench.advance_one_second();
    bench.put(&["5"]);
    bench.check_over(3);
    let lines = bench.lines();
    check_reports_lost(&lines[0], 3);
    assert_eq!(lines[1], 5);
}

#[test]
fn starts_a_new_file_before_one_is_too_large() {
    let mut bench = Bench::on_disk("writer-rotated", 20);
    let long = format!("\"{}\"", "x".repeat(50));
    bench.put(&["\"aaaaaaa\"", "\"bbbbbbb\"", "\"ccccccc\"", &long, "4"]);
    let sizes: Vec<u64> = bench.files().iter().map(|it| it.metadata().unwrap().len()).collect();
    assert_eq!(sizes, [20, 10, 53, 2], "one line may be larger than a file");
    assert_eq!(lines(&latest(&bench.scratch.runs())), [4]);
}

#[test]
fn removes_line_breaks_within_a_line() {
    let mut bench = Bench::on_disk("writer-line", 1 << 20);
    bench.put(&["{\n\"a\":\n1}", "[]"]);
    assert_eq!(bench.lines(), [json!({"a": 1}), json!([])]);
}

#[test]
fn reports_lines_that_did_not_fit_into_the_queue_before_the_next_line() {
    let mut bench = Bench::on_disk("writer-behind", 1 << 20);
    bench.shared.lose(7);
    bench.put(&["1"]);
    let reason = BEHIND.to_owned();
    let events = [JournalEvent::Problem { reason }, JournalEvent::Recovered { n_lost: 7 }];
    assert_eq!(*bench.events.lock().unwrap(), events);
    check_reports_lost(&bench.lines()[0], 7);
    assert_eq!(bench.lines()[1], 1);
}

#[test]
fn reports_once_that_the_link_cannot_be_set_and_still_writes_lines() {
    let mut bench = Bench::on_disk("writer-no-link", 4);
    fs::create_dir_all(latest(&bench.scratch.runs())).unwrap();
    bench.put(&["1", "2", "3"]);
    assert_eq!(bench.files().len(), 2);
    assert_eq!(bench.lines(), [1, 2, 3]);
    let events = bench.events.lock().unwrap();
    assert!(matches!(&events[..], [JournalEvent::LinkFailed { .. }]), "{events:?}");
}
