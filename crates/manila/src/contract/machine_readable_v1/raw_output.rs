//! M2, M4, M10: `rawOutput`, what a failed call printed or left.

use super::TRUNCATED;
use crate::contract::content::{AsText, text_of};
use crate::outcome::{Content, Cut, Run};
use crate::raw_json::{Emit, RawJson, emit_joined};

/// What a failed call printed or left, as one string.
pub(super) enum RawOutput<'a> {
    Text(&'a str),
    Streams {
        stdout: &'a str,
        stderr: &'a str,
    },
    /// What a program left, told in its place.
    LeftAndStderr {
        left: &'a RawJson,
        stderr: &'a str,
    },
    Cut {
        stdout: &'a str,
    },
    Left(Content<'a>),
}

impl<'a> RawOutput<'a> {
    pub(super) fn of(run: Option<&'a Run>, left: Content<'a>) -> RawOutput<'a> {
        match run {
            // M4: both streams of a command that printed no diagnostic.
            Some(run) if run.exit.is_some() => match left {
                Content::Json(left) => RawOutput::LeftAndStderr { left, stderr: &run.stderr },
                Content::Text(_) | Content::Nothing => {
                    RawOutput::Streams { stdout: &run.stdout, stderr: &run.stderr }
                }
            },
            // M10: what was printed before the command was stopped.
            Some(run) if run.cut == Cut::Truncated => RawOutput::Cut { stdout: &run.stdout },
            Some(_) | None => RawOutput::Left(left),
        }
    }
}

impl Emit for RawOutput<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            RawOutput::Text(text) => text.emit(out),
            RawOutput::Streams { stdout, stderr } => emit_joined(&[stdout, "\n", stderr], out),
            RawOutput::LeftAndStderr { left, stderr } => {
                emit_joined(&[&text_of(left), "\n", stderr], out);
            }
            RawOutput::Cut { stdout } => {
                let line_end = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
                emit_joined(&[stdout, line_end, TRUNCATED], out);
            }
            RawOutput::Left(left) => AsText(*left).emit(out),
        }
    }
}
