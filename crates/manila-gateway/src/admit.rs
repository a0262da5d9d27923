//! Admission: who is calling, and may they call now?
//!
//! Every transport calls [`dispatch`](crate::gateway::dispatch), which admits, answers and records;
//! nothing else authenticates, counts or limits requests.

mod in_flight;

use manila::Code;
use manila::request_envelope::Request;

pub(crate) use in_flight::{InFlight, Permit};

use crate::config::Settings;
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::origin::Principal;

/// What limits requests.
pub(crate) struct Limits {
    /// The requests that are open, of all clients together.
    pub(crate) in_flight: InFlight,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Limits {
        let limits = Limits { in_flight: InFlight::default() };
        limits.set(settings);
        limits
    }

    /// Applies other settings, from the next request on.
    pub(crate) fn set(&self, settings: &Settings) {
        self.in_flight.set(settings.in_flight_max, settings.in_flight_bytes_max);
    }
}

/// Returns who sends a request with this `Authorization`, or the refusal to answer it with.
///
/// The HTTP listener calls it once per request, before it reads the body. A client on stdin started
/// the gateway and is always [`Principal::Local`].
#[expect(clippy::unnecessary_wraps, reason = "every transport is ready for a refusal")]
pub(crate) fn authenticate(
    _authorization: Option<&str>,
    _limits: &Limits,
) -> Result<Principal, Fault> {
    // Keys are not implemented: every client that reaches the gateway may call.
    Ok(Principal::Local)
}

/// Admits a request, or returns the refusal to answer it with.
///
/// The permit counts the request as in flight until it is dropped.
pub(crate) async fn admit(
    request: &Request,
    caller: &Caller,
    limits: &Limits,
) -> Result<Permit, Fault> {
    match caller.origin.principal {
        // It may call everything that is served.
        Principal::Local => {}
        Principal::Unknown => return Err(Fault::new(Code::Unauthenticated)),
    }
    match request.method.as_str() {
        // A client that cannot be greeted, or is not answered a ping, takes us for dead.
        "initialize" | "ping" => Ok(Permit::uncounted()),
        _ => limits.in_flight.enter(request.frame.as_bytes().len()),
    }
}
