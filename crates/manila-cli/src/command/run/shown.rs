//! What people see of a program's output while it runs (`--tee`).

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use anstream::adapter::StripBytes;
use manila_gateway::run::Stream;
use manila_redact::Redactor;

/// How many pieces may wait for whoever reads them.
const PIECES_MAX: usize = 256;

/// So long nothing at all may be read before the rest is not shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// What people see of a program's output while it runs.
///
/// Colours are taken out before secrets are looked for: one in the middle of a secret would hide it. A
/// thread of its own writes: a reader who stopped must not keep us from ending the program in time.
pub(super) struct Shown<'a> {
    stdout: (StripBytes, manila_redact::Stream<'a>),
    stderr: (StripBytes, manila_redact::Stream<'a>),
    pieces: SyncSender<Vec<u8>>,
    n_lost: u64,
    n_written: Arc<AtomicU64>,
    /// How many were written when something was lost.
    stuck_at: Option<u64>,
    /// Nothing is ever sent: it ends with the thread.
    done: Receiver<()>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> io::Result<Shown<'a>> {
        let hiding = || (StripBytes::new(), manila_redact::Stream::new(redactor));
        let (pieces, written) = sync_channel::<Vec<u8>>(PIECES_MAX);
        let (running, done) = sync_channel(0);
        let n_written = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&n_written);
        thread::Builder::new().name("manila-tee".to_owned()).spawn(move || {
            for piece in written {
                // Where standard error is gone, there is nobody left to show it to.
                let _ = io::stderr().write_all(&piece);
                counted.fetch_add(1, Ordering::Relaxed);
            }
            drop(running);
        })?;
        Ok(Shown {
            stdout: hiding(),
            stderr: hiding(),
            pieces,
            n_lost: 0,
            n_written,
            stuck_at: None,
            done,
        })
    }

    pub(super) fn piece(&mut self, stream: Stream, piece: &[u8]) {
        let (stripping, redacting) = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let mut shown = Vec::new();
        for plain in stripping.strip_next(piece) {
            shown.extend_from_slice(&redacting.push(plain).text);
        }
        self.show(shown);
    }

    /// Shows what is left when the program has ended, as long as somebody reads it.
    pub(super) fn finish(mut self) {
        let rest = [self.stdout.1.finish().text, self.stderr.1.finish().text].concat();
        self.show(rest);
        if self.n_lost > 0 {
            let lost =
                format!("\n[{} bytes were not shown: nobody read them in time]\n", self.n_lost);
            self.show(lost.into_bytes());
        }
        drop(self.pieces);
        let mut n_seen = u64::MAX;
        while let Err(RecvTimeoutError::Timeout) = self.done.recv_timeout(PATIENCE) {
            let n_written = self.n_written.load(Ordering::Relaxed);
            if n_written == std::mem::replace(&mut n_seen, n_written) {
                return;
            }
        }
    }

    /// Hands a piece to the thread. Who reads slowly is waited for a little, and who reads nothing is not.
    fn show(&mut self, mut text: Vec<u8>) {
        const TRIES: usize = 20;
        const BETWEEN: Duration = Duration::from_millis(5);
        if text.is_empty() {
            return;
        }
        for _ in 0..TRIES {
            let n_written = self.n_written.load(Ordering::Relaxed);
            match self.pieces.try_send(text) {
                Ok(()) | Err(TrySendError::Disconnected(_)) => return,
                Err(TrySendError::Full(unsent)) => text = unsent,
            }
            if self.stuck_at == Some(n_written) {
                break;
            }
            thread::sleep(BETWEEN);
        }
        self.stuck_at = Some(self.n_written.load(Ordering::Relaxed));
        self.n_lost += text.len() as u64;
    }
}
