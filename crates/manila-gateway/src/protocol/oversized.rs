//! Messages over the size limit: scanned as they arrive, and not stored.

use std::time::Duration;

use bytes::Bytes;

use super::id_scan::{IdScan, ScannedMessage};

/// A message over the limit that is being read.
pub(crate) struct OversizedMessage {
    /// Looks for the id; `None` if the text does not begin like a message.
    scan: Option<IdScan>,
    unscanned: Bytes,
    is_complete: bool,
    /// The number of bytes since the last pause.
    n_bytes: usize,
}

impl Default for OversizedMessage {
    fn default() -> OversizedMessage {
        let scan = Some(IdScan::default());
        OversizedMessage { scan, unscanned: Bytes::new(), is_complete: false, n_bytes: 0 }
    }
}

impl OversizedMessage {
    /// Creates a text that does not begin like a message.
    pub(crate) fn nonsense() -> OversizedMessage {
        OversizedMessage { scan: None, ..OversizedMessage::default() }
    }

    /// Takes the next part. The previous part must have been skipped.
    pub(crate) fn push(&mut self, part: Bytes) {
        self.unscanned = part;
    }

    /// Takes the last part.
    pub(crate) fn push_last(&mut self, part: Bytes) {
        self.push(part);
        self.is_complete = true;
    }

    /// Scans the last part that was pushed, with pauses in which other tasks can run. Returns
    /// whether the message is complete.
    ///
    /// The pauses also limit how much of the processor a message without an end can use.
    pub(crate) async fn skip(&mut self) -> bool {
        const PIECE: usize = 256 * 1024;
        const PAUSE: Duration = Duration::from_millis(4);
        while !self.unscanned.is_empty() {
            let n_piece = self.unscanned.len().min(PIECE - self.n_bytes);
            let piece = self.unscanned.split_to(n_piece);
            if let Some(scan) = &mut self.scan {
                scan.feed(&piece);
            }
            self.n_bytes += n_piece;
            if self.n_bytes == PIECE {
                self.n_bytes = 0;
                tokio::time::sleep(PAUSE).await;
            }
        }
        self.is_complete
    }

    /// Returns what is known about the message.
    pub(crate) fn end(self) -> ScannedMessage {
        self.scan.map(IdScan::end).unwrap_or_default()
    }
}
