//! Dispatches a server's messages: notifications and requests go to the clients that they concern.
//!
//! Many clients may share one connection to a server. A message that arrives with the response to a
//! request belongs to the client of that request. On a pipe, it belongs to the only client with
//! requests in flight. If the client cannot be determined, the gateway declines the server's
//! request, so that no client sees another one's messages.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::{JsonObject, RawJson};

use super::Backend;
use crate::notifications::{RequestingServer, method_not_found_response, translate};
use crate::protocol::caller::{Caller, Client, Outbound, Undelivered};
use crate::protocol::era::{self, Era};
use crate::protocol::verbatim::VerbatimParts;
use crate::protocol::{jsonrpc, naming};
use crate::rt::offload::{Offloadable, Work, leave_reactor};
use crate::upstream::{Connection, Inbox, MessageSource, UpstreamMessage, UpstreamReply};

/// Delivers the server's messages until the server is closed permanently.
pub(crate) async fn deliver(backend: Arc<Backend>, mut inbox: Inbox) {
    loop {
        // While the only client of a server does not read, the gateway does not read from the
        // server either, responses included.
        backend.notifications.wait_for_room().await;
        let Some(message) = inbox.next().await else { return };
        if !matches!(message, UpstreamMessage::Answered) {
            backend.unsettled.wait_settled().await;
        }
        match message {
            UpstreamMessage::Notification(notification, source) => {
                leave_reactor(Work::Process(notification.frame.as_bytes().len())).await;
                handle_notification(&backend, notification, &source);
            }
            UpstreamMessage::Request(request, source) => {
                leave_reactor(Work::Process(request.frame.as_bytes().len())).await;
                handle_request(&backend, &request, source);
            }
            UpstreamMessage::Answered => {}
            UpstreamMessage::Restarted(connection) => {
                backend.list_cache.mark_all_stale();
                let before = backend.tools.snapshot();
                let catching_up = catch_up(Arc::clone(&backend), before, connection);
                tokio::spawn(Offloadable::new(catching_up));
            }
            UpstreamMessage::Ended(connection, _) => {
                backend.notifications.server_requests.cancel_from(connection.number());
            }
        }
    }
}

fn handle_notification(backend: &Backend, notification: Notification, source: &MessageSource) {
    let MessageSource { connection, request_id } = source;
    backend.list_cache.mark_changed(&notification.method);
    if notification.method == "notifications/tools/list_changed" {
        backend.tools.keep_only(&HashSet::new());
    }
    let backend_task_id = backend_task_id(&notification);
    let notification = backend.notification_with_public_tasks(notification);
    let redacted = backend.settings().redaction.redact_message(&notification.frame, || {
        VerbatimParts::of_notification(&notification, connection.era_or_fallback())
    });
    let notification = match redacted.map(|redacted| Message::from_json(redacted.frame)) {
        None => notification,
        Some(Ok(Message::Notification(redacted))) => redacted,
        // A notification that redaction has made invalid is dropped.
        Some(_) => return,
    };
    let caller = request_id.and_then(|id| connection.caller(id));
    if let Some(caller) = &caller
        && let Some(id) = &caller.subscription
        && notification.method != "notifications/cancelled"
    {
        // The client may have disconnected.
        let _ = caller.outbound.put(translate::tag(&notification, Some(id)));
        return;
    }
    let era = connection.era_or_fallback();
    match notification.method.as_str() {
        "notifications/cancelled" => cancel_server_request(backend, &notification, connection),
        // The acknowledgement of the gateway's own subscription.
        "notifications/subscriptions/acknowledged" => {
            if let (Some(id), Some(granted)) = (*request_id, notification.params) {
                connection.acknowledge(id, granted);
            }
        }
        "notifications/resources/updated" => {
            backend.notifications.notify_updated(&notification, era, &backend.watched);
        }
        "notifications/progress" => forward_progress(backend, &notification, connection),
        "notifications/tasks/status" => {
            notify_task_client(backend, &notification, backend_task_id.as_deref());
        }
        "notifications/message" => forward_log(backend, &notification, source),
        method if method.ends_with("/list_changed") => {
            backend.notifications.notify(&notification, era);
        }
        _ => match caller {
            Some(caller) => drop(caller.outbound.put(notification.frame.to_bytes())),
            None => notify_only_client(backend, &notification),
        },
    }
}

/// Returns the server's id of the task that a notification is about.
fn backend_task_id(notification: &Notification) -> Option<String> {
    if notification.method != "notifications/tasks/status" {
        return None;
    }
    naming::text(notification.params.as_ref()?.as_raw(), "taskId")
}

/// Forwards a notification about a task to the client that created the task.
fn notify_task_client(backend: &Backend, notification: &Notification, id: Option<&str>) {
    match id.and_then(|id| backend.tasks.creator_of(id)) {
        Some(creator) => drop(creator.outbound.put(notification.frame.to_bytes())),
        None => notify_only_client(backend, notification),
    }
}

/// Forwards the cancellation of a server's request, with the gateway's id for it. A request that
/// already has a response is ignored.
fn cancel_server_request(
    backend: &Backend,
    notification: &Notification,
    connection: &Arc<Connection>,
) {
    let id = notification.params.as_ref().and_then(|params| params.get("requestId"));
    let Some(id) = id else { return };
    if connection.era() == Some(Era::Modern) {
        // In the modern era, this notification can only end a subscription.
        return connection.end_subscription(&id);
    }
    let withdrawn = backend.notifications.server_requests.withdraw(&id, connection.number());
    let Some((gateway_id, outbound)) = withdrawn else { return };
    let gateway_id = gateway_id.to_string();
    let _ = outbound.put(jsonrpc::replace_part(&notification.frame, &id, gateway_id.as_bytes()));
}

/// Forwards progress to the client that requested it, with the client's token. Progress of a
/// completed request is dropped. Progress with an unknown token may be about other work, so it is
/// forwarded if there is only one client.
fn forward_progress(backend: &Backend, notification: &Notification, connection: &Connection) {
    let token = notification.params.as_ref().and_then(|params| params.get("progressToken"));
    let target = token.as_ref().and_then(|token| Some((token, connection.progress_target(token)?)));
    let (outbound, frame) = match target {
        Some((token, (outbound, client_token))) => {
            let frame = jsonrpc::replace_part(&notification.frame, token, client_token.as_bytes());
            (outbound, frame)
        }
        None if token.as_ref().is_some_and(|token| connection.is_ours(token)) => return,
        None => match backend.notifications.only_client() {
            Some(client) => (Arc::clone(&client.outbound), notification.frame.to_bytes()),
            None => return,
        },
    };
    let _ = outbound.put(frame);
}

/// Forwards a log message to the client whose request it is about, or to the only client if no
/// request is open. If the client cannot be determined, the message is dropped.
fn forward_log(backend: &Backend, notification: &Notification, source: &MessageSource) {
    let frame = || notification.frame.to_bytes();
    match recipient(backend, source) {
        Recipient::Request(_, caller) => {
            let level = notification.params.as_ref().and_then(|params| params.get("level"));
            let minimum = caller.client.log_level();
            let is_severe_enough = match caller.era() {
                Era::Modern => era::is_severe_enough(level.as_ref(), minimum.as_ref()),
                Era::Legacy(_) => true,
            };
            if is_severe_enough {
                let _ = caller.outbound.put(frame());
            }
        }
        Recipient::Client(client) => drop(client.outbound.put(frame())),
        Recipient::Unknown => notify_only_client(backend, notification),
        // The message may be about another client's request.
        Recipient::Several => {}
    }
}

/// Forwards a notification that concerns no particular client, if there is only one client.
fn notify_only_client(backend: &Backend, notification: &Notification) {
    if let Some(client) = backend.notifications.only_client() {
        let _ = client.outbound.put(notification.frame.to_bytes());
    }
}

/// The client that a server's message concerns.
enum Recipient {
    Request(u64, Arc<Caller>),
    Client(Arc<Client>),
    Several,
    Unknown,
}

fn recipient(backend: &Backend, source: &MessageSource) -> Recipient {
    let MessageSource { connection, request_id } = source;
    if let Some(id) = *request_id
        && let Some(caller) = connection.caller(id)
    {
        return Recipient::Request(id, caller);
    }
    let mut open = connection.callers();
    // A subscription stream does not wait for a response.
    open.retain(|(_, caller)| caller.subscription.is_none());
    // The server may still work on a cancelled request.
    let cancelled = connection.cancelled_clients();
    let mut numbers =
        open.iter().map(|(_, caller)| caller.client.number).chain(cancelled.iter().copied());
    let Some(first) = numbers.next() else { return Recipient::Unknown };
    if !numbers.all(|number| number == first) {
        return Recipient::Several;
    }
    match open.as_slice() {
        [(id, caller)] if cancelled.is_empty() => Recipient::Request(*id, Arc::clone(caller)),
        [(_, caller), ..] => Recipient::Client(Arc::clone(&caller.client)),
        [] => match backend.notifications.client(first) {
            Some(client) => Recipient::Client(client),
            // The client has disconnected.
            None => Recipient::Several,
        },
    }
}

fn handle_request(backend: &Backend, request: &Request, source: MessageSource) {
    if request.method == "ping" {
        let pong = jsonrpc::result(&request.id, &JsonObject::default());
        return source.connection.push(pong);
    }
    let recipient = recipient(backend, &source);
    let MessageSource { connection, request_id } = source;
    let (client, outbound): (Arc<Client>, Arc<dyn Outbound>) = match recipient {
        Recipient::Request(id, caller) if caller.era() == Era::Modern => {
            connection.push(method_not_found_response(request));
            // Servers may request the roots at any time. Every other request is part of a call.
            if request_id.is_some() || request.method != "roots/list" {
                // The client does not support the request, so its call cannot continue.
                let reply = UpstreamReply::UnsupportedRequest(request.method.clone());
                connection.fail_request(id, reply);
            }
            return;
        }
        Recipient::Request(_, caller) => (Arc::clone(&caller.client), Arc::clone(&caller.outbound)),
        Recipient::Client(client) => (Arc::clone(&client), Arc::clone(&client.outbound)),
        Recipient::Unknown => {
            let Some(client) = backend.notifications.only_client() else {
                let reason =
                    "no client is connected, or it is unknown which client caused the request";
                return connection.push(decline_with(request, reason));
            };
            (Arc::clone(&client), Arc::clone(&client.outbound))
        }
        Recipient::Several => {
            let reason = "several clients have open requests, and it is unknown which is meant";
            return connection.push(decline_with(request, reason));
        }
    };
    if !can_answer(&client, &request.method) {
        return connection.push(method_not_found_response(request));
    }
    let rewritten = backend.request_with_public_task(request);
    let Some(redacted) = backend.redact_request(rewritten.as_ref().unwrap_or(request)) else {
        return connection.push(decline_with(request, "the request could not be redacted"));
    };
    let server = RequestingServer {
        connection: connection.number(),
        outbound: Arc::new(ServerOutbound(connection)),
    };
    let server_requests = &backend.notifications.server_requests;
    server_requests.forward(&redacted, &server, &client, &outbound);
}

/// The connection for responses to a server.
struct ServerOutbound(Arc<Connection>);

impl Outbound for ServerOutbound {
    fn put(&self, frame: Bytes) -> Result<(), Undelivered> {
        self.0.push(frame);
        Ok(())
    }
}

/// Returns the response that declines a server's request, with the reason.
fn decline_with(request: &Request, reason: &str) -> Bytes {
    let fault = jsonrpc::Fault::new(manila::Code::CapabilityNotAvailable).message(reason);
    jsonrpc::error(Some(&request.id), &fault)
}

/// Returns whether a client supports this request, according to its capabilities.
fn can_answer(client: &Client, method: &str) -> bool {
    // The modern era has no requests from servers to clients.
    let info = client.client_info().filter(|info| info.era != Era::Modern);
    let Some(info) = info else { return false };
    // If the server got the client's own handshake, it knows the client's capabilities.
    let Some(capabilities) = &info.capabilities else { return true };
    match method {
        "sampling/createMessage" => capabilities.get("sampling").is_some(),
        "elicitation/create" => capabilities.get("elicitation").is_some(),
        "roots/list" => capabilities.get("roots").is_some(),
        _ => true,
    }
}

/// Restores the subscriptions and refreshes the tools of a restarted server.
async fn catch_up(
    backend: Arc<Backend>,
    before: HashMap<String, RawJson>,
    connection: Arc<Connection>,
) {
    let era = connection.era_or_fallback();
    if let Ok(ready) = backend.upstream.ready(Some(era)).await {
        backend.resubscribe(&ready).await;
    }
    if backend.have_tools_changed(&before).await {
        let params = JsonObject::default();
        let method = "notifications/tools/list_changed".to_owned();
        let frame = jsonrpc::notification(&method, &params);
        let Ok(frame) = RawJson::parse(frame) else { return };
        let notification = Notification { method, params: Some(params), frame };
        backend.notifications.notify(&notification, era);
    }
}
