//! Requests that are nobody's business but the client's and the server's.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, RawJson};

use crate::cancellation::Cancellation;
use crate::gateway::Gateway;
use crate::handle::ask::Unanswered;
use crate::jsonrpc::Fault;

/// What came of a request that was handed on.
pub(crate) enum Forwarded {
    /// The result, as it came.
    Result(RawJson),
    /// The error, as it came.
    Error(RawJson),
    /// The server could not be asked.
    Fault(Fault),
}

/// Hands a request on, and its answer back.
pub(crate) async fn forward(
    gateway: &Gateway,
    request: &Request,
    cancellation: &Arc<Cancellation>,
) -> Forwarded {
    match gateway
        .ask(request, cancellation, gateway.deadline())
        .await
        .map(|response| response.answer)
    {
        Ok(Ok(result)) => Forwarded::Result(result),
        Ok(Err(error)) => Forwarded::Error(error),
        Err(unanswered) => Forwarded::Fault(fault(gateway, unanswered)),
    }
}

fn fault(gateway: &Gateway, unanswered: Unanswered) -> Fault {
    let fault = |code, message: String| Fault::new(code).message(message);
    match unanswered {
        Unanswered::TooLarge => {
            let limit = gateway.settings.frame_bytes_max;
            fault(Code::TooLarge, format!("The server's answer has more than {limit} bytes"))
        }
        Unanswered::Unusable(why) => {
            fault(Code::InvalidToolOutput, format!("The server's answer cannot be read: {why}"))
        }
        Unanswered::TimedOut => {
            let timeout = gateway.settings.timeout;
            fault(Code::Timeout, format!("The server did not answer within {timeout:?}"))
        }
        Unanswered::Gone(gone) => fault(
            Code::UpstreamUnavailable,
            format!("The server is not available: {}", gone.0.reason),
        ),
    }
}
