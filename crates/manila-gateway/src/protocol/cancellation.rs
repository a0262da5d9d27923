//! The cancellation of a request by its caller.

use std::sync::OnceLock;

use manila::JsonObject;
use tokio::sync::Notify;

/// The cancellation state of a request. Everything that handles the request shares it.
#[derive(Debug, Default)]
pub(crate) struct Cancellation {
    /// The parameters of the caller's `notifications/cancelled`, unchanged.
    params: OnceLock<JsonObject>,
    /// Notified when the caller has cancelled, and expects no response.
    cancelled: Notify,
    /// Notified when the work should stop, and the caller expects the partial result.
    stop: Notify,
}

impl Cancellation {
    /// Cancels the request. If it is cancelled repeatedly, the first parameters are kept.
    pub(crate) fn cancel(&self, params: JsonObject) {
        let _ = self.params.set(params);
        self.cancelled.notify_one();
    }

    /// Waits until the request is cancelled.
    pub(crate) async fn wait_cancelled(&self) {
        self.cancelled.notified().await;
    }

    /// Stops the work. The caller still gets a response.
    pub(crate) fn stop(&self) {
        self.stop.notify_one();
    }

    /// Waits until the work should stop.
    pub(crate) async fn wait_stop_requested(&self) {
        self.stop.notified().await;
    }

    /// Returns the parameters of the cancellation, if the caller has cancelled.
    pub(crate) fn params(&self) -> Option<&JsonObject> {
        self.params.get()
    }
}
