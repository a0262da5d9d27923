//! `response-v2`: success, data, error, meta.

use std::borrow::Cow;

use super::code_lines::plain_lines;
use super::row::{Mark, Members, Row};
use super::{Losses, Place};
use crate::catalogue::Code;
use crate::context::Context;
use crate::outcome::{Ended, Failure, Outcome, Run};
use crate::raw_json::{Emit, OrNull, shape};
use crate::schema::{PayloadType, Unbound};
use crate::truncate::cut;

mod code;
mod data;
mod meta;
mod read;
mod read_meta;

pub(super) use code::known_type;
use data::Data;
use meta::Meta;
pub(super) use meta::{digest_id, spell_id};
pub(super) use read::stdout_of;

/// What the contract offers.
pub(super) static ROW: Row = Row {
    render: |outcome, context, out, losses| Some(render(outcome, context, out, losses)),
    read: read::read,
    spell_id,
    spellings: code::spellings,
    shared_words: code::SHARED,
    code_of_group: code::code_of_type,
    place_of: payload,
    mark: Mark::Text { path: &["meta", "version"], text: "response-v2" },
    described_by: Some(Members { names: Response::MEMBERS, optional: None }),
    payload_is_text: false,
};

/// The tool's own schema binds on success without structured warnings. R2: a payload that is no
/// object stands one level deeper, and `null` nowhere; a schema that does not say which it is
/// cannot bind.
fn payload(payload: PayloadType) -> Result<Place, Unbound> {
    match payload {
        PayloadType::Object => Ok(Place {
            before: concat!(clean_success!(), r#""then":{"properties":{"data":"#),
            after: "}}}",
            pointer: "#/allOf/0/then/properties/data",
        }),
        PayloadType::Other => Ok(Place {
            before: concat!(
                clean_success!(),
                r#""then":{"properties":{"data":{"required":["result"],"properties":{"result":"#
            ),
            after: "}}}}}",
            pointer: "#/allOf/0/then/properties/data/properties/result",
        }),
        PayloadType::Unsaid => Err(Unbound::TypeUnsaid),
    }
}

macro_rules! clean_success {
    () => {
        concat!(
            r#"{"if":{"properties":{"success":{"const":true},"#,
            r#""meta":{"not":{"required":["warning_details"]}}},"required":["success"]},"#,
        )
    };
}
use clean_success;

shape! {
    /// R1: these four keys and no others; none is ever left out.
    struct Response<'a> {
        success: bool,
        /// R2: always an object, `{}` when there is nothing to say.
        data: Data<'a>,
        /// R3: `null` exactly when `success` is true.
        error: OrNull<Cow<'a, str>>,
        meta: Meta<'a>,
    }
}

/// Writes the envelope; returns its request id.
fn render(outcome: &Outcome, context: &Context, out: &mut Vec<u8>, losses: &mut Losses) -> String {
    let Outcome {
        call,
        ended,
        run,
        blocks: _,
        notes,
        receipt,
        provenance,
        came_in: _,
        verbatim: _,
        unread: _,
        unwrapped: _,
    } = outcome;
    let (data, error) = match ended {
        Ended::Done(_) => (data::done(outcome.content(), losses), None),
        Ended::Failed { failures, partial: _ } => {
            let error = data::error(failures, outcome.content(), run.as_ref(), losses);
            (error, Some(sentence(failures.first(), run.as_ref(), losses)))
        }
    };
    let receipt = meta::receipt(receipt);
    let meta = meta::meta(call, run.as_ref(), notes, receipt.as_ref(), context, losses);
    losses.add_provenance(provenance);
    let response = Response { success: error.is_none(), data, error: OrNull(error), meta };
    response.emit(out);
    response.meta.into_request_id()
}

/// R3: what happened. A program that failed without a diagnostic has its reason on stderr,
/// and an agent should not have to look for it there.
fn sentence<'a>(failure: &'a Failure, run: Option<&Run>, losses: &mut Losses) -> Cow<'a, str> {
    let is_plain_exit = failure.code == Code::CommandFailed && failure.origin_code.is_none();
    let Some(reason) = run.filter(|_| is_plain_exit).and_then(reason) else {
        return failure.message.as_ref().into();
    };
    let message = failure.message.trim_end_matches('.');
    if failure.message.len() != message.len() + 1 {
        losses.add("message", "the reason that a program gave is told after it");
    }
    format!("{message}: {reason}").into()
}

/// What a program said about its failure.
fn reason(run: &Run) -> Option<String> {
    const CHARS_MAX: usize = 500;
    telling_line(&run.stderr).map(|line| cut(&line, CHARS_MAX).0.to_owned())
}

/// The line that says most: the first that speaks of an error, else the last.
fn telling_line(stderr: &str) -> Option<String> {
    const WORDS: [&str; 7] =
        ["error", "fatal", "failed", "not found", "no such", "denied", "cannot"];
    let mut last = None;
    for line in plain_lines(stderr) {
        let lower = line.to_ascii_lowercase();
        if WORDS.iter().any(|word| lower.contains(word)) {
            return Some(line);
        }
        last = Some(line);
    }
    last
}
