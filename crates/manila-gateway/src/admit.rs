//! Admission: who is calling, and may they call now?
//!
//! Every transport calls [`dispatch`](crate::gateway::dispatch), which admits, answers and records;
//! nothing else authenticates, counts or limits requests.

mod in_flight;

pub(crate) use in_flight::{InFlight, Permit};

use crate::config::Settings;
use crate::protocol::caller::Caller;
use crate::protocol::origin::Principal;

/// Why a request is not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    /// Too many requests are open, or too large ones.
    Overloaded,
}

/// What limits requests.
#[derive(Default)]
pub(crate) struct Limits {
    /// The requests that are open, of all clients together.
    pub(crate) in_flight: InFlight,
}

/// Admits a request of this size, or returns why it is not.
///
/// The permit counts the request as in flight until it is dropped.
pub(crate) async fn admit(
    n_bytes: usize,
    caller: &Caller,
    limits: &Limits,
    settings: &Settings,
) -> Result<Permit, NotAdmitted> {
    match caller.origin.principal {
        // There are no keys yet: whoever can reach the gateway may call.
        Principal::Local => {}
    }
    limits.in_flight.enter(n_bytes, settings)
}
