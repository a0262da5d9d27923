//! What the server says on its own, on its way to the client.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::Notification;
use manila::{JsonObject, RawJson};

use super::session::Session;
use crate::jsonrpc;
use crate::upstream::{Connection, FromUpstream, Inbox};

/// Hands on what the server says, until it will never say anything again.
pub(super) async fn pump(session: Arc<Session>, mut inbox: Inbox) {
    loop {
        // While the client does not read, the server is not read either, answers included.
        session.room().await;
        let Some(said) = inbox.next().await else { return };
        let frame = match said {
            FromUpstream::Notification(notification, told_by) => {
                told(&session, &notification, &told_by)
            }
            FromUpstream::Request(request, asked_by) => session.questions.ask(&request, asked_by),
            FromUpstream::Answered => None,
            FromUpstream::Restarted => {
                let before = session.gateway.tools.snapshot();
                tokio::spawn(tell_changed_tools(Arc::clone(&session), before));
                None
            }
            FromUpstream::Ended(connection, _) => {
                for frame in session.questions.end(&connection) {
                    // A client that is gone needs no news.
                    let _ = session.send(frame).await;
                }
                None
            }
        };
        if let Some(frame) = frame
            && session.send(frame).await.is_err()
        {
            return;
        }
    }
}

fn told(
    session: &Session,
    notification: &Notification,
    told_by: &Arc<Connection>,
) -> Option<Bytes> {
    match notification.method.as_str() {
        "notifications/tools/list_changed" => session.gateway.tools.keep_only(&HashSet::new()),
        "notifications/cancelled" => {
            // The server takes a question back, which the client knows by our id. One that has
            // been answered is nobody's business any more.
            let id = notification.params.as_ref()?.get("requestId")?;
            let own_id = session.questions.take_back(&id, told_by)?.to_string();
            let frame = jsonrpc::replaced(&notification.frame, &id, own_id.as_bytes());
            let frame = RawJson::parse(frame).ok()?;
            return Some(session.gateway.settings.hiding.part(frame).to_bytes());
        }
        _ => {}
    }
    let hiding = &session.gateway.settings.hiding;
    let hidden = hiding.message(&notification.frame).map(|hidden| hidden.frame);
    Some(hidden.unwrap_or_else(|| notification.frame.to_bytes()))
}

/// A server that was started again may have other tools.
async fn tell_changed_tools(session: Arc<Session>, before: HashMap<String, RawJson>) {
    if session.gateway.have_tools_changed(&before).await {
        let params = JsonObject::default();
        let frame = jsonrpc::notification("notifications/tools/list_changed", &params);
        // A client that is gone needs no news.
        let _ = session.send(frame).await;
    }
}
