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
use crate::protocol::request_source::Principal;

/// The limits for requests.
pub(crate) struct Limits {
    /// The requests in flight across all clients.
    pub(crate) in_flight: InFlight,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Limits {
        let limits = Limits { in_flight: InFlight::default() };
        limits.set(settings);
        limits
    }

    /// Applies new settings, starting with the next request.
    pub(crate) fn set(&self, settings: &Settings) {
        self.in_flight.set(settings.in_flight_max, settings.in_flight_bytes_max);
    }
}

/// Returns the principal for this `Authorization` header, or the fault to refuse the request with.
///
/// The HTTP transport calls it once per request, before it reads the body. A client on stdin has
/// started the gateway and is always [`Principal::Local`].
#[expect(clippy::unnecessary_wraps, reason = "every transport handles a refusal")]
pub(crate) fn authenticate(
    _authorization: Option<&str>,
    _limits: &Limits,
) -> Result<Principal, Fault> {
    // Keys are not implemented: every client that reaches the gateway may send requests.
    Ok(Principal::Local)
}

/// Admits a request, or returns the fault to refuse it with.
///
/// The permit counts the request as in flight until it is dropped.
pub(crate) async fn admit(
    request: &Request,
    caller: &Caller,
    limits: &Limits,
) -> Result<Permit, Fault> {
    match caller.source.principal {
        // A local client may send any request.
        Principal::Local => {}
        Principal::Unknown => return Err(Fault::new(Code::Unauthenticated)),
    }
    match request.method.as_str() {
        // A client whose `initialize` or `ping` fails assumes that the gateway has crashed.
        "initialize" | "ping" => Ok(Permit::exempt()),
        _ => limits.in_flight.enter(request.frame.as_bytes().len()),
    }
}
