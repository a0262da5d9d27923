//! Requests that are nobody's business but the client's and the server's.

use std::sync::Arc;

use manila::request_envelope::{Request, Response};
use manila::{JsonObject, McpResult, RawJson};
use manila_redact::Tally;

use super::answer;
use crate::cancellation::Cancellation;
use crate::event::Event;
use crate::gateway::Gateway;
use crate::jsonrpc::Fault;

/// What came of a request that was handed on.
pub(crate) enum Forwarded {
    /// The answer, as it came.
    AsItCame(Response),
    /// A result of which something was changed.
    Changed(RawJson),
    /// The server could not be asked.
    Fault(Fault),
}

/// Hands a request on, and its answer back.
pub(crate) async fn forward(
    gateway: &Gateway,
    request: &Request,
    cancellation: &Arc<Cancellation>,
) -> Forwarded {
    match gateway.ask(request, cancellation, gateway.deadline()).await {
        Ok(response) => Forwarded::AsItCame(gateway.hidden(request, response)),
        Err(unanswered) => {
            let (code, message) = unanswered.told(&gateway.settings);
            let message = gateway.settings.hiding.text(message);
            Forwarded::Fault(Fault::new(code).message(message))
        }
    }
}

/// What servers offer: names and descriptions that are the same for everybody.
const LISTS: [&str; 5] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "initialize"];

/// Whether a result is none yet: the server asks back, or has begun a task.
fn is_handle(result: &RawJson) -> bool {
    JsonObject::new(result.clone()).is_some_and(|it| McpResult::from_object(it).is_handle())
}

impl Gateway {
    /// The answer to a request without its secrets. What servers offer is left alone, and what the
    /// client must act on.
    pub(super) fn hidden(&self, request: &Request, response: Response) -> Response {
        let is_left_alone = match &response.answer {
            Ok(result) => LISTS.contains(&request.method.as_str()) || is_handle(result),
            Err(error) => answer::is_for_the_client(error),
        };
        if is_left_alone {
            return response;
        }
        let (hidden, tally) = self.settings.hiding.response(response);
        self.tell_redacted(&request.method, &tally);
        hidden
    }

    /// Tells what was hidden, if anything was.
    pub(super) fn tell_redacted(&self, place: &str, tally: &Tally) {
        if !tally.is_empty() {
            let findings = tally.iter().map(|(rule, n)| (rule.to_owned(), n)).collect();
            self.tell(Event::Redacted { place: place.to_owned(), findings });
        }
    }
}
