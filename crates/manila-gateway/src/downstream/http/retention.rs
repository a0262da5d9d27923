//! Limits the bytes that all streams together keep so that clients can resume them.
//!
//! Beyond the limit, the stream that has kept bytes for longest drops them.

use std::collections::BTreeMap;
use std::sync::{Mutex, Weak};

use super::stream::Stream;

/// The bytes that streams keep for clients that may resume them.
pub(super) struct Retention {
    bytes_max: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    n_bytes: usize,
    /// The streams that keep bytes, by the order in which they began to.
    by_age: BTreeMap<u64, Weak<Stream>>,
    /// The number of ages so far.
    n_ages: u64,
}

/// What one stream keeps.
#[derive(Debug, Default)]
pub(super) struct Share {
    n_bytes: usize,
    /// The position in the order of ages, while the stream keeps bytes.
    age: Option<u64>,
}

impl Retention {
    pub(super) fn new(bytes_max: usize) -> Retention {
        Retention { bytes_max, kept: Mutex::default() }
    }

    /// Changes what a stream keeps to this number of bytes. Returns whether the total exceeds the
    /// limit, so that the caller must call `evict` once it has unlocked its stream.
    pub(super) fn update(&self, share: &mut Share, n_bytes: usize, stream: &Weak<Stream>) -> bool {
        if share.n_bytes == n_bytes {
            return false;
        }
        let Ok(mut kept) = self.kept.lock() else { return false };
        kept.n_bytes = kept.n_bytes.saturating_sub(share.n_bytes) + n_bytes;
        share.n_bytes = n_bytes;
        match share.age {
            Some(age) if n_bytes == 0 => {
                kept.by_age.remove(&age);
                share.age = None;
            }
            None if n_bytes > 0 => {
                kept.n_ages += 1;
                let age = kept.n_ages;
                kept.by_age.insert(age, stream.clone());
                share.age = Some(age);
            }
            Some(_) | None => {}
        }
        kept.n_bytes > self.bytes_max
    }

    /// Drops the oldest bytes beyond the limit.
    pub(super) fn evict(&self) {
        while let Some(oldest) = self.take_oldest() {
            // A stream that no longer exists keeps nothing.
            if let Some(stream) = oldest.upgrade() {
                stream.drop_kept();
            }
        }
    }

    /// Takes the oldest stream that keeps bytes, if the total exceeds the limit.
    fn take_oldest(&self) -> Option<Weak<Stream>> {
        let mut kept = self.kept.lock().ok()?;
        if kept.n_bytes <= self.bytes_max {
            return None;
        }
        kept.by_age.pop_first().map(|(_, stream)| stream)
    }

    /// Returns the total size of what streams keep.
    #[cfg(test)]
    pub(super) fn n_bytes(&self) -> usize {
        self.kept.lock().map_or(0, |kept| kept.n_bytes)
    }
}
