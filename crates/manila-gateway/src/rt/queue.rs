//! A queue limited by the bytes in it, not by the number of its items.
//!
//! A sender that must not wait pushes immediately and gets an error if the queue is full. A sender
//! that can wait waits for room. One item may exceed the limit; otherwise no large item could pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

use crate::rt::wait_until::wait_until;

/// The sending end of a queue. Clones send to the same queue.
pub(crate) struct Sender<T> {
    items: mpsc::UnboundedSender<Item<T>>,
    level: Arc<Level>,
}

/// The receiving end of a queue.
pub(crate) struct Receiver<T> {
    items: mpsc::UnboundedReceiver<Item<T>>,
    level: Arc<Level>,
}

/// An item, its size, and how it was sent.
struct Item<T> {
    content: T,
    n_bytes: usize,
    mode: PushMode,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PushMode {
    AfterWait,
    Immediate,
}

struct Level {
    n_bytes: AtomicUsize,
    /// The part of `n_bytes` that was pushed without waiting.
    n_bytes_immediate: AtomicUsize,
    bytes_max: usize,
    room: Notify,
}

/// The reason why an item was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PushError {
    /// The items pushed without waiting have reached the limit. Other items do not count.
    Full,
    /// The receiver is closed.
    Closed,
}

/// The size of an item.
pub(crate) trait Weigh {
    fn n_bytes(&self) -> usize;
}

impl Weigh for Bytes {
    fn n_bytes(&self) -> usize {
        self.len()
    }
}

/// The overhead per item, which is added to its size.
const ITEM_BYTES: usize = 128;

/// Creates a queue limited to this number of bytes.
pub(crate) fn queue<T: Weigh>(bytes_max: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let level = Arc::new(Level {
        n_bytes: AtomicUsize::new(0),
        n_bytes_immediate: AtomicUsize::new(0),
        bytes_max,
        room: Notify::new(),
    });
    (Sender { items: sender, level: Arc::clone(&level) }, Receiver { items: receiver, level })
}

impl<T: Weigh> Sender<T> {
    /// Sends an item without waiting.
    pub(crate) fn push(&self, item: T) -> Result<(), PushError> {
        if self.level.n_bytes_immediate.load(Ordering::Relaxed) >= self.level.bytes_max {
            return Err(PushError::Full);
        }
        self.put(item, PushMode::Immediate)
    }

    /// Waits for room, then sends an item.
    pub(crate) async fn send(&self, item: T) -> Result<(), PushError> {
        self.wait_for_room().await;
        self.put(item, PushMode::AfterWait)
    }

    /// Sends an item whose sender has already waited for room.
    pub(crate) fn push_after_wait(&self, item: T) -> Result<(), PushError> {
        self.put(item, PushMode::AfterWait)
    }

    /// Waits until there is room or the receiver is closed.
    pub(crate) async fn wait_for_room(&self) {
        wait_until(&self.level.room, || !self.is_full() || self.items.is_closed()).await;
    }

    /// Returns whether a sender that can wait has to.
    pub(crate) fn is_full(&self) -> bool {
        self.level.is_full()
    }

    fn put(&self, item: T, mode: PushMode) -> Result<(), PushError> {
        let n_bytes = item.n_bytes() + ITEM_BYTES;
        self.level.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        if mode == PushMode::Immediate {
            self.level.n_bytes_immediate.fetch_add(n_bytes, Ordering::Relaxed);
        }
        self.items.send(Item { content: item, n_bytes, mode }).map_err(|_| PushError::Closed)
    }
}

impl<T> Sender<T> {
    /// Returns a handle that waits for room and does not keep the queue open.
    pub(crate) fn room_watcher(&self) -> Room<T> {
        Room { items: self.items.downgrade(), level: Arc::clone(&self.level) }
    }
}

/// A handle that waits for room in a queue but sends nothing.
pub(crate) struct Room<T> {
    items: mpsc::WeakUnboundedSender<Item<T>>,
    level: Arc<Level>,
}

impl<T> Room<T> {
    /// Waits until there is room or the queue is closed.
    pub(crate) async fn wait(&self) {
        wait_until(&self.level.room, || {
            let is_open = self.items.upgrade().is_some_and(|items| !items.is_closed());
            !self.level.is_full() || !is_open
        })
        .await;
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender { items: self.items.clone(), level: Arc::clone(&self.level) }
    }
}

impl<T> Receiver<T> {
    /// Receives the next item, or `None` if all senders are dropped.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        let item = self.items.recv().await?;
        Some(self.level.release(item))
    }

    /// Receives the next item outside of the runtime, or `None` if all senders are dropped.
    pub(crate) fn recv_blocking(&mut self) -> Option<T> {
        let item = self.items.blocking_recv()?;
        Some(self.level.release(item))
    }

    /// Receives the next item if the queue has one.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        let item = self.items.try_recv().ok()?;
        Some(self.level.release(item))
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.items.close();
        self.level.room.notify_waiters();
    }
}

impl Level {
    fn is_full(&self) -> bool {
        self.n_bytes.load(Ordering::Relaxed) >= self.bytes_max
    }

    fn release<T>(&self, item: Item<T>) -> T {
        let Item { content, n_bytes, mode } = item;
        if mode == PushMode::Immediate {
            self.n_bytes_immediate.fetch_sub(n_bytes, Ordering::Relaxed);
        }
        let before = self.n_bytes.fetch_sub(n_bytes, Ordering::Relaxed);
        if before >= self.bytes_max {
            self.room.notify_waiters();
        }
        content
    }
}

#[cfg(test)]
mod tests;
