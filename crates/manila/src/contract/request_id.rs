//! The request id, as each contract spells it.

use super::{Contract, Losses, envelope_v1, mcp_envelope_v0_1, response_v2};
use crate::context::Context;
use crate::outcome::said;

/// Returns the request id of a call, as an envelope of `contract` says it.
///
/// A caller's id is spelled as R5 and E3 say; without one, an id is made from
/// [`Context::fresh`]. A contract that has no place for an id, or none for this one, uses
/// `response-v2`'s form. A call that is given the returned id has it in its envelope, in every
/// contract that writes one.
///
/// ```
/// use manila::{Context, Contract, request_id};
///
/// let context = Context::new([0xAB; 16]);
/// assert_eq!(request_id(Contract::ResponseV2, Some("call-7"), &context), "call-7");
/// assert_eq!(request_id(Contract::ResponseV2, None, &context), "req_abababababab");
/// ```
#[must_use]
pub fn request_id(contract: Contract, given: Option<&str>, context: &Context) -> String {
    let given = said(given);
    // What an id loses is listed by the envelope that says it.
    let unlisted = &mut Losses::default();
    let id = match contract {
        Contract::EnvelopeV1 => envelope_v1::spell_id(given, context, unlisted),
        Contract::McpEnvelopeV01 => match (mcp_envelope_v0_1::fitting_id(given), given) {
            (Some(id), _) => id.into(),
            (None, Some(too_long)) => response_v2::digest_id(too_long),
            (None, None) => response_v2::spell_id(None, context, unlisted),
        },
        Contract::ResponseV2 | Contract::MachineReadableV1 => {
            response_v2::spell_id(given, context, unlisted)
        }
    };
    id.into_owned()
}

#[cfg(test)]
mod tests;
