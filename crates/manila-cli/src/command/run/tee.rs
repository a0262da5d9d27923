//! Copies a program's output to stderr while it runs (`--tee`).

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anstream::adapter::StripBytes;
use manila_process::run::{OutputListener, Stream};
use manila_redact::Redactor;
use tokio::sync::Notify;

/// Maximum number of bytes waiting to be written; beyond that, the program has to wait.
const WAITING_BYTES_MAX: usize = 1024 * 1024;

/// Copies a program's output to stderr while it runs.
///
/// Colours are removed before redaction, because an escape sequence inside a secret would hide it.
/// A separate thread writes, so that a blocked reader cannot delay the program's timeout.
pub(super) struct Tee<'a> {
    streams: Mutex<[(StripBytes, manila_redact::Stream<'a>); 2]>,
    pieces: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Backlog>,
    writer: JoinHandle<()>,
}

/// Bytes waiting to be written.
#[derive(Default)]
struct Backlog {
    n_bytes: AtomicUsize,
    /// Notified when bytes have been written.
    written: Notify,
}

impl<'a> Tee<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> io::Result<Tee<'a>> {
        let new_stream = || (StripBytes::new(), manila_redact::Stream::new(redactor));
        let (pieces, written) = mpsc::channel();
        let waiting = Arc::<Backlog>::default();
        let counted = Arc::clone(&waiting);
        let thread = thread::Builder::new().name("manila-tee".to_owned());
        let writer = thread.spawn(move || write(&written, &counted))?;
        Ok(Tee { streams: Mutex::new([new_stream(), new_stream()]), pieces, waiting, writer })
    }

    /// Queues redacted text for the writer thread.
    fn queue(&self, text: Vec<u8>) {
        if !text.is_empty() {
            self.waiting.n_bytes.fetch_add(text.len(), Ordering::Relaxed);
            // The send fails only if the writer thread has ended.
            let _ = self.pieces.send(text);
        }
    }

    /// Queues the rest, and waits until all is written, as long as the reader makes progress.
    pub(super) fn finish(self) {
        const POLL_INTERVAL: Duration = Duration::from_millis(10);
        const IDLE_TIMEOUT: Duration = Duration::from_secs(1);
        if let Ok(mut streams) = self.streams.lock() {
            for (_, stream) in streams.iter_mut() {
                self.queue(stream.finish().text);
            }
        }
        let Tee { pieces, waiting, writer, .. } = self;
        // Without a sender, the thread exits when everything is written.
        drop(pieces);
        let (mut n_seen, mut idle) = (0, Duration::ZERO);
        while !writer.is_finished() && idle < IDLE_TIMEOUT {
            thread::sleep(POLL_INTERVAL);
            let n_now = waiting.n_bytes.load(Ordering::Relaxed);
            let is_idle = n_now == std::mem::replace(&mut n_seen, n_now);
            idle = if is_idle { idle + POLL_INTERVAL } else { Duration::ZERO };
        }
    }
}

impl OutputListener for Tee<'_> {
    fn on_output(&self, stream: Stream, piece: &[u8]) {
        let mut shown = Vec::new();
        if let Ok(mut streams) = self.streams.lock() {
            let [stdout, stderr] = &mut *streams;
            let (stripping, redacting) = match stream {
                Stream::Stdout => stdout,
                Stream::Stderr => stderr,
            };
            for plain in stripping.strip_next(piece) {
                shown.extend_from_slice(&redacting.push(plain).text);
            }
        }
        self.queue(shown);
    }

    async fn wait_for_room(&self) {
        loop {
            let written = self.waiting.written.notified();
            if self.waiting.n_bytes.load(Ordering::Relaxed) < WAITING_BYTES_MAX {
                return;
            }
            written.await;
        }
    }
}

/// Writes the pieces in chunks small enough that a reader's progress is visible.
fn write(pieces: &mpsc::Receiver<Vec<u8>>, waiting: &Backlog) {
    const CHUNK_BYTES: usize = 4 * 1024;
    let mut is_read = true;
    for piece in pieces {
        for chunk in piece.chunks(CHUNK_BYTES) {
            // If stderr is closed, the rest is discarded without blocking.
            is_read = is_read && io::stderr().write_all(chunk).is_ok();
            waiting.n_bytes.fetch_sub(chunk.len(), Ordering::Relaxed);
            waiting.written.notify_waiters();
        }
    }
}
