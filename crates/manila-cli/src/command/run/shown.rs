//! What people see of a program's output while it runs (`--tee`).

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anstream::adapter::StripBytes;
use manila_gateway::run::{Hear, Stream};
use manila_redact::Redactor;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// How many pieces may wait for whoever reads them. Then the program has to wait.
const PIECES_MAX: usize = 16;

/// What people see of a program's output while it runs.
///
/// Colours are taken out before secrets are looked for: one in the middle of a secret would hide it. A
/// thread of its own writes: a reader who has stopped must not keep us from ending the program in time.
pub(super) struct Shown<'a> {
    streams: Mutex<[(StripBytes, manila_redact::Stream<'a>); 2]>,
    pieces: Sender<Vec<u8>>,
    n_written: Arc<AtomicU64>,
    writer: JoinHandle<()>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> io::Result<Shown<'a>> {
        let hiding = || (StripBytes::new(), manila_redact::Stream::new(redactor));
        let (pieces, waiting) = channel(PIECES_MAX);
        let n_written = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&n_written);
        let named = thread::Builder::new().name("manila-tee".to_owned());
        let writer = named.spawn(move || write(waiting, &counted))?;
        Ok(Shown { streams: Mutex::new([hiding(), hiding()]), pieces, n_written, writer })
    }

    /// What may be shown of a piece.
    fn hidden(&self, stream: Stream, piece: &[u8]) -> Vec<u8> {
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
        shown
    }

    /// Shows what is left when the program has ended, as long as somebody reads it.
    pub(super) fn finish(self) {
        const BETWEEN: Duration = Duration::from_millis(10);
        const PATIENCE: Duration = Duration::from_secs(2);
        let Shown { streams, pieces, n_written, writer } = self;
        let streams = streams.into_inner().into_iter().flatten();
        let rest: Vec<u8> = streams.flat_map(|(_, mut stream)| stream.finish().text).collect();
        let mut rest = Some(rest);
        let (mut n_seen, mut idle) = (u64::MAX, Duration::ZERO);
        while !writer.is_finished() && idle < PATIENCE {
            // With the sender goes the last reason for the thread to wait.
            if let Some(piece) = rest.take()
                && let Err(error) = pieces.try_send(piece)
            {
                rest = Some(error.into_inner());
            }
            if rest.is_none() {
                break;
            }
            pause(&n_written, &mut n_seen, &mut idle, BETWEEN);
        }
        drop(pieces);
        while !writer.is_finished() && idle < PATIENCE {
            pause(&n_written, &mut n_seen, &mut idle, BETWEEN);
        }
    }
}

/// Waits a little, and notes for how long nothing was read.
fn pause(n_written: &AtomicU64, n_seen: &mut u64, idle: &mut Duration, between: Duration) {
    thread::sleep(between);
    let n_now = n_written.load(Ordering::Relaxed);
    *idle =
        if n_now == std::mem::replace(n_seen, n_now) { *idle + between } else { Duration::ZERO };
}

impl Hear for Shown<'_> {
    async fn hear(&self, stream: Stream, piece: &[u8]) {
        let shown = self.hidden(stream, piece);
        if !shown.is_empty() {
            // Where nobody writes any more, there is nobody left to show it to.
            let _ = self.pieces.send(shown).await;
        }
    }
}

/// Writes what is to be shown, in pieces so small that it is seen when somebody reads.
fn write(mut waiting: Receiver<Vec<u8>>, n_written: &AtomicU64) {
    const CHUNK_BYTES: usize = 4 * 1024;
    while let Some(piece) = waiting.blocking_recv() {
        for chunk in piece.chunks(CHUNK_BYTES) {
            if io::stderr().write_all(chunk).is_err() {
                return;
            }
            n_written.fetch_add(1, Ordering::Relaxed);
        }
    }
}
