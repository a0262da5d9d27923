//! Asking the server, within the time there is.

use std::sync::Arc;
use std::time::Duration;

use manila::RawJson;
use manila::request_envelope::{Request, Response};
use tokio::time::Instant;

use crate::cancellation::Cancellation;
use crate::clock;
use crate::gateway::Gateway;
use crate::upstream::{Arrived, Gone, Waiting};

/// Why there is no answer.
pub(super) enum Unanswered {
    /// The answer is over the size limit.
    TooLarge,
    /// The answer cannot be read.
    Unusable(String),
    /// The server took too long.
    TimedOut,
    /// It is not there, or died.
    Gone(Gone),
}

impl Gateway {
    /// Hands a request on and waits for the answer.
    pub(super) async fn ask(
        &self,
        request: &Request,
        cancellation: &Arc<Cancellation>,
        started: Instant,
    ) -> Result<Response, Unanswered> {
        let timeout = self.settings.timeout;
        let sent = tokio::time::timeout_at(started + timeout, async {
            let ready = self.upstream.ready().await.map_err(Gone)?;
            ready.connection.forward(request, Arc::clone(cancellation)).await
        });
        match sent.await {
            Err(_) => Err(Unanswered::TimedOut),
            Ok(Err(gone)) => Err(Unanswered::Gone(gone)),
            Ok(Ok(waiting)) => wait(waiting, cancellation, started, timeout).await,
        }
    }
}

/// Waits as long as the server gives signs of life, but not for ever.
async fn wait(
    mut waiting: Waiting,
    cancellation: &Cancellation,
    started: Instant,
    timeout: Duration,
) -> Result<Response, Unanswered> {
    const TIMEOUTS_MAX: u32 = 10;
    let latest = started + timeout.saturating_mul(TIMEOUTS_MAX);
    let mut deadline = started + timeout;
    loop {
        tokio::select! {
            biased;
            arrived = waiting.arrived() => return match arrived {
                Ok(Arrived::Response(response)) => Ok(response),
                Ok(Arrived::TooLarge) => Err(Unanswered::TooLarge),
                Ok(Arrived::Unusable(why)) => Err(Unanswered::Unusable(why)),
                Err(gone) => Err(Unanswered::Gone(gone)),
            },
            () = tokio::time::sleep_until(deadline) => {
                let extended = waiting.last_sign().map(|sign| (sign + timeout).min(latest));
                if let Some(extended) = extended.filter(|extended| *extended > clock::now()) {
                    deadline = extended;
                    continue;
                }
                cancellation.cancel(RawJson::of("the call took too long").ok());
                return Err(Unanswered::TimedOut);
            }
        }
    }
}
