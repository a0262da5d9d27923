//! Batches of messages, which only one revision supports (2025-03-26).

use std::sync::Arc;

use bytes::Bytes;
use hyper::StatusCode;
use manila::request_envelope::Message;
use manila::{Code, RawJson};

use super::head::Head;
use super::reply::{self, HttpReply, RefusalReply};
use super::sessions::Session;
use super::{HttpState, legacy, requested_format};
use crate::downstream::encode::{Encoded, encode_era_independent};
use crate::downstream::partial_message::{self, Malformed, PartialMessage};
use crate::gateway::response::Response;
use crate::protocol::caller::Outbound;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::outgoing::Outgoing;
use crate::protocol::presentation::ResultFormat;
use crate::rt::offload::{self, Offloadable, Work};

/// The maximum number of messages in a batch.
const MESSAGES_MAX: usize = 100;

/// Handles all messages of a batch, and replies when all are completed.
///
/// Meanwhile, messages from servers are delivered like those that belong to no request.
pub(super) async fn handle(
    state: &Arc<HttpState>,
    head: &Head,
    batch: &Bytes,
) -> Result<HttpReply, RefusalReply> {
    let session = legacy::session(state, head)?;
    let refuse = |message: &str| {
        let refused = reply::refusal(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, message);
        Ok(reply::with_message(refused, PartialMessage::from_size(None, batch.len())))
    };
    let read = batch.clone();
    let messages = offload::run(Work::Scan(batch.len()), move || messages(read)).await;
    let Some(messages) = messages else {
        return refuse("the batch is not valid JSON");
    };
    if messages.is_empty() || messages.len() > MESSAGES_MAX {
        return refuse(&format!("a batch must have 1 to {MESSAGES_MAX} messages"));
    }
    let with_size = |refused: RefusalReply| {
        Box::new(reply::with_message(*refused, PartialMessage::from_size(None, batch.len())))
    };
    let format = requested_format(state, head).map_err(with_size)?;
    let head = Arc::new(head.clone());
    let tasks = messages.into_iter().map(|message| {
        let (state, session) = (Arc::clone(state), Arc::clone(&session));
        // Each message has a task of its own, so that they do not wait for each other.
        let handling = handle_message(state, session, message, Arc::clone(&head), format);
        tokio::spawn(Offloadable::new(handling))
    });
    let tasks: Vec<_> = tasks.collect();
    let mut responses: Vec<Outgoing> = Vec::new();
    for task in tasks {
        responses.extend(task.await.ok().flatten());
    }
    if responses.is_empty() {
        return Ok(reply::empty(StatusCode::ACCEPTED));
    }
    let n_bytes = responses.iter().map(Outgoing::len).sum();
    let body = offload::run(Work::Scan(n_bytes), move || join(responses, n_bytes)).await;
    Ok(reply::json(StatusCode::OK, Bytes::from(body)))
}

/// Joins responses to one array. `n_bytes` is their total size.
fn join(responses: Vec<Outgoing>, n_bytes: usize) -> Vec<u8> {
    let mut body = Vec::with_capacity(n_bytes + responses.len() + 1);
    for (n, response) in responses.into_iter().enumerate() {
        body.push(if n == 0 { b'[' } else { b',' });
        response.into_chunks().for_each(|chunk| body.extend_from_slice(&chunk));
    }
    body.push(b']');
    body
}

/// Returns the messages of a batch, each as one line, or `None` if it is not valid JSON. Those
/// beyond the limit are left out, except one.
fn messages(batch: Bytes) -> Option<Vec<Bytes>> {
    let batch = RawJson::parse_payload(batch).ok()?;
    Some(batch.items().take(MESSAGES_MAX + 1).map(|message| message.compact()).collect())
}

/// Handles one message of a batch. Returns the response to a request or to a malformed message.
async fn handle_message(
    state: Arc<HttpState>,
    session: Arc<Session>,
    message: Bytes,
    head: Arc<Head>,
    format: Option<ResultFormat>,
) -> Option<Outgoing> {
    let frame = |encoded: Encoded| encoded.frame;
    match partial_message::parse(message.clone()).await {
        Ok(Message::Request(request)) => {
            let outbound: Arc<dyn Outbound> = Arc::clone(&session.client.outbound);
            let caller = legacy::caller(&session, outbound, &head, &request, format);
            if request.method == "initialize" {
                let fault = Fault::new(Code::InvalidEnvelope)
                    .message("`initialize` must not be in a batch");
                return legacy::refuse_request(&state, &request, &caller, fault).await.map(frame);
            }
            if let Err(fault) = session.open.add(&request, &caller) {
                return legacy::refuse_request(&state, &request, &caller, fault).await.map(frame);
            }
            legacy::run_request(state, session, request, caller, None).await.map(frame)
        }
        Ok(Message::Notification(notification)) => {
            legacy::handle_notification(&state, &session, &notification);
            if notification.method == "tools/call" {
                let source = |meta: Option<&RawJson>| head.request_source("/mcp", meta, None);
                partial_message::record_call_without_id(&state.gateway, source, &message);
            }
            None
        }
        Ok(Message::Response(response)) => {
            legacy::handle_response(&state, &session, &response);
            None
        }
        Err(malformed) => {
            let Malformed { fault, id, mut partial, .. } = *malformed;
            partial.id = id;
            let source = head.request_source("/mcp", partial.meta(), None);
            let id = partial.id.as_ref();
            let encode = |response: &Response| encode_era_independent(id, response);
            Some(partial.refuse(&state.gateway, &source, fault, encode).frame)
        }
    }
}
