//! What people see of a program's output while it runs (`--tee`).

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anstream::adapter::StripBytes;
use manila_process::run::{Hear, Stream};
use manila_redact::Redactor;
use tokio::sync::Notify;

/// How much may wait for whoever reads it. Then the program has to wait, too.
const WAITING_BYTES_MAX: usize = 1024 * 1024;

/// What people see of a program's output while it runs.
///
/// Colours are taken out before secrets are looked for: one in the middle of a secret would hide
/// it. A thread of its own writes: a reader who has stopped must not keep us from ending the
/// program in time.
pub(super) struct Shown<'a> {
    streams: Mutex<[(StripBytes, manila_redact::Stream<'a>); 2]>,
    pieces: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Waiting>,
    writer: JoinHandle<()>,
}

/// What waits for whoever reads it.
#[derive(Default)]
struct Waiting {
    n_bytes: AtomicUsize,
    less: Notify,
}

impl<'a> Shown<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> io::Result<Shown<'a>> {
        let hiding = || (StripBytes::new(), manila_redact::Stream::new(redactor));
        let (pieces, written) = mpsc::channel();
        let waiting = Arc::<Waiting>::default();
        let counted = Arc::clone(&waiting);
        let named = thread::Builder::new().name("manila-tee".to_owned());
        let writer = named.spawn(move || write(&written, &counted))?;
        Ok(Shown { streams: Mutex::new([hiding(), hiding()]), pieces, waiting, writer })
    }

    fn show(&self, text: Vec<u8>) {
        if !text.is_empty() {
            self.waiting.n_bytes.fetch_add(text.len(), Ordering::Relaxed);
            // Where nobody writes any more, there is nobody left to show it to.
            let _ = self.pieces.send(text);
        }
    }

    /// Shows what is left when the program has ended, as long as somebody reads it.
    pub(super) fn finish(self) {
        const BETWEEN: Duration = Duration::from_millis(10);
        const PATIENCE: Duration = Duration::from_secs(1);
        if let Ok(mut streams) = self.streams.lock() {
            for (_, stream) in streams.iter_mut() {
                self.show(stream.finish().text);
            }
        }
        let Shown { pieces, waiting, writer, .. } = self;
        // Without a sender the thread ends when everything is written.
        drop(pieces);
        let (mut n_seen, mut idle) = (0, Duration::ZERO);
        while !writer.is_finished() && idle < PATIENCE {
            thread::sleep(BETWEEN);
            let n_now = waiting.n_bytes.load(Ordering::Relaxed);
            let is_idle = n_now == std::mem::replace(&mut n_seen, n_now);
            idle = if is_idle { idle + BETWEEN } else { Duration::ZERO };
        }
    }
}

impl Hear for Shown<'_> {
    fn hear(&self, stream: Stream, piece: &[u8]) {
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
        self.show(shown);
    }

    async fn room(&self) {
        loop {
            let less = self.waiting.less.notified();
            if self.waiting.n_bytes.load(Ordering::Relaxed) < WAITING_BYTES_MAX {
                return;
            }
            less.await;
        }
    }
}

/// Writes what is to be shown, in pieces so small that it is seen when somebody reads.
fn write(pieces: &mpsc::Receiver<Vec<u8>>, waiting: &Waiting) {
    const CHUNK_BYTES: usize = 4 * 1024;
    let mut is_read = true;
    for piece in pieces {
        for chunk in piece.chunks(CHUNK_BYTES) {
            // Who has closed standard error sees nothing, and holds up nobody.
            is_read = is_read && io::stderr().write_all(chunk).is_ok();
            waiting.n_bytes.fetch_sub(chunk.len(), Ordering::Relaxed);
            waiting.less.notify_waiters();
        }
    }
}
