//! What the journal's thread does with lines: writing them, and keeping account of what is lost.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use manila::stage::record::{Record, RecordedFailure};
use manila::stage::redact::Redaction;
use manila::{Code, JsonObject};
use tokio::time::Instant;

use super::files::{Begun, Files, Stopped};
use super::{BEHIND, JournalEvent, JournalEvents, Shared};
use crate::rt::clock;

/// As much is written at once.
const BATCH_BYTES: usize = 256 * 1024;

pub(super) struct Writer {
    files: Files,
    file_bytes_max: u64,
    retry_after: Duration,
    shared: Arc<Shared>,
    events: JournalEvents,
    begun: Option<Begun>,
    /// Whole lines that are not written yet.
    batch: Vec<u8>,
    /// The batch begins with a line that tells of so many lost ones.
    n_telling: Option<u64>,
    /// How many lost lines were told of since the trouble began.
    n_told: u64,
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
            begun: None,
            batch: Vec::new(),
            n_telling: None,
            n_told: 0,
            next_try: None,
            has_latest: true,
        }
    }

    /// Takes a line. It is written with those beside it, at the latest by `flush`.
    pub(super) fn add(&mut self, line: &[u8], now: Instant) {
        if self.is_over(line.len() + 1) {
            self.flush(now);
            self.begun = None;
        }
        if self.next_try.is_some_and(|next_try| now < next_try) {
            return self.shared.lose(1);
        }
        if self.batch.is_empty() {
            self.tell_lost();
        }
        self.push(line);
        if self.batch.len() >= BATCH_BYTES {
            self.flush(now);
        }
    }

    /// Writes what was taken.
    pub(super) fn flush(&mut self, now: Instant) {
        if self.batch.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.batch);
        match self.write(&batch) {
            Ok(()) => self.written(),
            Err((n_bytes, error)) => self.failed(&batch, n_bytes, &error, now),
        }
        self.batch = batch;
        self.batch.clear();
    }

    /// Writes the rest, and tells of what is lost, if that is possible at last.
    pub(super) fn finish(&mut self, now: Instant) {
        self.flush(now);
        if self.shared.n_lost() > 0 {
            self.tell_lost();
            self.flush(now);
        }
    }

    /// Whether so many bytes more are too much for the file.
    fn is_over(&self, n_bytes: usize) -> bool {
        let file = self.begun.as_ref().map_or(0, Begun::n_bytes) + self.batch.len() as u64;
        file > 0 && file + n_bytes as u64 > self.file_bytes_max
    }

    fn push(&mut self, line: &[u8]) {
        let mut rest = line;
        // In JSON a line end can only stand between tokens, where a space says the same.
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

    /// Begins the batch with a line that tells of lost ones, if there are any.
    fn tell_lost(&mut self) {
        let n_lost = self.shared.n_lost();
        if n_lost == 0 {
            return;
        }
        self.begin_trouble(BEHIND, Known::Keep);
        let details = JsonObject::build(|object| object.member("lost", &n_lost));
        let mut record = Record::new(clock::moment(), Some("manila/journal"));
        let code = Code::InternalError;
        let message = code.entry().message;
        record.failure = Some(RecordedFailure { code, message, details: Some(&details) });
        self.push(&record.line(Redaction::Standard));
        self.n_telling = Some(n_lost);
    }

    /// Writes lines to the file, or to a new one where there is none any more. On failure it says
    /// how many bytes of whole lines were written.
    fn write(&mut self, lines: &[u8]) -> Result<(), (usize, io::Error)> {
        let begun = match self.begun.take().filter(Begun::is_there) {
            Some(begun) => begun,
            None => self.files.begin().map_err(|error| (0, error))?,
        };
        let appended = begun.append(lines);
        let (begun, stopped) = match appended {
            Ok(begun) => (Some(begun), Ok(())),
            Err(Stopped { n_bytes, error, begun }) => (begun, Err((n_bytes, error))),
        };
        self.begun = begun;
        self.announce();
        stopped
    }

    /// Lets people find the file, now that there are lines in it.
    fn announce(&mut self) {
        let Some(begun) = &mut self.begun else { return };
        if let Err(error) = self.files.announce(begun)
            && self.has_latest
        {
            self.has_latest = false;
            (self.events)(JournalEvent::NoLatest { reason: error.to_string() });
        }
    }

    fn written(&mut self) {
        self.next_try = None;
        self.told();
        if self.shared.reason().take().is_some() {
            let n_lost = std::mem::take(&mut self.n_told);
            (self.events)(JournalEvent::Over { n_lost });
        }
    }

    fn failed(&mut self, batch: &[u8], n_bytes: usize, error: &io::Error, now: Instant) {
        let unwritten = batch.get(n_bytes..).unwrap_or_default();
        let mut n_lost = memchr::memchr_iter(b'\n', unwritten).count() as u64;
        if n_bytes > 0 {
            self.told();
        } else if self.n_telling.take().is_some() {
            // The line that tells of others is none of them.
            n_lost -= 1;
        }
        self.shared.lose(n_lost);
        self.next_try = Some(now + self.retry_after);
        let folder = self.files.folder().display();
        self.begin_trouble(&format!("cannot write in `{folder}`: {error}"), Known::Replace);
    }

    /// The line that tells of lost ones is written.
    fn told(&mut self) {
        let n_lost = self.n_telling.take().unwrap_or(0);
        self.shared.n_lost.fetch_sub(n_lost, Ordering::Relaxed);
        self.n_told += n_lost;
    }

    fn begin_trouble(&self, reason: &str, known: Known) {
        let mut shown = self.shared.reason();
        let is_new = shown.is_none();
        if is_new || known == Known::Replace {
            *shown = Some(reason.to_owned());
        }
        drop(shown);
        if is_new {
            (self.events)(JournalEvent::Trouble { reason: reason.to_owned() });
        }
    }
}

/// What becomes of a reason that is known already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Keep,
    Replace,
}

#[cfg(test)]
mod tests;
