//! The requests that are open, of all clients together.

use std::sync::{Arc, Mutex};

use manila::Code;
use tokio::sync::Notify;

use crate::protocol::jsonrpc::Fault;
use crate::rt::until::until;

/// The requests that are open.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Counted>);

#[derive(Default)]
struct Counted {
    load: Mutex<Load>,
    drained: Notify,
}

/// How much is open, and how much may be.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    n_requests: usize,
    n_bytes: usize,
    requests_max: usize,
    bytes_max: usize,
}

impl InFlight {
    /// Sets how many requests may be open, and how many bytes they may have together.
    pub(super) fn set(&self, requests_max: usize, bytes_max: usize) {
        if let Ok(mut load) = self.0.load.lock() {
            (load.requests_max, load.bytes_max) = (requests_max, bytes_max);
        }
    }

    /// Counts a request of this size until the permit is dropped.
    pub(super) fn enter(&self, n_bytes: usize) -> Result<Permit, Fault> {
        const MESSAGE: &str = "Too many or too large requests are open already";
        let refused = || Fault::new(Code::RateLimited).message(MESSAGE);
        let mut load = self.0.load.lock().map_err(|_| refused())?;
        if load.n_requests >= load.requests_max || load.n_bytes >= load.bytes_max {
            return Err(refused());
        }
        load.n_requests += 1;
        load.n_bytes += n_bytes;
        Ok(Permit(Some((Arc::clone(&self.0), n_bytes))))
    }

    /// How many requests are open.
    pub(crate) fn n_requests(&self) -> usize {
        self.0.load.lock().map_or(0, |load| load.n_requests)
    }

    /// Waits until no request is open.
    pub(crate) async fn drained(&self) {
        until(&self.0.drained, || self.n_requests() == 0).await;
    }
}

/// A request that is open, until this is dropped.
pub(crate) struct Permit(Option<(Arc<Counted>, usize)>);

impl Permit {
    /// A permit for a request that does not count.
    pub(super) fn uncounted() -> Permit {
        Permit(None)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some((among, n_bytes)) = &self.0 else { return };
        let Ok(mut load) = among.load.lock() else { return };
        load.n_requests = load.n_requests.saturating_sub(1);
        load.n_bytes = load.n_bytes.saturating_sub(*n_bytes);
        if load.n_requests == 0 {
            among.drained.notify_waiters();
        }
    }
}
