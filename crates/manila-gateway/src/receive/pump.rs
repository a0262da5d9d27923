//! What the server says on its own, on its way to the client.

use std::sync::Arc;

use bytes::Bytes;
use manila::JsonObject;
use manila::request_envelope::Notification;

use super::session::Session;
use crate::gateway::Inbox;
use crate::jsonrpc;
use crate::upstream::FromUpstream;

/// Hands on what the server says, until it will never say anything again.
pub(super) async fn pump(session: Arc<Session>, Inbox(mut inbox): Inbox) {
    while let Some(said) = inbox.recv().await {
        let frame = match said {
            FromUpstream::Notification(notification) => told(&session, &notification),
            FromUpstream::Request(request, asked_by) => session.questions.ask(&request, asked_by),
            FromUpstream::Restarted => {
                tokio::spawn(tell_changed_tools(Arc::clone(&session)));
                continue;
            }
        };
        if session.send(frame).await.is_err() {
            return;
        }
    }
}

fn told(session: &Session, notification: &Notification) -> Bytes {
    match notification.method.as_str() {
        "notifications/tools/list_changed" => session.gateway.tools.keep_only(&[]),
        "notifications/cancelled" => {
            // The server takes a question back, which the client knows by our id.
            let id = notification.params.as_ref().and_then(|params| params.get("requestId"));
            if let Some(id) = id
                && let Some(own_id) = session.questions.own_id(&id)
            {
                let own_id = own_id.to_string();
                return jsonrpc::replaced(&notification.frame, &id, own_id.as_bytes());
            }
        }
        _ => {}
    }
    notification.frame.compact()
}

/// A server that was started again may have other tools.
async fn tell_changed_tools(session: Arc<Session>) {
    if session.gateway.have_tools_changed().await {
        let params = JsonObject::default();
        let frame = jsonrpc::notification("notifications/tools/list_changed", &params);
        // A client that is gone needs no news.
        let _ = session.send(frame).await;
    }
}
