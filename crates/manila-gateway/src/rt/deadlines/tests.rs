use std::time::Duration;

use super::Deadlines;
use crate::rt::clock;

#[test]
fn deadlines_pass_by_time_not_by_creation() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let deadlines = Deadlines::start();
        let start = clock::now();
        let after = |ms| deadlines.at(start + Duration::from_millis(ms), Duration::ZERO);
        let mut late = after(40);
        // Now the timer sleeps until the later one.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let mut early = after(10);
        drop(after(5));
        tokio::select! {
            () = late.wait() => panic!("the later one came first"),
            () = early.wait() => {}
        }
        assert!(clock::now() < start + Duration::from_millis(40));
        late.wait().await;
        assert!(clock::now() >= start + Duration::from_millis(40));
        after(0).wait().await;
    });
}
