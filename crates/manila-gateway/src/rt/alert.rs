//! Waiting for the next message without falling asleep at once.
//!
//! To wake a sleeping processor costs more than all that is done with a small message. So whoever
//! reads stays awake for a moment after a message, if the one before came soon too: in a busy
//! conversation the next one finds us awake, and an idle one costs nothing.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use crate::rt::clock;

/// How long to stay awake. Where messages come less often than `SHORT`, it is in vain only once.
const AWAKE: Duration = Duration::from_micros(100);

/// What is a short wait. It is longer than `AWAKE`: where both sides slept, both had to be woken.
const SHORT: Duration = Duration::from_micros(300);

/// Waits for the same thing again and again.
#[derive(Debug, Default)]
pub(crate) struct Alert {
    was_short: bool,
}

impl Alert {
    /// Waits for `awaited`.
    pub(crate) async fn wait<F: Future>(&mut self, awaited: F) -> F::Output {
        let mut awaited = pin!(awaited);
        let mut at_once = async || poll_fn(|cx| Poll::Ready(awaited.as_mut().poll(cx))).await;
        if let Poll::Ready(output) = at_once().await {
            return output;
        }
        let start = clock::now();
        let mut n_looks = 0_usize;
        while self.was_short && has_other_core() && start.elapsed() < AWAKE {
            // Whoever else has work for this core goes first now and then. Each time would be
            // too often: it takes longer than to ask the system for news.
            n_looks += 1;
            if n_looks.is_multiple_of(8) {
                std::thread::yield_now();
            }
            tokio::task::yield_now().await;
            if let Poll::Ready(output) = at_once().await {
                return output;
            }
        }
        let output = awaited.await;
        self.was_short = start.elapsed() < SHORT;
        output
    }
}

/// Whether somebody else can run while we do. Staying awake on the only core would keep from it
/// what we wait for.
fn has_other_core() -> bool {
    static HAS_OTHER_CORE: OnceLock<bool> = OnceLock::new();
    *HAS_OTHER_CORE
        .get_or_init(|| std::thread::available_parallelism().is_ok_and(|n_cores| n_cores.get() > 1))
}

#[cfg(test)]
mod tests;
