//! A queue that is limited by the bytes in it, not by the number of its items.
//!
//! Whoever must not wait puts in at once and learns when that is too much; whoever can wait
//! waits for room. One item may be larger than the limit, or nothing large could pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

use crate::rt::until::until;

/// Where items are put in. Clones put into the same queue.
pub(crate) struct Sender<T> {
    items: mpsc::UnboundedSender<Item<T>>,
    level: Arc<Level>,
}

/// Where items come out.
pub(crate) struct Receiver<T> {
    items: mpsc::UnboundedReceiver<Item<T>>,
    level: Arc<Level>,
}

/// An item, and how it was put in.
struct Item<T> {
    content: T,
    n_bytes: usize,
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Waited,
    AtOnce,
}

struct Level {
    n_bytes: AtomicUsize,
    /// Of those, what was put in at once.
    n_bytes_at_once: AtomicUsize,
    bytes_max: usize,
    room: Notify,
}

/// Why an item was not put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotPut {
    /// More than the limit waits that was put in at once, whatever else there is.
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

pub(crate) fn queue<T: Weigh>(bytes_max: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let level = Arc::new(Level {
        n_bytes: AtomicUsize::new(0),
        n_bytes_at_once: AtomicUsize::new(0),
        bytes_max,
        room: Notify::new(),
    });
    (Sender { items: sender, level: Arc::clone(&level) }, Receiver { items: receiver, level })
}

impl<T: Weigh> Sender<T> {
    /// Puts in at once.
    pub(crate) fn push(&self, item: T) -> Result<(), NotPut> {
        if self.level.n_bytes_at_once.load(Ordering::Relaxed) >= self.level.bytes_max {
            return Err(NotPut::Full);
        }
        self.put(item, Way::AtOnce)
    }

    /// Waits for room, and puts in.
    pub(crate) async fn send(&self, item: T) -> Result<(), NotPut> {
        self.room().await;
        self.put(item, Way::Waited)
    }

    /// Puts in what has waited for room already.
    pub(crate) fn put_waited(&self, item: T) -> Result<(), NotPut> {
        self.put(item, Way::Waited)
    }

    /// Waits until there is room, or nothing comes out any more.
    pub(crate) async fn room(&self) {
        until(&self.level.room, || !self.is_full() || self.items.is_closed()).await;
    }

    /// Whether whoever can wait has to.
    pub(crate) fn is_full(&self) -> bool {
        self.level.is_full()
    }

    fn put(&self, item: T, way: Way) -> Result<(), NotPut> {
        let n_bytes = item.n_bytes() + ITEM_BYTES;
        self.level.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        if way == Way::AtOnce {
            self.level.n_bytes_at_once.fetch_add(n_bytes, Ordering::Relaxed);
        }
        self.items.send(Item { content: item, n_bytes, way }).map_err(|_| NotPut::Closed)
    }
}

impl<T> Sender<T> {
    /// For somebody who only waits for room, and does not keep the queue open.
    pub(crate) fn watched(&self) -> Room<T> {
        Room { items: self.items.downgrade(), level: Arc::clone(&self.level) }
    }
}

/// The room in a queue, seen by somebody who puts nothing in.
pub(crate) struct Room<T> {
    items: mpsc::WeakUnboundedSender<Item<T>>,
    level: Arc<Level>,
}

impl<T> Room<T> {
    /// Waits until there is room, or nobody needs it any more.
    pub(crate) async fn wait(&self) {
        until(&self.level.room, || {
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
    /// The next item, or `None` when nobody can put in any more.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        let item = self.items.recv().await?;
        Some(self.level.taken(item))
    }

    /// The next item, for a thread of its own, or `None` when nobody can put in any more.
    pub(crate) fn recv_blocking(&mut self) -> Option<T> {
        let item = self.items.blocking_recv()?;
        Some(self.level.taken(item))
    }

    /// The next item, if it is there.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        let item = self.items.try_recv().ok()?;
        Some(self.level.taken(item))
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

    fn taken<T>(&self, item: Item<T>) -> T {
        let Item { content, n_bytes, way } = item;
        if way == Way::AtOnce {
            self.n_bytes_at_once.fetch_sub(n_bytes, Ordering::Relaxed);
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
