use std::time::Duration;

use super::Patience;
use crate::rt::clock;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn one_timer_serves_waits_one_after_another_whatever_their_lengths() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let patience = Patience::new();
        // One that is given up leaves the timer running for longer than the next one waits.
        let long = patience.wait(Duration::from_secs(3_600));
        assert!(tokio::time::timeout(ms(1), long).await.is_err());
        let start = clock::now();
        patience.wait(ms(5)).await;
        assert!(clock::now() - start >= ms(5));
        // And for less than the one after it.
        let short = patience.wait(ms(10));
        assert!(tokio::time::timeout(ms(1), short).await.is_err());
        let start = clock::now();
        patience.wait(ms(40)).await;
        assert!(clock::now() - start >= ms(40));
    });
}
