//! What the server asked a client: sampling, elicitation, roots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::request_envelope::{Request, Response};
use manila::{Code, JsonObject, RawJson};

use crate::protocol::caller::{Line, Unheard};
use crate::protocol::jsonrpc::{self, Fault};
use crate::upstream::{Connection, declined};

/// How many questions may be open.
const QUESTIONS_MAX: usize = 1_024;

/// The server's open questions, by the ids that we gave them.
#[derive(Default)]
pub(crate) struct Questions(Mutex<Open>);

#[derive(Default)]
struct Open {
    by_id: HashMap<u64, Question>,
    n_asked: u64,
}

struct Question {
    /// The id as the server wrote it.
    id: RawJson,
    asked_by: Arc<Connection>,
    line: Arc<dyn Line>,
}

impl Questions {
    /// Puts a question on a client's line. If it cannot be asked, the server is told.
    pub(crate) fn ask(&self, request: &Request, asked_by: &Arc<Connection>, line: &Arc<dyn Line>) {
        match self.note(request, asked_by, line) {
            Ok((own_id, frame)) => {
                if line.ask(frame) == Err(Unheard)
                    && let Some(Question { asked_by, .. }) = self.take(own_id)
                {
                    asked_by.push(declined(request));
                }
            }
            Err(fault) => {
                asked_by.push(jsonrpc::error(Some(&request.id), &fault));
            }
        }
    }

    fn note(
        &self,
        request: &Request,
        asked_by: &Arc<Connection>,
        line: &Arc<dyn Line>,
    ) -> Result<(u64, Bytes), Fault> {
        let refused = |message: &str| Fault::new(Code::RateLimited).message(message);
        let mut open = self.0.lock().map_err(|_| refused("no question can be asked"))?;
        if open.by_id.len() >= QUESTIONS_MAX {
            return Err(refused("too many questions are open"));
        }
        let own_id = open.n_asked;
        open.n_asked += 1;
        // An id of its own: a slice would keep the whole frame.
        let id = RawJson::parse(request.id.as_str().to_owned())
            .map_err(|_| refused("its id cannot be kept"))?;
        let question = Question { id, asked_by: Arc::clone(asked_by), line: Arc::clone(line) };
        open.by_id.insert(own_id, question);
        let written = own_id.to_string();
        Ok((own_id, jsonrpc::replaced(&request.frame, &request.id, written.as_bytes())))
    }

    /// Hands the client's answer to the server. `false` if nobody asked.
    pub(crate) fn answer(&self, response: &Response) -> bool {
        let Some(own_id) = &response.id else { return false };
        let Some(Question { id, asked_by, .. }) = number(own_id).and_then(|it| self.take(it))
        else {
            return false;
        };
        let frame = jsonrpc::replaced(&response.frame, own_id, id.as_bytes());
        asked_by.push(frame);
        true
    }

    /// Tells the server that the client's answer is of no use.
    pub(crate) fn answer_uselessly(&self, own_id: &RawJson, fault: &Fault) {
        if let Some(Question { id, asked_by, .. }) = number(own_id).and_then(|it| self.take(it)) {
            asked_by.push(jsonrpc::error(Some(&id), fault));
        }
    }

    /// Whether a question is open.
    pub(crate) fn has_open(&self) -> bool {
        self.0.lock().is_ok_and(|open| !open.by_id.is_empty())
    }

    /// Tells the servers that nobody will answer: the client is gone.
    pub(crate) fn decline_all(&self) {
        let open = self.0.lock().map(|mut open| std::mem::take(&mut open.by_id));
        for Question { id, asked_by, .. } in open.into_iter().flat_map(HashMap::into_values) {
            let fault = Fault::new(Code::Cancelled).message("the client is gone");
            asked_by.push(jsonrpc::error(Some(&id), &fault));
        }
    }

    /// Forgets the question that the server called `id`, and gives our id of it and its line.
    pub(super) fn take_back(
        &self,
        id: &RawJson,
        asked_by: &Arc<Connection>,
    ) -> Option<(u64, Arc<dyn Line>)> {
        let mut open = self.0.lock().ok()?;
        let mut questions = open.by_id.iter();
        let own_id = questions.find_map(|(own_id, question)| {
            let is_it = Arc::ptr_eq(&question.asked_by, asked_by) && question.id == *id;
            is_it.then_some(*own_id)
        })?;
        let question = open.by_id.remove(&own_id)?;
        Some((own_id, question.line))
    }

    /// Forgets all questions of a connection that has ended, and gives what the client is told.
    pub(super) fn end(&self, asked_by: &Arc<Connection>) -> Vec<Bytes> {
        let Ok(mut open) = self.0.lock() else { return Vec::new() };
        let of_it = open.by_id.extract_if(|_, it| Arc::ptr_eq(&it.asked_by, asked_by));
        of_it.map(|(own_id, _)| taken_back(own_id)).collect()
    }

    fn take(&self, own_id: u64) -> Option<Question> {
        self.0.lock().ok()?.by_id.remove(&own_id)
    }
}

fn number(own_id: &RawJson) -> Option<u64> {
    own_id.as_str().parse().ok()
}

fn taken_back(own_id: u64) -> Bytes {
    let params = JsonObject::build(|object| {
        object.member("requestId", &own_id);
        object.member("reason", "the server that asked is gone");
    });
    jsonrpc::notification("notifications/cancelled", &params)
}
