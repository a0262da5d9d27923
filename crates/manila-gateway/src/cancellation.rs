//! A caller's change of mind, and its reason.

use std::sync::OnceLock;

use manila::RawJson;
use tokio::sync::Notify;

/// By which a request is cancelled. Clones of its `Arc` go to all who work on the request.
#[derive(Debug, Default)]
pub struct Cancellation {
    /// Why, as the caller wrote it; `None` if it did not say.
    reason: OnceLock<Option<RawJson>>,
    notify: Notify,
}

impl Cancellation {
    /// Cancels the request. A second time changes nothing.
    pub fn cancel(&self, reason: Option<RawJson>) {
        let _ = self.reason.set(reason);
        self.notify.notify_one();
    }

    /// Waits until the request is cancelled.
    pub(crate) async fn cancelled(&self) {
        self.notify.notified().await;
    }

    /// The caller's reason, if it gave one.
    pub(crate) fn reason(&self) -> Option<RawJson> {
        self.reason.get().cloned().flatten()
    }
}
