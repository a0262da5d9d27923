//! No client in front: what the server asks is declined, what it tells may be shown.

use manila::JsonObject;
use manila::request_envelope::Notification;

use crate::jsonrpc;
use crate::upstream::{FromUpstream, Inbox, declined};

/// Takes what the server says on its own, until it will never say anything again.
pub async fn serve(mut inbox: Inbox, mut told: impl FnMut(&Notification)) {
    while let Some(said) = inbox.next().await {
        match said {
            FromUpstream::Notification(notification, _) => told(&notification),
            FromUpstream::Request(request, asked_by) => {
                let answer = if request.method == "ping" {
                    jsonrpc::result(&request.id, &JsonObject::default())
                } else {
                    declined(&request)
                };
                asked_by.question_closed(Some(answer));
            }
            FromUpstream::Answered | FromUpstream::Restarted | FromUpstream::Ended(..) => {}
        }
    }
}
