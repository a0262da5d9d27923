//! Reading a server's messages: notifications and requests go to the clients that they concern.
//!
//! Many clients may share one conversation with a server. What came with the answer to a request
//! belongs to whoever made that request; on a pipe, where nothing tells that, to the only client
//! that has asked something. Where that cannot be told, a question is declined: nobody is shown
//! what was meant for somebody else.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::{JsonObject, RawJson};

use super::Backend;
use crate::notifications::{Asker, declined, retold};
use crate::protocol::caller::{Caller, Client, Line, Unheard};
use crate::protocol::era::{self, Era};
use crate::protocol::{jsonrpc, naming};
use crate::upstream::{Arrived, Connection, From, FromUpstream, Inbox};

/// Delivers what the server says, until it will never say anything again.
pub(crate) async fn deliver(backend: Arc<Backend>, mut inbox: Inbox) {
    loop {
        // While a client does not read that has the server to itself, the server is not read
        // either, answers included.
        backend.audience.room().await;
        let Some(said) = inbox.next().await else { return };
        match said {
            FromUpstream::Notification(notification, from) => told(&backend, notification, &from),
            FromUpstream::Request(request, from) => asked(&backend, &request, from),
            FromUpstream::Answered => {}
            FromUpstream::Restarted(connection) => {
                backend.offers.doubt_all();
                let before = backend.tools.snapshot();
                tokio::spawn(catch_up(Arc::clone(&backend), before, connection));
            }
            FromUpstream::Ended(connection, _) => {
                backend.audience.questions.end(connection.number());
            }
        }
    }
}

fn told(backend: &Backend, notification: Notification, from: &From) {
    let From { connection, about } = from;
    backend.offers.changed(&notification.method);
    if notification.method == "notifications/tools/list_changed" {
        backend.tools.keep_only(&HashSet::new());
    }
    let own_task = own_task(&notification);
    let notification = backend.told_of_public_tasks(notification);
    let hidden = backend.settings().hiding.message(&notification.frame);
    let notification = match hidden.map(|hidden| Message::from_json(hidden.frame)) {
        None => notification,
        Some(Ok(Message::Notification(hidden))) => hidden,
        // What cannot be read any more is not told.
        Some(_) => return,
    };
    let caller = about.and_then(|id| connection.caller(id));
    if let Some(caller) = &caller
        && let Some(id) = &caller.subscription
        && notification.method != "notifications/cancelled"
    {
        // Whoever is gone needs no news.
        let _ = caller.line.put(retold::tagged(&notification, Some(id)));
        return;
    }
    let told_in = connection.era_or_plainest();
    match notification.method.as_str() {
        "notifications/cancelled" => taken_back(backend, &notification, connection),
        // It answers a wish of our own.
        "notifications/subscriptions/acknowledged" => {
            if let (Some(id), Some(granted)) = (*about, notification.params) {
                connection.acknowledged(id, granted);
            }
        }
        "notifications/resources/updated" => {
            backend.audience.tell_updated(&notification, told_in, &backend.watched);
        }
        "notifications/progress" => progressed(backend, &notification, connection),
        "notifications/tasks/status" => task_told(backend, &notification, own_task.as_deref()),
        "notifications/message" => logged(backend, &notification, from),
        method if method.ends_with("/list_changed") => {
            backend.audience.tell(&notification, told_in);
        }
        _ => match caller {
            // Whoever is gone needs no news.
            Some(caller) => drop(caller.line.put(notification.frame.to_bytes())),
            None => tell_the_only_client(backend, &notification),
        },
    }
}

/// The id of the task that a notification is about, as its server knows it.
fn own_task(notification: &Notification) -> Option<String> {
    if notification.method != "notifications/tasks/status" {
        return None;
    }
    naming::text(notification.params.as_ref()?.as_raw(), "taskId")
}

/// News of a task goes to whoever made it.
fn task_told(backend: &Backend, notification: &Notification, own_id: Option<&str>) {
    match own_id.and_then(|id| backend.tasks.maker_of(id)) {
        // Whoever is gone needs no news.
        Some(maker) => drop(maker.line.put(notification.frame.to_bytes())),
        None => tell_the_only_client(backend, notification),
    }
}

/// The server takes a question back, which the client knows by our id. One that has been answered
/// is nobody's business any more.
fn taken_back(backend: &Backend, notification: &Notification, by: &Arc<Connection>) {
    let id = notification.params.as_ref().and_then(|params| params.get("requestId"));
    let Some(id) = id else { return };
    if by.era() == Some(Era::Modern) {
        // It ends a subscription, and nothing else.
        return by.ended_by_server(&id);
    }
    let asked = backend.audience.questions.take_back(&id, by.number());
    let Some((own_id, line)) = asked else { return };
    // Whoever is gone needs no news.
    let _ = line.put(jsonrpc::replaced(&notification.frame, &id, own_id.to_string().as_bytes()));
}

/// Progress goes to whoever asked for it, under the token that it chose; that of a request which is
/// over goes to nobody. A token that was never ours may be of some other kind of work, which the
/// only client there is may know.
fn progressed(backend: &Backend, notification: &Notification, connection: &Connection) {
    let token = notification.params.as_ref().and_then(|params| params.get("progressToken"));
    let wanted = token.as_ref().and_then(|token| Some((token, connection.progressed(token)?)));
    let (line, frame) = match wanted {
        Some((token, (line, own))) => {
            (line, jsonrpc::replaced(&notification.frame, token, own.as_bytes()))
        }
        None if token.as_ref().is_some_and(|token| connection.is_ours(token)) => return,
        None => match backend.audience.only_client() {
            Some(client) => (Arc::clone(&client.line), notification.frame.to_bytes()),
            None => return,
        },
    };
    // Whoever is gone needs no news.
    let _ = line.put(frame);
}

/// The log of a server goes to whoever asked for what it is about; where that cannot be told, to
/// nobody.
fn logged(backend: &Backend, notification: &Notification, from: &From) {
    let frame = || notification.frame.to_bytes();
    match concerned(backend, from) {
        Concerned::Request(_, caller) => {
            let level = notification.params.as_ref().and_then(|params| params.get("level"));
            let wanted = caller.client.log_level();
            let is_wanted = match caller.era() {
                Era::Modern => era::is_severe_enough(level.as_ref(), wanted.as_ref()),
                Era::Legacy(_) => true,
            };
            if is_wanted {
                // Whoever is gone needs no news.
                let _ = caller.line.put(frame());
            }
        }
        Concerned::Client(client) => drop(client.line.put(frame())),
        Concerned::Nobody => tell_the_only_client(backend, notification),
        // It may be about somebody else.
        Concerned::Several => {}
    }
}

/// What concerns nobody in particular is told where there is only one client.
fn tell_the_only_client(backend: &Backend, notification: &Notification) {
    if let Some(client) = backend.audience.only_client() {
        // Whoever is gone needs no news.
        let _ = client.line.put(notification.frame.to_bytes());
    }
}

/// Whom something concerns that the server says.
enum Concerned {
    Request(u64, Arc<Caller>),
    Client(Arc<Client>),
    Several,
    Nobody,
}

fn concerned(backend: &Backend, from: &From) -> Concerned {
    let From { connection, about } = from;
    if let Some(id) = *about
        && let Some(caller) = connection.caller(id)
    {
        return Concerned::Request(id, caller);
    }
    let mut open = connection.callers();
    // Who listens waits for nothing in particular.
    open.retain(|(_, caller)| caller.subscription.is_none());
    // The server may still work on what was taken back.
    let left = connection.taken_back();
    let mut numbers =
        open.iter().map(|(_, caller)| caller.client.number).chain(left.iter().copied());
    let Some(first) = numbers.next() else { return Concerned::Nobody };
    if !numbers.all(|number| number == first) {
        return Concerned::Several;
    }
    match open.as_slice() {
        [(id, caller)] if left.is_empty() => Concerned::Request(*id, Arc::clone(caller)),
        [(_, caller), ..] => Concerned::Client(Arc::clone(&caller.client)),
        [] => match backend.audience.client(first) {
            Some(client) => Concerned::Client(client),
            // Whoever it concerned is gone.
            None => Concerned::Several,
        },
    }
}

fn asked(backend: &Backend, request: &Request, from: From) {
    if request.method == "ping" {
        let pong = jsonrpc::result(&request.id, &JsonObject::default());
        return from.connection.push(pong);
    }
    let concerned = concerned(backend, &from);
    let From { connection, about } = from;
    let is_told = about.is_some();
    let (client, line): (Arc<Client>, Arc<dyn Line>) = match concerned {
        Concerned::Request(id, caller) if caller.era() == Era::Modern => {
            connection.push(declined(request));
            // Servers want to know the roots at any time; all else is asked for the sake of a call.
            if is_told || request.method != "roots/list" {
                // It cannot be asked, so its call cannot go on.
                connection.asked_back(id, Arrived::AskedBack(request.method.clone()));
            }
            return;
        }
        Concerned::Request(_, caller) => (Arc::clone(&caller.client), Arc::clone(&caller.line)),
        Concerned::Client(client) => (Arc::clone(&client), Arc::clone(&client.line)),
        Concerned::Nobody => {
            let Some(client) = backend.audience.only_client() else {
                let why = "nobody is there to be asked";
                return connection.push(declined_because(request, why));
            };
            (Arc::clone(&client), Arc::clone(&client.line))
        }
        Concerned::Several => {
            let why = "several clients have something open, and it cannot be told who is asked";
            return connection.push(declined_because(request, why));
        }
    };
    if !can_answer(&client, &request.method) {
        return connection.push(declined(request));
    }
    let known = backend.asked_for_public_task(request);
    let asker = Asker { connection: connection.number(), line: Arc::new(ToServer(connection)) };
    let questions = &backend.audience.questions;
    questions.ask(known.as_ref().unwrap_or(request), &asker, &client, &line);
}

/// The line back to a server.
struct ToServer(Arc<Connection>);

impl Line for ToServer {
    fn put(&self, frame: Bytes) -> Result<(), Unheard> {
        self.0.push(frame);
        Ok(())
    }
}

/// The answer that a server gets to a question that is not asked, with the reason.
fn declined_because(request: &Request, why: &str) -> Bytes {
    let fault = jsonrpc::Fault::new(manila::Code::CapabilityNotAvailable).message(why);
    jsonrpc::error(Some(&request.id), &fault)
}

/// Whether a client can be asked this, as far as it has said.
fn can_answer(client: &Client, method: &str) -> bool {
    // In the modern era nobody is asked by a request.
    let speech = client.speech().filter(|speech| speech.era != Era::Modern);
    let Some(speech) = speech else { return false };
    // Where the server heard the client's own words, it knows what it may ask.
    let Some(capabilities) = &speech.capabilities else { return true };
    match method {
        "sampling/createMessage" => capabilities.get("sampling").is_some(),
        "elicitation/create" => capabilities.get("elicitation").is_some(),
        "roots/list" => capabilities.get("roots").is_some(),
        _ => true,
    }
}

/// A server that was started again does not know what is watched, and may have other tools.
async fn catch_up(
    backend: Arc<Backend>,
    before: HashMap<String, RawJson>,
    connection: Arc<Connection>,
) {
    let era = connection.era_or_plainest();
    if let Ok(ready) = backend.upstream.ready(Some(era)).await {
        backend.watch_again(&ready).await;
    }
    if backend.have_tools_changed(&before).await {
        let params = JsonObject::default();
        let method = "notifications/tools/list_changed".to_owned();
        let frame = jsonrpc::notification(&method, &params);
        let Ok(frame) = RawJson::parse(frame) else { return };
        let notification = Notification { method, params: Some(params), frame };
        backend.audience.tell(&notification, era);
    }
}
