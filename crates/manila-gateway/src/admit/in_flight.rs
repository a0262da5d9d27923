//! The requests that are open, of all clients together.

use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::NotAdmitted;
use crate::config::Settings;
use crate::rt::until::until;

/// The requests that are open.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Counted>);

#[derive(Default)]
struct Counted {
    load: Mutex<Load>,
    drained: Notify,
}

/// How much is open.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    n_requests: usize,
    n_bytes: usize,
}

impl InFlight {
    /// Counts a request of this size until the permit is dropped.
    pub(super) fn enter(&self, n_bytes: usize, settings: &Settings) -> Result<Permit, NotAdmitted> {
        let Ok(mut load) = self.0.load.lock() else { return Err(NotAdmitted::Overloaded) };
        let has_room =
            load.n_requests < settings.in_flight_max && load.n_bytes < settings.in_flight_bytes_max;
        if !has_room {
            return Err(NotAdmitted::Overloaded);
        }
        load.n_requests += 1;
        load.n_bytes += n_bytes;
        Ok(Permit { among: Arc::clone(&self.0), n_bytes })
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
pub(crate) struct Permit {
    among: Arc<Counted>,
    n_bytes: usize,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Ok(mut load) = self.among.load.lock() else { return };
        load.n_requests = load.n_requests.saturating_sub(1);
        load.n_bytes = load.n_bytes.saturating_sub(self.n_bytes);
        if load.n_requests == 0 {
            self.among.drained.notify_waiters();
        }
    }
}
