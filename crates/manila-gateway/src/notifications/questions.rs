//! What servers asked clients: sampling, elicitation, roots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::request_envelope::{Request, Response};
use manila::{Code, JsonObject, RawJson};

use crate::protocol::caller::{Client, Line, Unheard};
use crate::protocol::jsonrpc::{self, Fault};

/// The number of questions that may be open at one client.
const QUESTIONS_MAX: usize = 1_024;

/// The open questions of all servers, by client.
#[derive(Default)]
pub(crate) struct Questions(Mutex<HashMap<u64, Open>>);

/// The open questions of a client, by the ids that we gave them.
#[derive(Default)]
struct Open {
    by_id: HashMap<u64, Question>,
    n_asked: u64,
}

struct Question {
    /// The id as the server wrote it.
    id: RawJson,
    asked_by: Asker,
    client: Arc<Client>,
    line: Arc<dyn Line>,
}

/// A server that asks, on one connection.
#[derive(Clone)]
pub(crate) struct Asker {
    /// The number of its connection. No two connections have the same.
    pub(crate) connection: u64,
    /// Where its answer goes.
    pub(crate) line: Arc<dyn Line>,
}

impl Asker {
    /// Hands an answer to the server.
    fn answer(&self, frame: Bytes) {
        // A server that is gone needs no answer.
        let _ = self.line.put(frame);
    }
}

impl Questions {
    /// Puts a question on a client's line. A client that cannot be asked is answered for.
    pub(crate) fn ask(
        &self,
        request: &Request,
        asked_by: &Asker,
        client: &Arc<Client>,
        line: &Arc<dyn Line>,
    ) {
        match self.note(request, asked_by, client, line) {
            Ok((own_id, frame)) => {
                if line.ask(frame) == Err(Unheard)
                    && let Some(Question { asked_by, .. }) = self.take(client, own_id)
                {
                    asked_by.answer(declined(request));
                }
            }
            Err(fault) => asked_by.answer(jsonrpc::error(Some(&request.id), &fault)),
        }
    }

    fn note(
        &self,
        request: &Request,
        asked_by: &Asker,
        client: &Arc<Client>,
        line: &Arc<dyn Line>,
    ) -> Result<(u64, Bytes), Fault> {
        let refused = |message: &str| Fault::new(Code::RateLimited).message(message);
        let mut all = self.0.lock().map_err(|_| refused("no question can be asked"))?;
        // Nothing would ever take it away again.
        if client.has_left() {
            return Err(Fault::new(Code::Cancelled).message("the client is gone"));
        }
        let open = all.entry(client.number).or_default();
        if open.by_id.len() >= QUESTIONS_MAX {
            return Err(refused("too many questions are open"));
        }
        let own_id = open.n_asked;
        open.n_asked += 1;
        // An id of its own: a slice would keep the whole frame.
        let id = RawJson::parse(request.id.as_str().to_owned())
            .map_err(|_| refused("its id cannot be kept"))?;
        let (asked_by, client) = (asked_by.clone(), Arc::clone(client));
        client.add_question();
        open.by_id.insert(own_id, Question { id, asked_by, client, line: Arc::clone(line) });
        let written = own_id.to_string();
        Ok((own_id, jsonrpc::replaced(&request.frame, &request.id, written.as_bytes())))
    }

    /// Hands the client's answer to the server. `false` if nobody asked.
    pub(crate) fn answer(&self, client: &Client, response: &Response) -> bool {
        let Some(own_id) = &response.id else { return false };
        let question = number(own_id).and_then(|it| self.take(client, it));
        let Some(Question { id, asked_by, .. }) = question else { return false };
        asked_by.answer(jsonrpc::replaced(&response.frame, own_id, id.as_bytes()));
        true
    }

    /// Tells the server that the client's answer is of no use.
    pub(crate) fn answer_uselessly(&self, client: &Client, own_id: &RawJson, fault: &Fault) {
        let question = number(own_id).and_then(|it| self.take(client, it));
        if let Some(Question { id, asked_by, .. }) = question {
            asked_by.answer(jsonrpc::error(Some(&id), fault));
        }
    }

    /// Tells the servers that a client will not answer: it is gone.
    pub(super) fn decline_all(&self, client: &Client) {
        let open = self.0.lock().ok().and_then(|mut all| all.remove(&client.number));
        for (_, question) in open.into_iter().flat_map(|open| open.by_id) {
            question.client.end_question();
            let fault = Fault::new(Code::Cancelled).message("the client is gone");
            question.asked_by.answer(jsonrpc::error(Some(&question.id), &fault));
        }
    }

    /// Forgets the question that a server called `id`, and returns our id of it and its line.
    pub(crate) fn take_back(&self, id: &RawJson, connection: u64) -> Option<(u64, Arc<dyn Line>)> {
        let mut all = self.0.lock().ok()?;
        all.values_mut().find_map(|open| {
            let mut questions = open.by_id.iter();
            let own_id = questions.find_map(|(own_id, question)| {
                let is_it = question.asked_by.connection == connection && question.id == *id;
                is_it.then_some(*own_id)
            })?;
            let question = open.by_id.remove(&own_id)?;
            question.client.end_question();
            Some((own_id, question.line))
        })
    }

    /// Takes back all that was asked on a connection that has ended.
    pub(crate) fn end(&self, connection: u64) {
        let Ok(mut all) = self.0.lock() else { return };
        let mut ended = Vec::new();
        for open in all.values_mut() {
            ended.extend(open.by_id.extract_if(|_, it| it.asked_by.connection == connection));
        }
        drop(all);
        for (own_id, question) in ended {
            question.client.end_question();
            // Whoever is gone needs no news.
            let _ = question.client.line.put(taken_back(own_id));
        }
    }

    fn take(&self, client: &Client, own_id: u64) -> Option<Question> {
        let question = self.0.lock().ok()?.get_mut(&client.number)?.by_id.remove(&own_id)?;
        question.client.end_question();
        Some(question)
    }
}

/// The answer that a server gets to a question that nobody can answer.
pub(crate) fn declined(request: &Request) -> Bytes {
    jsonrpc::error(Some(&request.id), &Fault::new(Code::MethodNotFound))
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
