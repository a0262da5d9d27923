//! Sends requests to the server, with a timeout.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use manila::Code;
use manila::request_envelope::{Request, Response};
use tracing::{Instrument, Span};

use super::{Backend, Kind};
use crate::config::Settings;
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::rt::clock;
use crate::rt::deadlines::Deadline;
use crate::rt::offload::{Work, leave_reactor, return_to_reactor};
use crate::upstream::{Disconnected, HttpFailure, RequestOverrides, UpstreamReply, Waiting};

/// A server's response, and the era in which it is written.
#[derive(Debug, Clone)]
pub struct ServerResponse {
    pub(crate) response: Response,
    pub(crate) era: Era,
}

/// The reason why there is no response.
pub(super) enum RequestFailure {
    /// The response exceeds the size limit.
    TooLarge,
    /// The response is invalid.
    Unusable(String),
    /// The server did not respond within this time.
    TimedOut(Duration),
    /// The call timed out and was cancelled, and the pack then responded.
    Late(Duration, Box<ServerResponse>),
    /// The server is not running, or exited.
    Disconnected(Disconnected),
    /// The server or a proxy refused the HTTP request, or could not be reached.
    HttpFailure(HttpFailure),
    /// The server sent a request, of this method, that the caller does not support.
    UnsupportedRequest(String),
    /// The caller stopped the request, and still expects a response.
    Stopped,
}

impl RequestFailure {
    /// Returns the code and a message.
    pub(super) fn code_and_message(&self, settings: &Settings) -> (Code, String) {
        match self {
            RequestFailure::TooLarge => {
                let limit = settings.message_bytes_max;
                let rule = format!("the limit of {limit} bytes (message_bytes_max)");
                (Code::TooLarge, format!("The server's response exceeds {rule}"))
            }
            RequestFailure::Unusable(reason) => {
                (Code::InvalidToolOutput, format!("The server's response cannot be read: {reason}"))
            }
            RequestFailure::TimedOut(after) | RequestFailure::Late(after, _) => {
                (Code::Timeout, format!("The server did not respond within {after:?}"))
            }
            RequestFailure::Disconnected(Disconnected(unavailable)) => {
                let reason = &unavailable.reason;
                (Code::UpstreamUnavailable, format!("The server is not available: {reason}"))
            }
            RequestFailure::HttpFailure(HttpFailure { status: Some(429), reason, .. }) => {
                (Code::RateLimited, format!("The server is limiting requests: {reason}"))
            }
            RequestFailure::HttpFailure(HttpFailure { reason, .. }) => {
                (Code::UpstreamUnavailable, format!("The server is not available: {reason}"))
            }
            RequestFailure::Stopped => {
                (Code::Cancelled, Code::Cancelled.entry().message.to_owned())
            }
            RequestFailure::UnsupportedRequest(method) => (
                Code::CapabilityNotAvailable,
                format!(
                    "The tool requested `{method}` from the client, but the client and the server \
                     use different eras of MCP"
                ),
            ),
        }
    }
}

/// The reasons in `notifications/cancelled`.
const STOPPED: &str = "the caller stopped the call";
const TOO_LONG: &str = "the call timed out";

impl Backend {
    /// Forwards a request and waits for the response: until the deadline, and longer while the
    /// server reports progress, up to a limit.
    pub(super) async fn send_request(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        overrides: &RequestOverrides,
        deadline: Deadline,
    ) -> Result<ServerResponse, RequestFailure> {
        let sending = pin!(self.send_until_deadline(request, caller, overrides, deadline));
        sending.instrument(self.span(&request.method)).await
    }

    /// Returns the span of a request of this method to the server.
    pub(super) fn span(&self, method: &str) -> Span {
        let server = tracing::field::Empty;
        let span = tracing::debug_span!(target: "manila", "upstream", method, server);
        if !span.is_disabled() {
            span.record("server", self.identity.0.as_str());
        }
        span
    }

    async fn send_until_deadline(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        overrides: &RequestOverrides,
        mut deadline: Deadline,
    ) -> Result<ServerResponse, RequestFailure> {
        const TIMEOUTS_MAX: u32 = 10;
        let timeout = deadline.timeout();
        let latest = deadline.time() + timeout.saturating_mul(TIMEOUTS_MAX - 1);
        let started = clock::now();
        let mut granted = timeout;
        if deadline.time() <= started {
            return Err(RequestFailure::TimedOut(timeout));
        }
        let sending = async {
            let ready = self.upstream.ready(caller.preferred_era()).await.map_err(Disconnected)?;
            leave_reactor(Work::Process(request.frame.as_bytes().len())).await;
            ready.connection.forward(request, caller, overrides).await
        };
        let sent = tokio::select! {
            biased;
            sent = sending => sent,
            () = deadline.wait() => return Err(RequestFailure::TimedOut(timeout)),
            () = caller.cancellation.wait_stop_requested() => return Err(RequestFailure::Stopped),
        };
        let mut waiting = sent.map_err(RequestFailure::Disconnected)?;
        // Where the inbox delivers the response, so that nothing happens between the two.
        return_to_reactor().await;
        if let Kind::Pack(_) = &self.kind {
            return Box::pin(self.wait_for_pack(waiting, caller, deadline)).await;
        }
        loop {
            tokio::select! {
                biased;
                reply = waiting.wait() => {
                    let received = server_response(reply, &waiting);
                    self.leave_reactor_with_response(Work::Process(size(&received))).await;
                    return received;
                }
                () = deadline.wait() => {}
                () = caller.cancellation.wait_stop_requested() => {
                    waiting.cancel_with_reason(STOPPED);
                    return Err(RequestFailure::Stopped);
                }
            }
            let extended = waiting.last_activity().map(|last| (last + timeout).min(latest));
            let Some(extended) = extended.filter(|extended| *extended > clock::now()) else {
                waiting.cancel_with_reason(TOO_LONG);
                return Err(RequestFailure::TimedOut(granted));
            };
            granted = round_to_ms(extended.saturating_duration_since(started));
            deadline = self.deadlines.at(extended, granted);
        }
    }

    /// Waits for a pack's response. At the deadline, or if the caller stops the call, cancels the
    /// call and waits a little longer, because the response describes how far the program got.
    async fn wait_for_pack(
        &self,
        mut waiting: Waiting,
        caller: &Arc<Caller>,
        mut deadline: Deadline,
    ) -> Result<ServerResponse, RequestFailure> {
        const STOP_TIMEOUT: Duration = Duration::from_secs(10);
        let timeout = deadline.timeout();
        let (reason, late) = tokio::select! {
            biased;
            reply = waiting.wait() => {
                let received = server_response(reply, &waiting);
                self.leave_reactor_with_response(Work::Process(size(&received))).await;
                return received;
            }
            () = deadline.wait() => (TOO_LONG, Some(timeout)),
            () = caller.cancellation.wait_stop_requested() => (STOPPED, None),
        };
        waiting.send_cancelled(reason);
        let mut last = self.deadlines.within(STOP_TIMEOUT);
        let response = tokio::select! {
            biased;
            reply = waiting.wait() => server_response(reply, &waiting)?,
            () = last.wait() => {
                return Err(late.map_or(RequestFailure::Stopped, RequestFailure::TimedOut));
            }
        };
        match late {
            Some(after) => Err(RequestFailure::Late(after, Box::new(response))),
            None => Ok(response),
        }
    }
}

fn server_response(
    reply: Result<UpstreamReply, Disconnected>,
    waiting: &Waiting,
) -> Result<ServerResponse, RequestFailure> {
    match reply.map_err(RequestFailure::Disconnected)? {
        UpstreamReply::Response(response) => {
            Ok(ServerResponse { response, era: waiting.connection().era_or_fallback() })
        }
        UpstreamReply::TooLarge => Err(RequestFailure::TooLarge),
        UpstreamReply::Unusable(reason) => Err(RequestFailure::Unusable(reason)),
        UpstreamReply::UnsupportedRequest(method) => {
            Err(RequestFailure::UnsupportedRequest(method))
        }
        UpstreamReply::HttpFailure(failure) => Err(RequestFailure::HttpFailure(failure)),
    }
}

/// Returns the size of a response, on which the work of sealing or forwarding it depends.
fn size(received: &Result<ServerResponse, RequestFailure>) -> usize {
    received.as_ref().map_or(0, |received| received.response.frame.as_bytes().len())
}

/// Rounds a duration for messages.
fn round_to_ms(duration: Duration) -> Duration {
    let rounded = duration + Duration::from_micros(500);
    Duration::from_millis(rounded.as_millis().try_into().unwrap_or(u64::MAX))
}
