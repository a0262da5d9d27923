//! Waits for a condition, with a notification whenever it may have changed.

use tokio::sync::Notify;

/// Waits until `is_met` returns `true`. It is called again after each notification.
pub(crate) async fn wait_until(notify: &Notify, is_met: impl Fn() -> bool) {
    while !is_met() {
        let change = notify.notified();
        tokio::pin!(change);
        // From here on no notification is missed.
        change.as_mut().enable();
        if is_met() {
            return;
        }
        change.await;
    }
}
