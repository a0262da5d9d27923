//! Responses that are still being handled, for which later messages of the same server wait.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::wait_until::wait_until;

/// The responses of one server that are being handled on the pool.
#[derive(Clone, Default)]
pub(crate) struct Unsettled(Arc<State>);

#[derive(Default)]
struct State {
    numbers: Mutex<Numbers>,
    settled: Notify,
}

/// Numbers in the order in which the handling began.
#[derive(Default)]
struct Numbers {
    next: u64,
    active: BTreeSet<u64>,
}

impl Unsettled {
    /// Begins to handle a response, until the result is dropped.
    pub(crate) fn begin(&self) -> Settling {
        let mut number = 0;
        if let Ok(mut numbers) = self.0.numbers.lock() {
            number = numbers.next;
            numbers.next += 1;
            numbers.active.insert(number);
        }
        Settling { state: Arc::clone(&self.0), number }
    }

    /// Waits until every response whose handling has begun is settled.
    pub(crate) async fn wait_settled(&self) {
        let Some(next) = self.0.numbers.lock().ok().map(|numbers| numbers.next) else { return };
        wait_until(&self.0.settled, || {
            let first = self.0.numbers.lock().ok().and_then(|it| it.active.first().copied());
            first.is_none_or(|first| first >= next)
        })
        .await;
    }
}

/// A response that is being handled.
pub(crate) struct Settling {
    state: Arc<State>,
    number: u64,
}

impl Drop for Settling {
    fn drop(&mut self) {
        if let Ok(mut numbers) = self.state.numbers.lock() {
            numbers.active.remove(&self.number);
        }
        self.state.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
