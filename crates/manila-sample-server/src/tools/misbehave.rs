//! The tool `misbehave`, which breaks a rule of the transport in a chosen way.

use std::io;

use serde::Deserialize;

use super::super::disposition::{Disposition, HandlerError};
use super::super::era::Era;
use super::super::jsonrpc::{self, push};
use super::super::message::Reply;
use super::super::output::Part;
use super::super::rpc_error::RpcError;
use super::super::shape::HandlerMeta;
use super::super::{linger, own_process, result};
use super::huge::write_filler;
use super::{Call, Tool};

pub(super) const MISBEHAVE: Tool = Tool {
    name: "misbehave",
    title: "Misbehave",
    description: "Breaks a rule of the transport in the way you choose: garbage between messages, \
                  responses that are duplicate, missing, too long or not UTF-8, and orphaned \
                  processes. Only for testing clients and gateways.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "how": {
                "type": "string",
                "enum": ["close_stdout", "garbage", "flood", "huge_line", "invalid_utf8",
                    "wrong_id", "answer_twice", "unknown_request", "grandchild", "hang",
                    "hang_all", "deep", "half_answer", "endless", "internal_error"],
                "description": "The rule to break."
            }
        },
        "required": ["how"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: misbehave,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MisbehaveArguments {
    how: How,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    CloseStdout,
    Garbage,
    Flood,
    HugeLine,
    InvalidUtf8,
    WrongId,
    AnswerTwice,
    UnknownRequest,
    Grandchild,
    Hang,
    HangAll,
    Deep,
    HalfAnswer,
    Endless,
    InternalError,
}

fn misbehave(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let MisbehaveArguments { how } = call.arguments()?;
    match how {
        How::CloseStdout => close_stdout(call),
        How::Garbage => garbage(call, out),
        How::Flood => flood(call, out),
        How::HugeLine => huge_line(call, out),
        How::InvalidUtf8 => Ok(invalid_utf8(out)),
        How::WrongId => wrong_id(call),
        How::AnswerTwice => answer_twice(call, out),
        How::UnknownRequest => unknown_request(call),
        How::Grandchild => Ok(grandchild()),
        How::Hang => Ok(Disposition::Nothing),
        How::HangAll => Ok(hang_all(call)),
        How::Deep => Ok(deep(out)),
        How::HalfAnswer => half_answer(call),
        How::Endless => Ok(endless()),
        How::InternalError => Err(RpcError::internal("the tide table is torn").into()),
    }
}

/// Closes both the writer of this server and the descriptor that it may be a copy of.
fn close_stdout(call: &Call<'_>) -> Result<Disposition, HandlerError> {
    call.output.close();
    own_process::discard_stdout()?;
    Ok(Disposition::Nothing)
}

fn garbage(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.output.send(Part::Other, b"DEBUG berth 4 is free\n\n<html>\n{\"jsonrpc\":\n}{][\n")?;
    result::text(out, "the response after the garbage");
    Ok(Disposition::Answer)
}

/// The params of an unsolicited log message.
const LOG_PARAMS: &str = r#"{"level":"info","logger":"manila-sample","data":"the tide is rising"}"#;

/// Sends a flood of notifications. Each write has many lines, so that only the reader limits the
/// speed.
fn flood(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    const N_LINES: usize = 200_000;
    const LINES_PER_WRITE: usize = 500;
    let mut line = Vec::new();
    jsonrpc::notification(&mut line, "notifications/message", LOG_PARAMS);
    let lines = line.repeat(LINES_PER_WRITE);
    for _ in 0..N_LINES / LINES_PER_WRITE {
        call.output.send(Part::Other, &lines)?;
    }
    result::text(out, "the response after the flood");
    Ok(Disposition::Answer)
}

fn huge_line(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    const LINE_BYTES: u64 = 100_000_000;
    call.output.send_in_pieces(Part::Other, |writer| {
        write_filler(writer, LINE_BYTES)?;
        writer.write_all(b"\n")
    })?;
    result::text(out, "the response after the huge line");
    Ok(Disposition::Answer)
}

fn invalid_utf8(out: &mut Vec<u8>) -> Disposition {
    push(out, r#"{"content":[{"type":"text","text":"before "#);
    out.extend_from_slice(&[0xFF, 0xFE]);
    push(out, r#" after"}]}"#);
    Disposition::Answer
}

fn wrong_id(call: &Call<'_>) -> Result<Disposition, HandlerError> {
    send_response(call, "999999", "for another request")?;
    Ok(Disposition::Nothing)
}

fn answer_twice(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    send_response(call, call.id.get(), "the first response")?;
    result::text(out, "the second response");
    Ok(Disposition::Answer)
}

/// Sends a response in addition to the regular one.
fn send_response(call: &Call<'_>, id: &str, text: &str) -> io::Result<()> {
    let mut line = Vec::new();
    let opened = call.shape.open(&mut line, id);
    result::text(&mut line, text);
    call.shape.join(&mut line, opened);
    call.shape.close(&mut line, HandlerMeta::Absent);
    call.output.send(Part::Other, &line)
}

fn unknown_request(call: &Call<'_>) -> Result<Disposition, HandlerError> {
    if let Era::Modern(_) = call.era {
        return Err(RpcError::invalid_params("servers send no requests in this revision").into());
    }
    Ok(Disposition::later(|pending, out| {
        let text = match pending.send_request("sample/unknown", "{}")? {
            Reply::Error(error) => format!("the client refused: {error}"),
            Reply::Result(result) => format!("the client responded: {result}"),
        };
        result::text(out, &text);
        Ok(())
    }))
}

fn grandchild() -> Disposition {
    Disposition::later(|_pending, out| {
        match linger::start_grandchild() {
            Ok(pid) => result::push_mirrored(out, &format!("{{\"pid\":{pid}}}")),
            Err(error) => result::failure(out, &format!("cannot start the grandchild: {error}")),
        }
        Ok(())
    })
}

fn hang_all(call: &Call<'_>) -> Disposition {
    call.session.server.mute();
    Disposition::Nothing
}

fn deep(out: &mut Vec<u8>) -> Disposition {
    const LEVELS: usize = 10_000;
    let json = format!("{}{{}}{}", r#"{"d":"#.repeat(LEVELS - 1), "}".repeat(LEVELS - 1));
    result::push_structured(out, "deeply nested objects", &json);
    Disposition::Answer
}

/// Sends the first part of a response, then closes the output.
fn half_answer(call: &Call<'_>) -> Result<Disposition, HandlerError> {
    let mut line = Vec::new();
    jsonrpc::open(&mut line, call.id.get());
    push(&mut line, r#"{"content":[{"type":"te"#);
    call.output.send(Part::Other, &line)?;
    close_stdout(call)
}

fn endless() -> Disposition {
    Disposition::later(|pending, _out| {
        loop {
            pending.notify("notifications/message", LOG_PARAMS)?;
            pending.pause(1)?;
        }
    })
}
