//! `response-v2`: `success`, `data`, `error` and `meta`.

use std::borrow::Cow;

use super::code_lines::plain_lines;
use super::spec::{ContractSpec, Mark, Members};
use super::{Losses, Place};
use crate::catalogue::Code;
use crate::context::Context;
use crate::outcome::{Ended, Failure, Outcome, Run};
use crate::raw_json::{Emit, OrNull, shape};
use crate::schema::{PayloadSchemaError, PayloadType};
use crate::truncate::cut;

mod code;
mod data;
mod meta;
mod read;
mod read_meta;

pub(super) use code::known_type;
use data::Data;
use meta::Meta;
pub(super) use meta::{format_request_id, replacement_request_id};
pub(super) use read::move_partial_to_stdout;

/// The functions and facts of the contract.
pub(super) static SPEC: ContractSpec = ContractSpec {
    render: |outcome, context, out, losses| Some(render(outcome, context, out, losses)),
    read: read::read,
    format_request_id,
    spellings: code::spellings,
    shared_spellings: code::SHARED,
    code_from_group: code::code_from_type_name,
    payload_schema_place,
    mark: Mark::Text { path: &["meta", "version"], text: "response-v2" },
    described_by: Some(Members { names: Response::MEMBERS, optional: None }),
    payload_is_text: false,
};

/// Returns where the tool's schema goes in the envelope's schema. It applies only to successful
/// envelopes without `meta.warning_details`.
///
/// R2: an object payload is `data` itself; any other payload is `data.result`, and a `null` payload
/// is omitted. A schema without a type cannot be used.
fn payload_schema_place(payload: PayloadType) -> Result<Place, PayloadSchemaError> {
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
        PayloadType::Unspecified => Err(PayloadSchemaError::TypeUnspecified),
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
    /// R1: exactly these four members, all of them always present.
    struct Response<'a> {
        success: bool,
        /// R2: always an object, `{}` if there is no payload.
        data: Data<'a>,
        /// R3: `null` if and only if `success` is true.
        error: OrNull<Cow<'a, str>>,
        meta: Meta<'a>,
    }
}

/// Writes the envelope, and returns its request id.
fn render(outcome: &Outcome, context: &Context, out: &mut Vec<u8>, losses: &mut Losses) -> String {
    let Outcome {
        call,
        ended,
        run,
        blocks: _,
        notes,
        receipt,
        provenance,
        source_contract: _,
        verbatim: _,
        unread: _,
        unwrapped: _,
    } = outcome;
    let (data, error) = match ended {
        Ended::Done(_) => (data::success_data(outcome.content(), losses), None),
        Ended::Failed { failures, partial: _ } => {
            let error = data::error_data(failures, outcome.content(), run.as_ref(), losses);
            (error, Some(error_message(failures.first(), run.as_ref(), losses)))
        }
    };
    let receipt = meta::receipt(receipt);
    let meta = meta::meta(call, run.as_ref(), notes, receipt.as_ref(), context, losses);
    losses.add_provenance(provenance);
    let response = Response { success: error.is_none(), data, error: OrNull(error), meta };
    response.emit(out);
    response.meta.into_request_id()
}

/// R3: returns the error message. If a program failed and reported no error code of its own, the
/// most relevant stderr line is appended, so that an agent need not search for it there.
fn error_message<'a>(failure: &'a Failure, run: Option<&Run>, losses: &mut Losses) -> Cow<'a, str> {
    let is_plain_exit = failure.code == Code::CommandFailed && failure.origin_code.is_none();
    let Some(reason) = run.filter(|_| is_plain_exit).and_then(stderr_reason) else {
        return failure.message.as_ref().into();
    };
    let message = failure.message.trim_end_matches('.');
    // A reader of the envelope removes the reason and adds one final period.
    if failure.message.len() != message.len() + 1 {
        let why = "a reason from stderr is appended, so the original message cannot be recovered";
        losses.add("message", why);
    }
    format!("{message}: {reason}").into()
}

/// Returns the reason for a program's failure, from its stderr.
fn stderr_reason(run: &Run) -> Option<String> {
    const CHARS_MAX: usize = 500;
    relevant_line(&run.stderr).map(|line| cut(&line, CHARS_MAX).0.to_owned())
}

/// Returns the first line that mentions an error, else the last line.
fn relevant_line(stderr: &str) -> Option<String> {
    const KEYWORDS: [&str; 7] =
        ["error", "fatal", "failed", "not found", "no such", "denied", "cannot"];
    let mut last = None;
    for line in plain_lines(stderr) {
        let lower = line.to_ascii_lowercase();
        if KEYWORDS.iter().any(|keyword| lower.contains(keyword)) {
            return Some(line);
        }
        last = Some(line);
    }
    last
}
