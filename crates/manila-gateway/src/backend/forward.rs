//! Forwards requests that the gateway does not answer itself.

use std::borrow::Cow;
use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::{Message, Notification, Request};
use manila_redact::Tally;

use super::mcp_response;
use super::send_request::{RequestFailure, ServerResponse};
use crate::backend::Backend;
use crate::config::RedactedMessage;
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::verbatim::VerbatimParts;
use crate::telemetry::event::Event;
use crate::upstream::RequestOverrides;

/// The answer to a forwarded request.
pub(crate) enum Forwarded {
    /// The server's unchanged response.
    Passthrough(ServerResponse),
    /// A result that the gateway changed or merged, in the format of this era.
    Rewritten(RawJson, Era),
    /// The gateway refused the request, or there is no usable response.
    Fault(Fault),
}

/// Forwards a request to the server, and redacts the response.
pub(crate) async fn forward(
    backend: &Backend,
    request: &Request,
    caller: &Arc<Caller>,
) -> Forwarded {
    match forward_unredacted(backend, request, caller).await {
        Forwarded::Passthrough(response) => {
            Forwarded::Passthrough(backend.redact(request, response))
        }
        other @ (Forwarded::Rewritten(..) | Forwarded::Fault(_)) => other,
    }
}

/// Forwards a request without redacting the response. The caller must redact it.
pub(super) async fn forward_unredacted(
    backend: &Backend,
    request: &Request,
    caller: &Arc<Caller>,
) -> Forwarded {
    match backend
        .send_request(request, caller, &RequestOverrides::default(), backend.deadline())
        .await
    {
        Ok(response) => match cross_era_request(&response, caller) {
            Some(method) => forwarded_fault(backend, &RequestFailure::UnsupportedRequest(method)),
            None => Forwarded::Passthrough(response),
        },
        Err(failure) => forwarded_fault(backend, &failure),
    }
}

fn forwarded_fault(backend: &Backend, failure: &RequestFailure) -> Forwarded {
    let (code, message) = failure.code_and_message(&backend.settings());
    let message = backend.settings().redaction.redact_text(message);
    Forwarded::Fault(Fault::new(code).message(message))
}

/// Methods that return names and descriptions, which are the same for every client and not
/// redacted.
const UNREDACTED_METHODS: [&str; 5] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "initialize"];

/// Returns what a response requires of the client, if the client and the server use different eras:
/// the method that a result requests, or the capability that an error names.
pub(super) fn cross_era_request(response: &ServerResponse, caller: &Caller) -> Option<String> {
    if response.era.is_same_era(caller.era()) {
        return None;
    }
    let name = match response.answer() {
        // In the legacy era, a result is never a request.
        Ok(_) if response.era != Era::Modern => return None,
        Ok(result) => {
            result.get("resultType")?.as_text().filter(|kind| kind == "input_required")?;
            let requests = result.get("inputRequests");
            let first = requests.iter().flat_map(RawJson::members).next();
            let method = first.and_then(|first| first.value().get("method"));
            method.as_ref().and_then(RawJson::as_text).map(Cow::into_owned)
        }
        Err(error) => {
            mcp_response::error_number(error).filter(|number| *number == -32021)?;
            let required = error.get("data").and_then(|data| data.get("requiredCapabilities"));
            let required = required.iter().flat_map(RawJson::members).next();
            required.map(|required| required.key().into_owned())
        }
    };
    Some(name.unwrap_or_else(|| "input_required".to_owned()))
}

impl Backend {
    /// Forwards a client's notification, if the server is running and uses the client's era.
    pub(crate) fn forward_notification(&self, notification: &Notification, era: Era) {
        if let Some(ready) = self.upstream.ready_now(Some(era))
            && ready.era.is_same_era(era)
        {
            ready.connection.push(notification.frame.to_bytes());
        }
    }

    /// Redacts the response to a request, unless it is a list.
    pub(super) fn redact(&self, request: &Request, response: ServerResponse) -> ServerResponse {
        let ServerResponse { response, era } = response;
        if response.answer.is_ok() && UNREDACTED_METHODS.contains(&request.method.as_str()) {
            return ServerResponse { response, era };
        }
        let (response, tally) = self.settings().redaction.redact_response(response, era);
        self.report_redacted(&request.method, &tally);
        ServerResponse { response, era }
    }

    /// Redacts a server's request to a client. Returns `None` if the result is not a request.
    pub(super) fn redact_request<'a>(&self, request: &'a Request) -> Option<Cow<'a, Request>> {
        let verbatim = || VerbatimParts::of_request(request);
        let redacted = self.settings().redaction.redact_message(&request.frame, verbatim);
        let Some(RedactedMessage { frame, tally }) = redacted else {
            return Some(Cow::Borrowed(request));
        };
        self.report_redacted(&request.method, &tally);
        match Message::from_json(frame) {
            Ok(Message::Request(redacted)) => Some(Cow::Owned(redacted)),
            Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
        }
    }

    /// Reports what was redacted, if anything.
    pub(super) fn report_redacted(&self, place: &str, tally: &Tally) {
        if !tally.is_empty() {
            let findings = tally.iter().map(|(rule, n)| (rule.to_owned(), n)).collect();
            self.report(Event::Redacted { place: place.to_owned(), findings });
        }
    }
}
