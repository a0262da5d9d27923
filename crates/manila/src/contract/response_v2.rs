//! `response-v2`: success, data, error, meta.

use super::Losses;
use crate::context::Context;
use crate::outcome::{Ended, Outcome};
use crate::raw_json::{Emit, OrNull, shape};

mod code;
mod data;
mod meta;

pub(super) use code::{code_of_type, error_type, known_type, words};
use data::Data;
use meta::Meta;

shape! {
    /// R1: these four keys and no others; none is ever left out.
    struct Response<'a> {
        success: bool,
        /// R2: always an object, `{}` when there is nothing to say.
        data: Data<'a>,
        /// R3: `null` exactly when `success` is true.
        error: OrNull<&'a str>,
        meta: Meta<'a>,
    }
}

pub(super) fn render(outcome: &Outcome, context: &Context, out: &mut Vec<u8>, losses: &mut Losses) {
    let Outcome { call, ended, run, blocks: _, notes, receipt, provenance, verbatim: _ } = outcome;
    let (data, error) = match ended {
        Ended::Done(_) => (data::done(outcome.content(), losses), None),
        Ended::Failed { failures, partial: _ } => {
            let error = data::error(failures, outcome.content(), run.as_ref(), losses);
            (error, Some(failures.first().message.as_ref()))
        }
    };
    let meta = meta::meta(call, run.as_ref(), notes, context, losses);
    losses.add_origin(receipt, provenance);
    Response { success: error.is_none(), data, error: OrNull(error), meta }.emit(out);
}
