//! The stream on which a server of the legacy era sends its own notifications and requests.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::ACCEPT;
use reqwest::{Method, Response, StatusCode};

use super::answer::is_stream;
use super::sse::Events;
use super::{HttpTransport, Session, wait_before_retry};
use crate::protocol::era::Era;
use crate::upstream::Connection;

impl HttpTransport {
    /// Reads the server's stream in a new task, which replaces an earlier one.
    pub(super) fn open_server_stream(self: &Arc<HttpTransport>, connection: &Arc<Connection>) {
        let (weak_transport, connection) = (Arc::downgrade(self), Arc::downgrade(connection));
        let session = self.session(Era::FALLBACK);
        let stream = tokio::spawn(async move {
            let bytes_max = weak_transport.upgrade().map_or(0, |it| it.config.message_bytes_max);
            let mut events = Events::new(bytes_max);
            let (mut n_failures, mut was_open) = (0, false);
            while let (Some(transport), Some(connection)) =
                (weak_transport.upgrade(), connection.upgrade())
            {
                events.restart();
                match transport.fetch_stream(&session, &events).await {
                    FetchResult::Stream(mut response) => {
                        (n_failures, was_open) = (0, true);
                        transport.dispatch_until_end(&connection, &mut response, &mut events).await;
                    }
                    // The session is renewed without waiting for the next request: until then,
                    // changes of watched resources would go unreported.
                    FetchResult::SessionLost if was_open => {
                        // If this fails, the next request tries again.
                        let _ = transport.renew_session(&connection, &session).await;
                        return;
                    }
                    // The server has no stream.
                    FetchResult::SessionLost | FetchResult::NoStream => return,
                    FetchResult::Failed => n_failures += 1,
                }
                let delay = events.retry.unwrap_or(Duration::from_secs(1 << n_failures.min(3)));
                drop((transport, connection));
                wait_before_retry(Some(delay)).await;
            }
        });
        let current = self.server_stream.lock().ok();
        let earlier = current.and_then(|mut it| it.replace(stream.abort_handle()));
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }

    async fn fetch_stream(&self, session: &Session, events: &Events) -> FetchResult {
        let mut get = self.request(Method::GET, session).header(ACCEPT, "text/event-stream");
        if let Some(last_id) = &events.last_id {
            get = get.header("last-event-id", last_id);
        }
        match get.send().await {
            Ok(response) if is_stream(&response) => FetchResult::Stream(response),
            Ok(response) if is_retryable(response.status()) => FetchResult::Failed,
            Ok(response) if response.status() == StatusCode::NOT_FOUND => FetchResult::SessionLost,
            Ok(_) => FetchResult::NoStream,
            Err(_) => FetchResult::Failed,
        }
    }
}

/// Returns whether a retry makes sense after this status.
fn is_retryable(status: StatusCode) -> bool {
    let is_busy = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    is_busy || status.is_server_error()
}

/// The result of a request for the server's stream.
enum FetchResult {
    Stream(Response),
    SessionLost,
    NoStream,
    Failed,
}
