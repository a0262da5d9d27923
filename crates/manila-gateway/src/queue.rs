//! A queue that is limited by the bytes in it, not by the number of its items.
//!
//! Whoever must not wait puts in at once and learns when that is too much; whoever can wait
//! waits for room. One item may be larger than the limit, or nothing large could pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

/// Where items are put in. Clones put into the same queue.
pub(crate) struct Sender<T> {
    items: mpsc::UnboundedSender<(usize, T)>,
    level: Arc<Level>,
}

/// Where items come out.
pub(crate) struct Receiver<T> {
    items: mpsc::UnboundedReceiver<(usize, T)>,
    level: Arc<Level>,
}

struct Level {
    n_bytes: AtomicUsize,
    bytes_max: usize,
    room: Notify,
}

/// Why an item was not put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotPut {
    /// Far more waits than should.
    Full,
    /// Nothing comes out any more.
    Closed,
}

/// What an item weighs.
pub(crate) trait Weigh {
    fn n_bytes(&self) -> usize;
}

impl Weigh for Bytes {
    fn n_bytes(&self) -> usize {
        self.len()
    }
}

/// An item weighs at least this much, for what is kept beside its bytes.
const ITEM_BYTES: usize = 128;

/// Those who cannot wait may go beyond the limit so many times.
const HURRY: usize = 4;

pub(crate) fn queue<T: Weigh>(bytes_max: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let level = Arc::new(Level { n_bytes: AtomicUsize::new(0), bytes_max, room: Notify::new() });
    (Sender { items: sender, level: Arc::clone(&level) }, Receiver { items: receiver, level })
}

impl<T: Weigh> Sender<T> {
    /// Puts in at once.
    pub(crate) fn push(&self, item: T) -> Result<(), NotPut> {
        if self.n_bytes() > self.level.bytes_max.saturating_mul(HURRY) {
            return Err(NotPut::Full);
        }
        self.put(item)
    }

    /// Waits for room, and puts in.
    pub(crate) async fn send(&self, item: T) -> Result<(), NotPut> {
        self.room().await;
        self.put(item)
    }

    /// Waits until there is room, or nothing comes out any more.
    pub(crate) async fn room(&self) {
        loop {
            let freed = self.level.room.notified();
            tokio::pin!(freed);
            // From here on no news is missed.
            freed.as_mut().enable();
            if self.n_bytes() < self.level.bytes_max || self.items.is_closed() {
                return;
            }
            freed.await;
        }
    }

    fn put(&self, item: T) -> Result<(), NotPut> {
        let n_bytes = item.n_bytes() + ITEM_BYTES;
        self.level.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        self.items.send((n_bytes, item)).map_err(|_| NotPut::Closed)
    }

    fn n_bytes(&self) -> usize {
        self.level.n_bytes.load(Ordering::Relaxed)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender { items: self.items.clone(), level: Arc::clone(&self.level) }
    }
}

impl<T> Receiver<T> {
    /// The next item, or `None` when nobody can put in any more.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        let (n_bytes, item) = self.items.recv().await?;
        self.level.taken(n_bytes);
        Some(item)
    }

    /// The next item, if it is there.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        let (n_bytes, item) = self.items.try_recv().ok()?;
        self.level.taken(n_bytes);
        Some(item)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.items.close();
        self.level.room.notify_waiters();
    }
}

impl Level {
    fn taken(&self, n_bytes: usize) {
        let before = self.n_bytes.fetch_sub(n_bytes, Ordering::Relaxed);
        if before >= self.bytes_max {
            self.room.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{NotPut, queue};

    #[test]
    fn who_can_wait_waits_and_who_cannot_is_told() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (sender, mut receiver) = queue::<Bytes>(1000);
            sender.send(Bytes::from(vec![0; 5000])).await.unwrap();
            assert_eq!(sender.push(Bytes::new()), Err(NotPut::Full));
            let late = tokio::spawn({
                let sender = sender.clone();
                async move { sender.send(Bytes::from_static(b"late")).await }
            });
            tokio::task::yield_now().await;
            assert!(!late.is_finished());
            assert_eq!(receiver.recv().await.unwrap().len(), 5000);
            assert_eq!(late.await.unwrap(), Ok(()));
            assert_eq!(receiver.recv().await.unwrap(), "late");
            sender.push(Bytes::from(vec![0; 5000])).unwrap();
            let waiting = tokio::spawn({
                let sender = sender.clone();
                async move { sender.send(Bytes::new()).await }
            });
            tokio::task::yield_now().await;
            drop(receiver);
            assert_eq!(waiting.await.unwrap(), Err(NotPut::Closed));
        });
    }
}
