//! Timeouts for a client's requests, with one timer per connection.
//!
//! Nearly every request arrives long before its timeout. A timer per request would have to be
//! started and stopped each time. This one keeps running, and checks the current deadline only when
//! it expires.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt;
use tokio::time::{Sleep, sleep_until};

use crate::rt::clock;

/// The timer of one connection. Only the connection's task waits for it.
#[derive(Clone)]
pub(super) struct ConnectionTimer(Arc<Mutex<Pin<Box<Sleep>>>>);

impl ConnectionTimer {
    pub(super) fn new() -> ConnectionTimer {
        ConnectionTimer(Arc::new(Mutex::new(Box::pin(sleep_until(clock::now())))))
    }

    /// Waits for this duration.
    pub(super) fn wait(&self, duration: Duration) -> Wait {
        Wait { until: clock::now() + duration, timer: self.clone() }
    }
}

/// A future that completes at a point in time.
pub(super) struct Wait {
    until: tokio::time::Instant,
    timer: ConnectionTimer,
}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Ok(mut timer) = self.timer.0.lock() else { return Poll::Ready(()) };
        if timer.deadline() > self.until {
            timer.as_mut().reset(self.until);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if clock::now() >= self.until {
                return Poll::Ready(());
            }
            timer.as_mut().reset(self.until);
        }
        Poll::Pending
    }
}

impl rt::Sleep for Wait {}

impl rt::Timer for ConnectionTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(self.wait(duration))
    }

    fn sleep_until(&self, until: Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Wait { until: until.into(), timer: self.clone() })
    }
}

#[cfg(test)]
mod tests;
