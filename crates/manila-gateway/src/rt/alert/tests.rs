use std::future::{Future, poll_fn};
use std::pin::pin;
use std::time::Duration;

use super::Alert;

/// Waits, and tells how often it was looked whether the wait is over.
async fn n_looks(alert: &mut Alert, awaited: impl Future<Output = ()>) -> usize {
    let mut awaited = pin!(awaited);
    let mut n_looks = 0;
    let looked_at = poll_fn(|cx| {
        n_looks += 1;
        awaited.as_mut().poll(cx)
    });
    alert.wait(looked_at).await;
    n_looks
}

#[test]
fn after_a_long_wait_nobody_stays_awake() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let long = || tokio::time::sleep(Duration::from_millis(5));
        let mut alert = Alert { was_short: true };
        n_looks(&mut alert, long()).await;
        assert!(!alert.was_short, "5 ms are long");
        // At once, before it sleeps, and when it is woken.
        assert_eq!(n_looks(&mut alert, long()).await, 3);
        assert_eq!(n_looks(&mut alert, std::future::ready(())).await, 1);
    });
}
