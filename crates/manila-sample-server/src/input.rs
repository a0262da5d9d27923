//! Input from the client: a tool requests input, and the client retries the call with it.
//!
//! The server keeps no state between the two calls. The `requestState` that the client returns
//! identifies the input request, so that it is valid only for the same call.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::value::RawValue;

use super::rpc_error::RpcError;

/// A request of a tool for input.
pub(super) struct InputRequest<'a> {
    /// The key of the response in `inputResponses`.
    pub(super) key: &'a str,
    /// The method of the request.
    pub(super) method: &'a str,
    /// The params of the request, as JSON text on one line.
    pub(super) params: &'a str,
}

/// The additional input of a retried call.
#[derive(Default)]
pub(super) struct RetryInput<'a> {
    /// The client's responses, by the server's keys.
    pub(super) responses: Option<HashMap<String, &'a RawValue>>,
    /// The `requestState` that the server sent.
    pub(super) state: Option<String>,
}

impl<'a> RetryInput<'a> {
    /// Returns the response to `request`, or `None` if the request is still to be sent.
    pub(super) fn response_to(
        &self,
        request: &InputRequest<'_>,
    ) -> Result<Option<&'a RawValue>, RpcError> {
        let Some(state) = &self.state else { return Ok(None) };
        if *state != request.state() {
            return Err(RpcError::invalid_params("`requestState` does not belong to this call"));
        }
        Ok(self.responses.as_ref().and_then(|responses| responses.get(request.key).copied()))
    }
}

impl InputRequest<'_> {
    /// Returns the members of the result that contains this request.
    pub(super) fn members(&self) -> String {
        let InputRequest { key, method, params, .. } = self;
        let request = format!("{{\"method\":\"{method}\",\"params\":{params}}}");
        format!("\"inputRequests\":{{\"{key}\":{request}}},\"requestState\":\"{}\"", self.state())
    }

    /// Returns the `requestState`: a checksum of the request (FNV-1a, 64 bits), opaque to the
    /// client.
    ///
    /// A forged state only lets a client respond to a request that was not sent, so the checksum
    /// needs no key.
    fn state(&self) -> String {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let parts = [self.key, self.method, self.params];
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        let sum = bytes.fold(BASIS, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(PRIME));
        let mut state = String::from("asked-");
        write!(state, "{sum:016x}").expect("writing to a string cannot fail");
        state
    }
}
