use std::future::{Future, poll_fn};
use std::pin::pin;
use std::time::Duration;

use super::AdaptivePoll;

/// Waits, and returns how often the future was polled.
async fn count_polls(poll: &mut AdaptivePoll, awaited: impl Future<Output = ()>) -> usize {
    let mut awaited = pin!(awaited);
    let mut n_polls = 0;
    let counted = poll_fn(|cx| {
        n_polls += 1;
        awaited.as_mut().poll(cx)
    });
    poll.wait(counted).await;
    n_polls
}

#[test]
fn does_not_poll_after_a_long_wait() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let long = || tokio::time::sleep(Duration::from_millis(5));
        let mut poll = AdaptivePoll { was_short: true };
        count_polls(&mut poll, long()).await;
        assert!(!poll.was_short, "5 ms are long");
        // Immediately, before it sleeps, and when it is woken.
        assert_eq!(count_polls(&mut poll, long()).await, 3);
        assert_eq!(count_polls(&mut poll, std::future::ready(())).await, 1);
    });
}
