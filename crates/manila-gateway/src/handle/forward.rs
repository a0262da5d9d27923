//! Requests that are nobody's business but the client's and the server's.

use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::{Request, Response};

use crate::cancellation::Cancellation;
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
        Ok(response) => Forwarded::AsItCame(response),
        Err(unanswered) => {
            let (code, message) = unanswered.told(&gateway.settings);
            Forwarded::Fault(Fault::new(code).message(message))
        }
    }
}
