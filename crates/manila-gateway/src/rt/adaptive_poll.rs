//! Adaptive polling: waits for the next message without going to sleep immediately.
//!
//! Waking a sleeping processor costs more than handling a small message. So a reader polls for a
//! moment after a message, if the previous wait was short too. On a busy connection the next
//! message finds the reader awake; an idle connection costs nothing.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use crate::rt::clock;

/// How long to poll. If messages are further apart than `SHORT_WAIT`, only one poll is wasted.
const POLL_TIME: Duration = Duration::from_micros(100);

/// The limit of a short wait. It is longer than `POLL_TIME`, because a wait during which both sides
/// slept includes the time to wake both.
const SHORT_WAIT: Duration = Duration::from_micros(300);

/// Waits for the same event repeatedly.
#[derive(Debug, Default)]
pub(crate) struct AdaptivePoll {
    was_short: bool,
}

impl AdaptivePoll {
    /// Waits for `awaited`.
    pub(crate) async fn wait<F: Future>(&mut self, awaited: F) -> F::Output {
        let mut awaited = pin!(awaited);
        let mut poll_once = async || poll_fn(|cx| Poll::Ready(awaited.as_mut().poll(cx))).await;
        if let Poll::Ready(output) = poll_once().await {
            return output;
        }
        let start = clock::now();
        let mut n_polls = 0_usize;
        while self.was_short && has_other_core() && start.elapsed() < POLL_TIME {
            // Other threads get this core now and then. Yielding every time would be too often:
            // it takes longer than polling the system for new events.
            n_polls += 1;
            if n_polls.is_multiple_of(8) {
                std::thread::yield_now();
            }
            tokio::task::yield_now().await;
            if let Poll::Ready(output) = poll_once().await {
                return output;
            }
        }
        let output = awaited.await;
        self.was_short = start.elapsed() < SHORT_WAIT;
        output
    }
}

/// Returns whether another thread can run at the same time. Polling on the only core would block
/// the thread that sends the message.
fn has_other_core() -> bool {
    static HAS_OTHER_CORE: OnceLock<bool> = OnceLock::new();
    *HAS_OTHER_CORE
        .get_or_init(|| std::thread::available_parallelism().is_ok_and(|n_cores| n_cores.get() > 1))
}

#[cfg(test)]
mod tests;
