//! Waiting until something is so, told by whoever makes it so.

use tokio::sync::Notify;

/// Waits until `is_so`, and looks whenever somebody tells that it may be.
pub(crate) async fn until(told: &Notify, is_so: impl Fn() -> bool) {
    while !is_so() {
        let change = told.notified();
        tokio::pin!(change);
        // From here on no news is missed.
        change.as_mut().enable();
        if is_so() {
            return;
        }
        change.await;
    }
}
