//! Asking the server, within the time there is.

use std::sync::Arc;
use std::time::Duration;

use manila::Code;
use manila::request_envelope::{Request, Response};

use crate::cancellation::Cancellation;
use crate::clock;
use crate::deadlines::Deadline;
use crate::gateway::{Gateway, Settings};
use crate::upstream::{Arrived, Gone};

/// Why there is no answer.
pub(super) enum Unanswered {
    /// The answer is over the size limit.
    TooLarge,
    /// The answer cannot be read.
    Unusable(String),
    /// The server took too long: so long.
    TimedOut(Duration),
    /// It is not there, or died.
    Gone(Gone),
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
            Unanswered::TimedOut(after) => {
                (Code::Timeout, format!("The server did not answer within {after:?}"))
            }
            Unanswered::Gone(gone) => {
                let reason = &gone.0.reason;
                (Code::UpstreamUnavailable, format!("The server is not available: {reason}"))
            }
        }
    }
}

impl Gateway {
    /// Hands a request on and waits for the answer: until the deadline, and beyond it as long as
    /// the server gives signs of life, but not for ever.
    pub(super) async fn ask(
        &self,
        request: &Request,
        cancellation: &Arc<Cancellation>,
        mut deadline: Deadline,
    ) -> Result<Response, Unanswered> {
        const TIMEOUTS_MAX: u32 = 10;
        let timeout = self.settings.timeout;
        let latest = deadline.time() + timeout.saturating_mul(TIMEOUTS_MAX - 1);
        let started = clock::now();
        let mut granted = timeout;
        if deadline.time() <= started {
            return Err(Unanswered::TimedOut(timeout));
        }
        let sent = async {
            let ready = self.upstream.ready().await.map_err(Gone)?;
            ready.connection.forward(request, Arc::clone(cancellation)).await
        };
        let sent = tokio::select! {
            biased;
            sent = sent => sent,
            () = deadline.passed() => return Err(Unanswered::TimedOut(timeout)),
        };
        let mut waiting = sent.map_err(Unanswered::Gone)?;
        loop {
            tokio::select! {
                biased;
                arrived = waiting.arrived() => return match arrived {
                    Ok(Arrived::Response(response)) => Ok(response),
                    Ok(Arrived::TooLarge) => Err(Unanswered::TooLarge),
                    Ok(Arrived::Unusable(why)) => Err(Unanswered::Unusable(why)),
                    Err(gone) => Err(Unanswered::Gone(gone)),
                },
                () = deadline.passed() => {}
            }
            let extended = waiting.last_sign().map(|sign| (sign + timeout).min(latest));
            let Some(extended) = extended.filter(|extended| *extended > clock::now()) else {
                waiting.give_up("the call took too long");
                return Err(Unanswered::TimedOut(granted));
            };
            granted = in_ms(extended.saturating_duration_since(started));
            deadline = self.deadlines.at(extended);
        }
    }
}

/// For people: nobody wants to read nanoseconds.
fn in_ms(duration: Duration) -> Duration {
    let rounded = duration + Duration::from_micros(500);
    Duration::from_millis(rounded.as_millis().try_into().unwrap_or(u64::MAX))
}
