//! M2, M4, M10: `rawOutput`, the output or partial result of a failed call.

use super::TRUNCATED;
use crate::contract::content::{AsText, text_of};
use crate::outcome::{Content, Run, Truncation};
use crate::raw_json::{Emit, RawJson, emit_joined};

/// The output or partial result of a failed call, as one string.
pub(super) enum RawOutput<'a> {
    Text(&'a str),
    Streams {
        stdout: &'a str,
        stderr: &'a str,
    },
    /// The partial result of a program, instead of its stdout.
    PartialAndStderr {
        partial: &'a RawJson,
        stderr: &'a str,
    },
    Cut {
        stdout: &'a str,
    },
    Partial(Content<'a>),
}

impl<'a> RawOutput<'a> {
    pub(super) fn of(run: Option<&'a Run>, partial: Content<'a>) -> RawOutput<'a> {
        match run {
            // M4: both streams of a command that printed no diagnostic.
            Some(run) if run.exit.is_some() => match partial {
                Content::Json(partial) => {
                    RawOutput::PartialAndStderr { partial, stderr: &run.stderr }
                }
                Content::Text(_) | Content::Nothing => {
                    RawOutput::Streams { stdout: &run.stdout, stderr: &run.stderr }
                }
            },
            // M10: the output before the command was stopped.
            Some(run) if run.truncation == Truncation::Truncated => {
                RawOutput::Cut { stdout: &run.stdout }
            }
            Some(_) | None => RawOutput::Partial(partial),
        }
    }
}

impl Emit for RawOutput<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            RawOutput::Text(text) => text.emit(out),
            RawOutput::Streams { stdout, stderr } => emit_joined(&[stdout, "\n", stderr], out),
            RawOutput::PartialAndStderr { partial, stderr } => {
                emit_joined(&[&text_of(partial), "\n", stderr], out);
            }
            RawOutput::Cut { stdout } => {
                let line_end = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
                emit_joined(&[stdout, line_end, TRUNCATED], out);
            }
            RawOutput::Partial(partial) => AsText(*partial).emit(out),
        }
    }
}
