use std::time::Duration;

use super::ConnectionTimer;
use crate::rt::clock;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn consecutive_waits_of_any_length_share_one_timer() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let timer = ConnectionTimer::new();
        // An abandoned wait leaves the timer set to a later time than the next wait.
        let long = timer.wait(Duration::from_secs(3_600));
        assert!(tokio::time::timeout(ms(1), long).await.is_err());
        let start = clock::now();
        timer.wait(ms(5)).await;
        assert!(clock::now() - start >= ms(5));
        // This one leaves it set to an earlier time than the next wait.
        let short = timer.wait(ms(10));
        assert!(tokio::time::timeout(ms(1), short).await.is_err());
        let start = clock::now();
        timer.wait(ms(40)).await;
        assert!(clock::now() - start >= ms(40));
    });
}
