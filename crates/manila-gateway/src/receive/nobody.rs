//! No client in front: what the server asks is declined, what it tells may be shown.

use manila::JsonObject;
use manila::request_envelope::Notification;

use crate::gateway::Inbox;
use crate::jsonrpc::{self, Fault};
use crate::upstream::FromUpstream;

/// Takes what the server says on its own, until it will never say anything again.
pub async fn serve(Inbox(mut inbox): Inbox, mut told: impl FnMut(&Notification)) {
    while let Some(said) = inbox.recv().await {
        match said {
            FromUpstream::Notification(notification) => told(&notification),
            FromUpstream::Request(request, asked_by) => {
                let frame = if request.method == "ping" {
                    jsonrpc::result(&request.id, &JsonObject::default())
                } else {
                    let fault = Fault::new(manila::Code::MethodNotFound);
                    jsonrpc::error(Some(&request.id), &fault)
                };
                asked_by.answer(frame).await;
            }
            FromUpstream::Restarted => {}
        }
    }
}
