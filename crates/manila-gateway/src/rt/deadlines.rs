//! The deadlines of all calls, with one shared timer.
//!
//! Nearly every call ends long before its deadline. A timer per call would cost a system call to
//! start, for nothing. So one timer waits for the earliest deadline, and most calls start and end
//! without touching it.

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
    /// The number of deadlines created so far, which makes each key unique.
    n_created: u64,
    /// When the timer wakes up next, if it is set.
    next_wakeup: Option<Instant>,
}

impl Deadlines {
    /// Starts the timer.
    pub(crate) fn start() -> Arc<Deadlines> {
        let deadlines = Arc::<Deadlines>::default();
        let timer = Arc::clone(&deadlines);
        tokio::spawn(async move {
            let deadlines = timer;
            loop {
                let next = deadlines.next_wakeup();
                tokio::select! {
                    () = deadlines.wake.notified() => {}
                    () = sleep_until(next) => {}
                }
            }
        });
        deadlines
    }

    /// Creates a deadline that passes after `timeout`, counted from now. Dropping it is cheap.
    pub(crate) fn within(self: &Arc<Deadlines>, timeout: Duration) -> Deadline {
        self.at(clock::now() + timeout, timeout)
    }

    /// Creates a deadline that passes at this time. `timeout` is the time limit to report, and the
    /// extension that each sign of activity grants.
    pub(crate) fn at(self: &Arc<Deadlines>, at: Instant, timeout: Duration) -> Deadline {
        let (sender, receiver) = oneshot::channel();
        let Ok(mut waiting) = self.waiting.lock() else {
            return Deadline { receiver, key: (at, 0), timeout, deadlines: Arc::clone(self) };
        };
        waiting.n_created += 1;
        let key = (at, waiting.n_created);
        waiting.by_time.insert(key, sender);
        if waiting.next_wakeup.is_none_or(|wakeup| wakeup > at) {
            waiting.next_wakeup = Some(at);
            self.wake.notify_one();
        }
        Deadline { receiver, key, timeout, deadlines: Arc::clone(self) }
    }

    /// Signals the deadlines that have passed, and returns when to wake up next.
    fn next_wakeup(&self) -> Option<Instant> {
        let mut waiting = self.waiting.lock().ok()?;
        let now = clock::now();
        while let Some(entry) = waiting.by_time.first_entry()
            && entry.key().0 <= now
        {
            // The receiver may be closed.
            let _ = entry.remove().send(());
        }
        let next = waiting.by_time.first_key_value().map(|((at, _), _)| *at);
        waiting.next_wakeup = next;
        next
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// A point in time that a caller waits for.
pub(crate) struct Deadline {
    receiver: oneshot::Receiver<()>,
    key: (Instant, u64),
    timeout: Duration,
    deadlines: Arc<Deadlines>,
}

impl Deadline {
    /// Returns when it passes.
    pub(crate) fn time(&self) -> Instant {
        self.key.0
    }

    /// Returns the time limit to report.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Waits until it has passed.
    pub(crate) async fn wait(&mut self) {
        // The timer ends only with the gateway.
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
