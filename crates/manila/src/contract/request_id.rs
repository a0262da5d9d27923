//! The request id, as each contract writes it.

use super::{Contract, Losses};
use crate::context::Context;
use crate::outcome::non_blank;

/// Returns the request id of a call, as an envelope of `contract` contains it.
///
/// A caller's id is written as R5 and E3 require. Without one, an id is generated from
/// [`Context::fresh`]. A contract that has no place for an id, or not for this one, uses the form
/// of `response-v2`. If a call has the returned id, an envelope of `contract` contains it
/// unchanged, unless the contract has no place for ids.
///
/// ```
/// use manila::{Context, Contract, format_request_id};
///
/// let context = Context::new([0xAB; 16]);
/// assert_eq!(format_request_id(Contract::ResponseV2, Some("call-7"), &context), "call-7");
/// assert_eq!(format_request_id(Contract::ResponseV2, None, &context), "req_abababababab");
/// ```
#[must_use]
pub fn format_request_id(contract: Contract, given: Option<&str>, context: &Context) -> String {
    // The envelope that contains the id lists its losses.
    let unlisted = &mut Losses::default();
    (contract.spec().format_request_id)(non_blank(given), context, unlisted).into_owned()
}

#[cfg(test)]
mod tests;
