//! A caller's change of mind, and what it said about it.

use std::sync::OnceLock;

use manila::JsonObject;
use tokio::sync::Notify;

/// By which a request is cancelled. Whoever works on the request has it.
#[derive(Debug, Default)]
pub(crate) struct Cancellation {
    /// The parameters of `notifications/cancelled`, as the caller wrote them.
    params: OnceLock<JsonObject>,
    notify: Notify,
    /// Told when the caller wants to hear what there is, and no more is to be done.
    stop: Notify,
}

impl Cancellation {
    /// Cancels the request. A second time changes nothing.
    pub(crate) fn cancel(&self, params: JsonObject) {
        let _ = self.params.set(params);
        self.notify.notify_one();
    }

    /// Waits until the request is cancelled.
    pub(crate) async fn cancelled(&self) {
        self.notify.notified().await;
    }

    /// Stops the work. Whoever asked is still answered.
    pub(crate) fn stop(&self) {
        self.stop.notify_one();
    }

    /// Waits until the work is to stop.
    pub(crate) async fn stopped(&self) {
        self.stop.notified().await;
    }

    /// What the caller said, if it has cancelled.
    pub(crate) fn params(&self) -> Option<&JsonObject> {
        self.params.get()
    }
}
