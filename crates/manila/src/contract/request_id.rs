//! The request id, as each contract spells it.

use super::{Contract, Losses};
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
    // What an id loses is listed by the envelope that says it.
    let unlisted = &mut Losses::default();
    (contract.row().spell_id)(said(given), context, unlisted).into_owned()
}

#[cfg(test)]
mod tests;
