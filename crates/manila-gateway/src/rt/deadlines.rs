//! The deadlines of all calls behind one timer.
//!
//! Nearly every call is answered long before its time is up. A timer of its own would cost it
//! a system call to start and nothing to show for it, so one timer waits for the earliest
//! deadline, and calls come and go without touching it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::rt::clock;

/// Deadlines that have not passed, by time and number.
#[derive(Default)]
pub(crate) struct Deadlines {
    waiting: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Default)]
struct Waiting {
    by_time: BTreeMap<(Instant, u64), oneshot::Sender<()>>,
    n_given: u64,
    /// When the timer looks next, if it does.
    next_look: Option<Instant>,
}

impl Deadlines {
    /// Starts the timer.
    pub(crate) fn start() -> Arc<Deadlines> {
        let deadlines = Arc::<Deadlines>::default();
        let timer = Arc::clone(&deadlines);
        tokio::spawn(async move {
            let deadlines = timer;
            loop {
                let next = deadlines.next_look();
                tokio::select! {
                    () = deadlines.wake.notified() => {}
                    () = until(next) => {}
                }
            }
        });
        deadlines
    }

    /// Passes after this time from now on. To drop it costs next to nothing.
    pub(crate) fn within(self: &Arc<Deadlines>, time: Duration) -> Deadline {
        self.at(clock::now() + time, time)
    }

    /// Passes when the time has come. `time` is what is said to be given, and what a sign of life
    /// gives once more.
    pub(crate) fn at(self: &Arc<Deadlines>, at: Instant, time: Duration) -> Deadline {
        let (sender, receiver) = oneshot::channel();
        let Ok(mut waiting) = self.waiting.lock() else {
            return Deadline { receiver, key: (at, 0), given: time, deadlines: Arc::clone(self) };
        };
        waiting.n_given += 1;
        let key = (at, waiting.n_given);
        waiting.by_time.insert(key, sender);
        if waiting.next_look.is_none_or(|look| look > at) {
            waiting.next_look = Some(at);
            self.wake.notify_one();
        }
        Deadline { receiver, key, given: time, deadlines: Arc::clone(self) }
    }

    /// Lets pass what is over, and tells when to look again.
    fn next_look(&self) -> Option<Instant> {
        let mut waiting = self.waiting.lock().ok()?;
        let now = clock::now();
        while let Some(entry) = waiting.by_time.first_entry()
            && entry.key().0 <= now
        {
            // Whoever does not wait any more has no use for it.
            let _ = entry.remove().send(());
        }
        let next = waiting.by_time.first_key_value().map(|((at, _), _)| *at);
        waiting.next_look = next;
        next
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// A point in time that is waited for.
pub(crate) struct Deadline {
    receiver: oneshot::Receiver<()>,
    key: (Instant, u64),
    given: Duration,
    deadlines: Arc<Deadlines>,
}

impl Deadline {
    /// When it passes.
    pub(crate) fn time(&self) -> Instant {
        self.key.0
    }

    /// How much time is said to be given.
    pub(crate) fn given(&self) -> Duration {
        self.given
    }

    /// Waits until it has passed.
    pub(crate) async fn passed(&mut self) {
        // If the timer is gone, so is the gateway.
        let _ = (&mut self.receiver).await;
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if let Ok(mut waiting) = self.deadlines.waiting.lock() {
            waiting.by_time.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests;
