//! What the server asked the client: sampling, elicitation, roots.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::RawJson;
use manila::request_envelope::{Request, Response};

use crate::jsonrpc;
use crate::upstream::Connection;

/// The server's open questions, by the ids that we gave them.
#[derive(Default)]
pub(super) struct Questions {
    open: Mutex<HashMap<u64, Question>>,
    next_id: AtomicU64,
}

struct Question {
    /// The id as the server wrote it.
    id: RawJson,
    asked_by: Arc<Connection>,
}

impl Questions {
    /// Notes a question, and gives the frame for the client.
    pub(super) fn ask(&self, request: &Request, asked_by: Arc<Connection>) -> Bytes {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = jsonrpc::with_id(&request.frame, &request.id, id.to_string().as_bytes());
        if let Ok(mut open) = self.open.lock() {
            open.insert(id, Question { id: request.id.clone(), asked_by });
        }
        frame
    }

    /// Hands the client's answer to the server. `false` if nobody asked.
    pub(super) async fn answer(&self, response: &Response) -> bool {
        let Some(own_id) = &response.id else { return false };
        let Some(id) = own_id.as_str().parse::<u64>().ok() else { return false };
        let question = self.open.lock().ok().and_then(|mut open| open.remove(&id));
        let Some(Question { id, asked_by }) = question else { return false };
        let frame = jsonrpc::with_id(&response.frame, own_id, id.as_bytes());
        asked_by.answer(frame).await;
        true
    }

    /// Our id of the question that the server called `id`.
    pub(super) fn own_id(&self, id: &RawJson) -> Option<u64> {
        let open = self.open.lock().ok()?;
        open.iter().find(|(_, question)| question.id == *id).map(|(own, _)| *own)
    }
}
