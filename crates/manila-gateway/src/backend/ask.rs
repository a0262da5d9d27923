//! Asking the server, within the time there is.

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
use crate::upstream::{Arrived, Declined, Gone, SentAs, Waiting};

/// What a server answered, and in the words of which era.
#[derive(Debug)]
pub struct Answered {
    pub(crate) response: Response,
    pub(crate) era: Era,
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// The answer is over the size limit.
    TooLarge,
    /// The answer cannot be read.
    Unusable(String),
    /// The server took too long: so long.
    TimedOut(Duration),
    /// The same, and what works for a pack has answered when it was told to stop.
    Late(Duration, Box<Answered>),
    /// It is not there, or died.
    Gone(Gone),
    /// It, or something before it, refused on HTTP, or could not be reached.
    Declined(Declined),
    /// It asks something that its caller cannot be asked.
    AskedBack(String),
    /// Its caller wants no more of it.
    Stopped,
}

impl Unanswered {
    /// What it is, and in a sentence.
    pub(super) fn told(&self, settings: &Settings) -> (Code, String) {
        match self {
            Unanswered::TooLarge => {
                let limit = settings.frame_bytes_max;
                (Code::TooLarge, format!("The server's answer has more than {limit} bytes"))
            }
            Unanswered::Unusable(why) => {
                (Code::InvalidToolOutput, format!("The server's answer cannot be read: {why}"))
            }
            Unanswered::TimedOut(after) | Unanswered::Late(after, _) => {
                (Code::Timeout, format!("The server did not answer within {after:?}"))
            }
            Unanswered::Gone(gone) => {
                let reason = &gone.0.reason;
                (Code::UpstreamUnavailable, format!("The server is not available: {reason}"))
            }
            Unanswered::Declined(Declined { status: Some(429), reason, .. }) => {
                (Code::RateLimited, format!("The server is asked too often: {reason}"))
            }
            Unanswered::Declined(Declined { reason, .. }) => {
                (Code::UpstreamUnavailable, format!("The server is not available: {reason}"))
            }
            Unanswered::Stopped => (Code::Cancelled, Code::Cancelled.entry().message.to_owned()),
            Unanswered::AskedBack(method) => (
                Code::CapabilityNotAvailable,
                format!(
                    "The server asks the client something (`{method}`), which cannot be handed \
                     on between a client and a server of different eras of MCP"
                ),
            ),
        }
    }
}

/// What a server is told whose answer nobody waits for.
const STOPPED: &str = "the caller wants no more of it";
const TOO_LONG: &str = "the call took too long";

impl Backend {
    /// Hands a request on and waits for the answer: until the deadline, and beyond it as long as
    /// the server gives signs of life, but not for ever.
    pub(super) async fn ask(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        sent: &SentAs,
        deadline: Deadline,
    ) -> Result<Answered, Unanswered> {
        let sending = pin!(self.send_request(request, caller, sent, deadline));
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

    async fn send_request(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        sent: &SentAs,
        mut deadline: Deadline,
    ) -> Result<Answered, Unanswered> {
        const TIMEOUTS_MAX: u32 = 10;
        let timeout = deadline.given();
        let latest = deadline.time() + timeout.saturating_mul(TIMEOUTS_MAX - 1);
        let started = clock::now();
        let mut granted = timeout;
        if deadline.time() <= started {
            return Err(Unanswered::TimedOut(timeout));
        }
        let sending = async {
            let ready = self.upstream.ready(caller.wanted()).await.map_err(Gone)?;
            ready.connection.forward(request, caller, sent).await
        };
        let sent = tokio::select! {
            biased;
            sent = sending => sent,
            () = deadline.passed() => return Err(Unanswered::TimedOut(timeout)),
            () = caller.cancellation.stopped() => return Err(Unanswered::Stopped),
        };
        let mut waiting = sent.map_err(Unanswered::Gone)?;
        if let Kind::Pack(_) = &self.kind {
            return Box::pin(self.last_word_of_pack(waiting, caller, deadline)).await;
        }
        loop {
            tokio::select! {
                biased;
                arrived = waiting.arrived() => return answered(arrived, &waiting),
                () = deadline.passed() => {}
                () = caller.cancellation.stopped() => {
                    waiting.give_up(STOPPED);
                    return Err(Unanswered::Stopped);
                }
            }
            let extended = waiting.last_sign().map(|sign| (sign + timeout).min(latest));
            let Some(extended) = extended.filter(|extended| *extended > clock::now()) else {
                waiting.give_up(TOO_LONG);
                return Err(Unanswered::TimedOut(granted));
            };
            granted = in_ms(extended.saturating_duration_since(started));
            deadline = self.deadlines.at(extended, granted);
        }
    }

    /// What works for a pack knows itself how long a program may take. It is told to stop, and what
    /// it answers to that is the answer.
    async fn last_word_of_pack(
        &self,
        mut waiting: Waiting,
        caller: &Arc<Caller>,
        mut deadline: Deadline,
    ) -> Result<Answered, Unanswered> {
        const LAST_WORD: Duration = Duration::from_secs(10);
        let timeout = deadline.given();
        let (reason, late) = tokio::select! {
            biased;
            arrived = waiting.arrived() => return answered(arrived, &waiting),
            () = deadline.passed() => (TOO_LONG, Some(timeout)),
            () = caller.cancellation.stopped() => (STOPPED, None),
        };
        waiting.tell_cancelled(reason);
        let mut last = self.deadlines.within(LAST_WORD);
        let said = tokio::select! {
            biased;
            arrived = waiting.arrived() => answered(arrived, &waiting)?,
            () = last.passed() => {
                return Err(late.map_or(Unanswered::Stopped, Unanswered::TimedOut));
            }
        };
        match late {
            Some(after) => Err(Unanswered::Late(after, Box::new(said))),
            None => Ok(said),
        }
    }
}

fn answered(arrived: Result<Arrived, Gone>, by: &Waiting) -> Result<Answered, Unanswered> {
    match arrived.map_err(Unanswered::Gone)? {
        Arrived::Response(response) => {
            Ok(Answered { response, era: by.connection().era_or_plainest() })
        }
        Arrived::TooLarge => Err(Unanswered::TooLarge),
        Arrived::Unusable(why) => Err(Unanswered::Unusable(why)),
        Arrived::AskedBack(method) => Err(Unanswered::AskedBack(method)),
        Arrived::Declined(declined) => Err(Unanswered::Declined(declined)),
    }
}

/// For people: nobody wants to read nanoseconds.
fn in_ms(duration: Duration) -> Duration {
    let rounded = duration + Duration::from_micros(500);
    Duration::from_millis(rounded.as_millis().try_into().unwrap_or(u64::MAX))
}
