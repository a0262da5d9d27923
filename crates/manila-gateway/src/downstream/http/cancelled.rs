//! Calls whose clients go away before they are answered.

use manila::request_envelope::Request;

use super::Front;
use crate::gateway::record::record_cancelled;
use crate::protocol::caller::Caller;
use crate::rt::clock;

/// Tells of a call whose client went away before it was answered.
pub(super) struct Cancelled<'a> {
    front: &'a Front,
    request: Option<&'a Request>,
    caller: &'a Caller,
    started: tokio::time::Instant,
}

impl<'a> Cancelled<'a> {
    pub(super) fn unless_answered(
        front: &'a Front,
        request: &'a Request,
        caller: &'a Caller,
    ) -> Cancelled<'a> {
        Cancelled { front, request: Some(request), caller, started: clock::now() }
    }

    /// It was answered.
    pub(super) fn forget(mut self) {
        self.request = None;
    }
}

impl Drop for Cancelled<'_> {
    fn drop(&mut self) {
        if let Some(request) = self.request {
            record_cancelled(&self.front.gateway, request, self.caller, self.started);
        }
    }
}
