//! The time that a client may take for a request, with one timer for each connection.
//!
//! Nearly every request comes long before its time is up. A timer of its own would have to be
//! started and stopped for each; this one runs on, and when it is up it looks whether
//! somebody waits for that, or for something later.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt;
use tokio::time::{Sleep, sleep_until};

use crate::rt::clock;

/// The timer of one connection. Only its task waits for it.
#[derive(Clone)]
pub(super) struct Patience(Arc<Mutex<Pin<Box<Sleep>>>>);

impl Patience {
    pub(super) fn new() -> Patience {
        Patience(Arc::new(Mutex::new(Box::pin(sleep_until(clock::now())))))
    }

    /// Waits for so long.
    pub(super) fn wait(&self, duration: Duration) -> Wait {
        Wait { until: clock::now() + duration, timer: self.clone() }
    }
}

/// A point in time that is waited for.
pub(super) struct Wait {
    until: tokio::time::Instant,
    timer: Patience,
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

impl rt::Timer for Patience {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(self.wait(duration))
    }

    fn sleep_until(&self, until: Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Wait { until: until.into(), timer: self.clone() })
    }
}

#[cfg(test)]
mod tests;
