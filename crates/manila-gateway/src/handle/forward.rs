//! Requests that are nobody's business but the client's and the server's.

use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::{Request, Response};
use manila_redact::Tally;

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

impl Gateway {
    /// The answer to a request without its secrets. What servers offer is left alone, unless it
    /// is an error.
    pub(super) fn hidden(&self, request: &Request, response: Response) -> Response {
        if LISTS.contains(&request.method.as_str()) && response.answer.is_ok() {
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
