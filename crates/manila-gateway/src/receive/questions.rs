//! What the server asked the client: sampling, elicitation, roots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::request_envelope::{Request, Response};
use manila::{Code, JsonObject, RawJson};

use crate::jsonrpc::{self, Fault};
use crate::upstream::Connection;

/// How many questions may be open.
const QUESTIONS_MAX: usize = 1_024;

/// The server's open questions, by the ids that we gave them.
#[derive(Default)]
pub(super) struct Questions(Mutex<Open>);

#[derive(Default)]
struct Open {
    by_id: HashMap<u64, Question>,
    n_asked: u64,
}

struct Question {
    /// The id as the server wrote it.
    id: RawJson,
    asked_by: Arc<Connection>,
}

impl Questions {
    /// Notes a question, and gives the frame for the client. `None` if too many are open; then
    /// the server has been told.
    pub(super) fn ask(&self, request: &Request, asked_by: Arc<Connection>) -> Option<Bytes> {
        let Ok(mut open) = self.0.lock() else { return None };
        if open.by_id.len() >= QUESTIONS_MAX {
            let fault = Fault::new(Code::RateLimited).message("too many questions are open");
            asked_by.question_closed(Some(jsonrpc::error(Some(&request.id), &fault)));
            return None;
        }
        let own_id = open.n_asked;
        open.n_asked += 1;
        // An id of its own: a slice would keep the whole frame.
        let id = RawJson::parse(request.id.as_str().to_owned()).ok()?;
        open.by_id.insert(own_id, Question { id, asked_by });
        Some(jsonrpc::replaced(&request.frame, &request.id, own_id.to_string().as_bytes()))
    }

    /// Hands the client's answer to the server. `false` if nobody asked.
    pub(super) fn answer(&self, response: &Response) -> bool {
        let Some(own_id) = &response.id else { return false };
        let Some(Question { id, asked_by }) = self.take(own_id) else { return false };
        let frame = jsonrpc::replaced(&response.frame, own_id, id.as_bytes());
        asked_by.question_closed(Some(frame));
        true
    }

    /// Tells the server that the client's answer is of no use. `false` if nobody asked.
    pub(super) fn answer_uselessly(&self, own_id: &RawJson, fault: &Fault) -> bool {
        let Some(Question { id, asked_by }) = self.take(own_id) else { return false };
        asked_by.question_closed(Some(jsonrpc::error(Some(&id), fault)));
        true
    }

    /// Forgets the question that the server called `id`, and gives our id of it.
    pub(super) fn take_back(&self, id: &RawJson, asked_by: &Arc<Connection>) -> Option<u64> {
        let mut open = self.0.lock().ok()?;
        let mut questions = open.by_id.iter();
        let own_id = questions.find_map(|(own_id, question)| {
            let is_it = Arc::ptr_eq(&question.asked_by, asked_by) && question.id == *id;
            is_it.then_some(*own_id)
        })?;
        open.by_id.remove(&own_id)?.asked_by.question_closed(None);
        Some(own_id)
    }

    /// Forgets all questions of a connection that has ended, and gives what the client is told.
    pub(super) fn end(&self, asked_by: &Arc<Connection>) -> Vec<Bytes> {
        let Ok(mut open) = self.0.lock() else { return Vec::new() };
        let of_it = open.by_id.extract_if(|_, it| Arc::ptr_eq(&it.asked_by, asked_by));
        of_it.map(|(own_id, _)| taken_back(own_id)).collect()
    }

    fn take(&self, own_id: &RawJson) -> Option<Question> {
        let own_id: u64 = own_id.as_str().parse().ok()?;
        self.0.lock().ok()?.by_id.remove(&own_id)
    }
}

fn taken_back(own_id: u64) -> Bytes {
    let params = JsonObject::build(|object| {
        object.member("requestId", &own_id);
        object.member("reason", "the server that asked is gone");
    });
    jsonrpc::notification("notifications/cancelled", &params)
}
