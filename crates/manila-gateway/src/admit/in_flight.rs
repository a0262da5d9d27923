//! The requests in flight across all clients.

use std::sync::{Arc, Mutex};

use manila::Code;
use tokio::sync::Notify;

use crate::protocol::jsonrpc::Fault;
use crate::rt::wait_until::wait_until;

/// The requests in flight.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Counter>);

#[derive(Default)]
struct Counter {
    load: Mutex<Load>,
    drained: Notify,
}

/// The number and total size of the requests in flight, and their limits.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    n_requests: usize,
    n_bytes: usize,
    requests_max: usize,
    bytes_max: usize,
}

impl InFlight {
    /// Sets the maximum number and total size of the requests in flight.
    pub(super) fn set(&self, requests_max: usize, bytes_max: usize) {
        if let Ok(mut load) = self.0.load.lock() {
            (load.requests_max, load.bytes_max) = (requests_max, bytes_max);
        }
    }

    /// Counts a request of this size until the permit is dropped. Fails if a limit is reached.
    pub(super) fn enter(&self, n_bytes: usize) -> Result<Permit, Fault> {
        const MESSAGE: &str = "Too many requests or bytes are in flight";
        let refused = || Fault::new(Code::RateLimited).message(MESSAGE);
        let mut load = self.0.load.lock().map_err(|_| refused())?;
        if load.n_requests >= load.requests_max || load.n_bytes >= load.bytes_max {
            return Err(refused());
        }
        load.n_requests += 1;
        load.n_bytes += n_bytes;
        Ok(Permit(Some((Arc::clone(&self.0), n_bytes))))
    }

    /// Returns the number of requests in flight.
    pub(crate) fn n_requests(&self) -> usize {
        self.0.load.lock().map_or(0, |load| load.n_requests)
    }

    /// Waits until no request is in flight.
    pub(crate) async fn wait_drained(&self) {
        wait_until(&self.0.drained, || self.n_requests() == 0).await;
    }
}

/// Counts a request as in flight until it is dropped.
pub(crate) struct Permit(Option<(Arc<Counter>, usize)>);

impl Permit {
    /// Returns a permit for a request that is not counted.
    pub(super) fn exempt() -> Permit {
        Permit(None)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some((counter, n_bytes)) = &self.0 else { return };
        let Ok(mut load) = counter.load.lock() else { return };
        load.n_requests = load.n_requests.saturating_sub(1);
        load.n_bytes = load.n_bytes.saturating_sub(*n_bytes);
        if load.n_requests == 0 {
            counter.drained.notify_waiters();
        }
    }
}
