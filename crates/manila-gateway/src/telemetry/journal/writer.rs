//! The writer on the journal's thread: writes lines, and counts those that are lost.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use manila::stage::record::{Record, RecordedFailure};
use manila::stage::redact::Redaction;
use manila::{Code, JsonObject};
use tokio::time::Instant;

use super::files::{AppendError, Files, OpenFile};
use super::{BEHIND, JournalEvent, JournalEvents, Shared};
use crate::rt::clock;

/// The size at which a batch of lines is written.
const BATCH_BYTES: usize = 256 * 1024;

pub(super) struct Writer {
    files: Files,
    file_bytes_max: u64,
    retry_after: Duration,
    shared: Arc<Shared>,
    events: JournalEvents,
    open_file: Option<OpenFile>,
    /// Complete lines that are not written yet.
    batch: Vec<u8>,
    /// The number of lost lines that the first line of the batch reports, if it does.
    n_reporting: Option<u64>,
    /// The number of lost lines that were reported since the trouble began.
    n_reported: u64,
    next_try: Option<Instant>,
    has_latest: bool,
}

impl Writer {
    pub(super) fn new(
        files: Files,
        file_bytes_max: u64,
        shared: Arc<Shared>,
        events: JournalEvents,
        retry_after: Duration,
    ) -> Writer {
        Writer {
            files,
            file_bytes_max,
            retry_after,
            shared,
            events,
            open_file: None,
            batch: Vec::new(),
            n_reporting: None,
            n_reported: 0,
            next_try: None,
            has_latest: true,
        }
    }

    /// Adds a line to the batch, which is written when it is large enough, or by `flush`.
    pub(super) fn add(&mut self, line: &[u8], now: Instant) {
        if self.would_exceed_limit(line.len() + 1) {
            self.flush(now);
            self.open_file = None;
        }
        if self.next_try.is_some_and(|next_try| now < next_try) {
            return self.shared.lose(1);
        }
        if self.batch.is_empty() {
            self.report_lost();
        }
        self.push(line);
        if self.batch.len() >= BATCH_BYTES {
            self.flush(now);
        }
    }

    /// Writes the batch.
    pub(super) fn flush(&mut self, now: Instant) {
        if self.batch.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.batch);
        match self.write(&batch) {
            Ok(()) => self.finish_batch(),
            Err((n_bytes, error)) => self.handle_failure(&batch, n_bytes, &error, now),
        }
        self.batch = batch;
        self.batch.clear();
    }

    /// Writes the batch, and tries to report the lost lines.
    pub(super) fn finish(&mut self, now: Instant) {
        self.flush(now);
        if self.shared.n_lost() > 0 {
            self.report_lost();
            self.flush(now);
        }
    }

    /// Returns whether this number of additional bytes would exceed the limit of the file.
    fn would_exceed_limit(&self, n_bytes: usize) -> bool {
        let file = self.open_file.as_ref().map_or(0, OpenFile::n_bytes) + self.batch.len() as u64;
        file > 0 && file + n_bytes as u64 > self.file_bytes_max
    }

    fn push(&mut self, line: &[u8]) {
        let mut rest = line;
        // In JSON, line breaks occur only between tokens, where a space is equivalent.
        while let Some((before, after)) =
            memchr::memchr(b'\n', rest).and_then(|at| Some((rest.get(..at)?, rest.get(at + 1..)?)))
        {
            self.batch.extend_from_slice(before);
            self.batch.push(b' ');
            rest = after;
        }
        self.batch.extend_from_slice(rest);
        self.batch.push(b'\n');
    }

    /// Starts the batch with a line that reports the lost ones, if there are any.
    fn report_lost(&mut self) {
        let n_lost = self.shared.n_lost();
        if n_lost == 0 {
            return;
        }
        self.begin_trouble(BEHIND, EarlierReason::Keep);
        let details = JsonObject::build(|object| object.member("lost", &n_lost));
        let mut record = Record::new(clock::timestamp(), Some("manila/journal"));
        let code = Code::InternalError;
        let message = code.entry().message;
        record.failure = Some(RecordedFailure { code, message, details: Some(&details) });
        self.push(&record.line(Redaction::Standard));
        self.n_reporting = Some(n_lost);
    }

    /// Writes lines to the file, or to a new one if it no longer exists. A failure contains the
    /// number of bytes that were written, in complete lines.
    fn write(&mut self, lines: &[u8]) -> Result<(), (usize, io::Error)> {
        let open_file = match self.open_file.take().filter(OpenFile::exists) {
            Some(open_file) => open_file,
            None => self.files.create().map_err(|error| (0, error))?,
        };
        let (open_file, written) = match open_file.append(lines) {
            Ok(open_file) => (Some(open_file), Ok(())),
            Err(AppendError { n_bytes, error, open_file }) => (open_file, Err((n_bytes, error))),
        };
        self.open_file = open_file;
        self.announce();
        written
    }

    /// Links to the file, now that it contains lines.
    fn announce(&mut self) {
        let Some(open_file) = &mut self.open_file else { return };
        if let Err(error) = self.files.announce(open_file)
            && self.has_latest
        {
            self.has_latest = false;
            (self.events)(JournalEvent::LinkFailed { reason: error.to_string() });
        }
    }

    fn finish_batch(&mut self) {
        self.next_try = None;
        self.confirm_reported();
        if self.shared.reason().take().is_some() {
            let n_lost = std::mem::take(&mut self.n_reported);
            (self.events)(JournalEvent::Recovered { n_lost });
        }
    }

    fn handle_failure(&mut self, batch: &[u8], n_bytes: usize, error: &io::Error, now: Instant) {
        let unwritten = batch.get(n_bytes..).unwrap_or_default();
        let mut n_lost = memchr::memchr_iter(b'\n', unwritten).count() as u64;
        if n_bytes > 0 {
            self.confirm_reported();
        } else if self.n_reporting.take().is_some() {
            // The line that reports lost lines does not count as one.
            n_lost -= 1;
        }
        self.shared.lose(n_lost);
        self.next_try = Some(now + self.retry_after);
        let folder = self.files.folder().display();
        let reason = format!("cannot write to `{folder}`: {error}");
        self.begin_trouble(&reason, EarlierReason::Replace);
    }

    /// Counts lost lines as reported, after the line that reports them was written.
    fn confirm_reported(&mut self) {
        let n_lost = self.n_reporting.take().unwrap_or(0);
        self.shared.n_lost.fetch_sub(n_lost, Ordering::Relaxed);
        self.n_reported += n_lost;
    }

    fn begin_trouble(&self, reason: &str, earlier: EarlierReason) {
        let mut current = self.shared.reason();
        let is_new = current.is_none();
        if is_new || earlier == EarlierReason::Replace {
            *current = Some(reason.to_owned());
        }
        drop(current);
        if is_new {
            (self.events)(JournalEvent::Problem { reason: reason.to_owned() });
        }
    }
}

/// Whether an earlier reason is kept or replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EarlierReason {
    Keep,
    Replace,
}

#[cfg(test)]
mod tests;
