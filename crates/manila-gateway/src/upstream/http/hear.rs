//! Listening to what a server of the legacy era says unasked: a stream that is fetched.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::ACCEPT;
use reqwest::{Method, Response, StatusCode};

use super::answer::is_stream;
use super::sse::Events;
use super::{Link, Session, pause};
use crate::protocol::era::Era;
use crate::upstream::Connection;

impl Link {
    /// Listens, in the place of whoever listened before.
    pub(super) fn hear(self: &Arc<Link>, connection: &Arc<Connection>) {
        let (link, heard) = (Arc::downgrade(self), Arc::downgrade(connection));
        let session = self.session(Era::PLAINEST);
        let hearing = tokio::spawn(async move {
            let bytes_max = link.upgrade().map_or(0, |link| link.keeping.frame_bytes_max);
            let mut events = Events::new(bytes_max);
            let (mut n_vain, mut was_heard) = (0, false);
            while let (Some(link), Some(connection)) = (link.upgrade(), heard.upgrade()) {
                events.restart();
                match link.fetched(&session, &events).await {
                    Fetched::Stream(mut response) => {
                        (n_vain, was_heard) = (0, true);
                        link.messages_until_end(&connection, &mut response, &mut events).await;
                    }
                    // Who told us something before does not know us any more. What is watched would
                    // change in silence until somebody calls, so this does not wait for that.
                    Fetched::Forgotten if was_heard => {
                        // If it cannot be done now, the next call finds out.
                        let _ = link.renewed(&connection, &session).await;
                        return;
                    }
                    // It has nothing to say.
                    Fetched::Forgotten | Fetched::Nothing => return,
                    Fetched::Failed => n_vain += 1,
                }
                let wished = events.retry.unwrap_or(Duration::from_secs(1 << n_vain.min(3)));
                drop((link, connection));
                pause(Some(wished)).await;
            }
        });
        let earlier =
            self.hearing.lock().ok().and_then(|mut it| it.replace(hearing.abort_handle()));
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }

    async fn fetched(&self, session: &Session, events: &Events) -> Fetched {
        let mut get = self.request(Method::GET, session).header(ACCEPT, "text/event-stream");
        if let Some(last_id) = &events.last_id {
            get = get.header("last-event-id", last_id);
        }
        match get.send().await {
            Ok(response) if is_stream(&response) => Fetched::Stream(response),
            Ok(response) if is_for_later(response.status()) => Fetched::Failed,
            Ok(response) if response.status() == StatusCode::NOT_FOUND => Fetched::Forgotten,
            Ok(_) => Fetched::Nothing,
            Err(_) => Fetched::Failed,
        }
    }
}

/// Whether it makes sense to ask again.
fn is_for_later(status: StatusCode) -> bool {
    let is_busy = matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    is_busy || status.is_server_error()
}

enum Fetched {
    Stream(Response),
    Forgotten,
    Nothing,
    Failed,
}
