//! Input from the client: a tool asks, and its call comes again with the answer.
//!
//! Nothing is kept between the two calls: the state that goes along says what was asked, so that
//! it fits this call only.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::value::RawValue;

use super::rpc_error::RpcError;

/// What a tool wants to know.
pub(super) struct Question<'a> {
    /// The name under which the answer comes.
    pub(super) key: &'a str,
    /// How it is asked.
    pub(super) method: &'a str,
    /// What is asked, JSON text on one line.
    pub(super) params: &'a str,
}

/// What came with a call that was made again.
#[derive(Default)]
pub(super) struct Returned<'a> {
    /// The answers of the client, by our names.
    pub(super) responses: Option<HashMap<String, &'a RawValue>>,
    /// The state that we gave out.
    pub(super) state: Option<String>,
}

impl<'a> Returned<'a> {
    /// The answer to `question`, unless it has to be asked still.
    pub(super) fn answer(&self, question: &Question<'_>) -> Result<Option<&'a RawValue>, RpcError> {
        let Some(state) = &self.state else { return Ok(None) };
        if *state != question.state() {
            return Err(RpcError::invalid_params("`requestState` is none that fits this call"));
        }
        Ok(self.responses.as_ref().and_then(|responses| responses.get(question.key).copied()))
    }
}

impl Question<'_> {
    /// The members of the result that asks it.
    pub(super) fn members(&self) -> String {
        let Question { key, method, params, .. } = self;
        let asked = format!("{{\"method\":\"{method}\",\"params\":{params}}}");
        format!("\"inputRequests\":{{\"{key}\":{asked}}},\"requestState\":\"{}\"", self.state())
    }

    /// Opaque to the client: what was asked, as a checksum (FNV-1a, 64 bits).
    ///
    /// Whoever forges it only answers a question that was not asked, so no key is needed.
    fn state(&self) -> String {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let parts = [self.key, self.method, self.params];
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        let sum = bytes.fold(BASIS, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(PRIME));
        let mut state = String::from("asked-");
        write!(state, "{sum:016x}").expect("a string takes every character");
        state
    }
}
