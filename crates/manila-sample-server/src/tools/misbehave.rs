//! Misbehave: one tool that breaks the rules of the transport, each in one way.

use std::io;

use serde::Deserialize;

use super::super::answer::{self, push};
use super::super::conduct::{Conduct, Stop};
use super::super::era::Era;
use super::super::message::Reply;
use super::super::output::Part;
use super::super::rpc_error::RpcError;
use super::super::shape::OwnMeta;
use super::super::{linger, own_process, result};
use super::huge::write_filler;
use super::{Call, Tool};

pub(super) const MISBEHAVE: Tool = Tool {
    name: "misbehave",
    title: "Misbehave",
    description: "Breaks a rule of the transport in the way you choose: garbage between messages, \
                  answers that are doubled, lost, far too long or not text at all, processes that \
                  stay behind. Only for testing what stands in front of a server.",
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

fn misbehave(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
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
        How::Hang => Ok(Conduct::Nothing),
        How::HangAll => Ok(hang_all(call)),
        How::Deep => Ok(deep(out)),
        How::HalfAnswer => half_answer(call),
        How::Endless => Ok(endless()),
        How::InternalError => Err(RpcError::internal("the tide table is torn").into()),
    }
}

/// Both ends go: the writer that we were given, and the descriptor that it may be a copy of.
fn close_stdout(call: &Call<'_>) -> Result<Conduct, Stop> {
    call.output.close();
    own_process::discard_stdout()?;
    Ok(Conduct::Nothing)
}

fn garbage(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.output.send(Part::Aside, b"DEBUG berth 4 is free\n\n<html>\n{\"jsonrpc\":\n}{][\n")?;
    result::text(out, "answered after the garbage");
    Ok(Conduct::Answer)
}

/// The params of a log message that nobody asked for.
const RISING: &str = r#"{"level":"info","logger":"manila-sample","data":"the tide is rising"}"#;

/// Many lines go in one write, so that the flood is as fast as its reader.
fn flood(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    const N_LINES: usize = 200_000;
    const LINES_PER_WRITE: usize = 500;
    let mut line = Vec::new();
    answer::notification(&mut line, "notifications/message", RISING);
    let lines = line.repeat(LINES_PER_WRITE);
    for _ in 0..N_LINES / LINES_PER_WRITE {
        call.output.send(Part::Aside, &lines)?;
    }
    result::text(out, "answered after the flood");
    Ok(Conduct::Answer)
}

fn huge_line(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    const LINE_BYTES: u64 = 100_000_000;
    call.output.send_in_pieces(Part::Aside, |writer| {
        write_filler(writer, LINE_BYTES)?;
        writer.write_all(b"\n")
    })?;
    result::text(out, "answered after the huge line");
    Ok(Conduct::Answer)
}

fn invalid_utf8(out: &mut Vec<u8>) -> Conduct {
    push(out, r#"{"content":[{"type":"text","text":"before "#);
    out.extend_from_slice(&[0xFF, 0xFE]);
    push(out, r#" after"}]}"#);
    Conduct::Answer
}

fn wrong_id(call: &Call<'_>) -> Result<Conduct, Stop> {
    send_answer(call, "999999", "for somebody else")?;
    Ok(Conduct::Nothing)
}

fn answer_twice(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    send_answer(call, call.id.get(), "the first answer")?;
    result::text(out, "the second answer");
    Ok(Conduct::Answer)
}

/// An answer beside the one that the handler gives in the usual way.
fn send_answer(call: &Call<'_>, id: &str, text: &str) -> io::Result<()> {
    let mut line = Vec::new();
    let opened = call.shape.open(&mut line, id);
    result::text(&mut line, text);
    call.shape.join(&mut line, opened);
    call.shape.close(&mut line, OwnMeta::Absent);
    call.output.send(Part::Aside, &line)
}

fn unknown_request(call: &Call<'_>) -> Result<Conduct, Stop> {
    if let Era::Modern(_) = call.era {
        return Err(RpcError::invalid_params("servers send no requests in this revision").into());
    }
    Ok(Conduct::later(|wait, out| {
        let text = match wait.ask("sample/unknown", "{}")? {
            Reply::Error(error) => format!("the client refused: {error}"),
            Reply::Result(result) => format!("the client answered: {result}"),
        };
        result::text(out, &text);
        Ok(())
    }))
}

fn grandchild() -> Conduct {
    Conduct::later(|_wait, out| {
        match linger::start_grandchild() {
            Ok(pid) => result::mirrored(out, &format!("{{\"pid\":{pid}}}")),
            Err(error) => result::failure(out, &format!("no grandchild was born: {error}")),
        }
        Ok(())
    })
}

fn hang_all(call: &Call<'_>) -> Conduct {
    call.session.server.mute();
    Conduct::Nothing
}

fn deep(out: &mut Vec<u8>) -> Conduct {
    const LEVELS: usize = 10_000;
    let json = format!("{}{{}}{}", r#"{"d":"#.repeat(LEVELS - 1), "}".repeat(LEVELS - 1));
    result::structured(out, "as deep as the sea", &json);
    Conduct::Answer
}

/// The answer stops in the middle of a word, and with it the output.
fn half_answer(call: &Call<'_>) -> Result<Conduct, Stop> {
    let mut line = Vec::new();
    answer::open(&mut line, call.id.get());
    push(&mut line, r#"{"content":[{"type":"te"#);
    call.output.send(Part::Aside, &line)?;
    close_stdout(call)
}

fn endless() -> Conduct {
    Conduct::later(|wait, _out| {
        loop {
            wait.notify("notifications/message", RISING)?;
            wait.pause(1)?;
        }
    })
}
