//! Crash: the server goes down in the middle of a call.

use std::io::{self, Write};
use std::process;

use serde::Deserialize;

use super::super::arguments::Whole;
use super::super::conduct::{Conduct, Stop};
use super::{Call, Tool};

pub(super) const CRASH: Tool = Tool {
    name: "crash",
    title: "Crash",
    description: "Ends the server at once, with an exit code or by a signal, and never answers. \
                  Shows what a client is told when a server dies on it.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "code": {
                "type": "integer", "minimum": 0, "maximum": 255, "default": 1,
                "description": "The exit code."
            },
            "signal": {
                "type": "boolean", "default": false,
                "description": "Whether to die by a signal instead of exiting."
            }
        },
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: crash,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrashArguments {
    code: Option<Whole<0, 255>>,
    #[serde(default)]
    signal: bool,
}

/// Looks like the last words of a program that did not expect to die.
const LAST_WORDS: &[u8] = b"thread 'main' panicked at src/harbour.rs:27:9:
the tide table has no entry for today
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
";

#[expect(clippy::disallowed_methods, reason = "the point of this tool is an end without manners")]
fn crash(call: &Call<'_>, _out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: CrashArguments = call.arguments()?;
    let Whole(code) = arguments.code.unwrap_or(Whole(1));
    // A server that dies does not care whether anybody listens.
    let _ = io::stderr().write_all(LAST_WORDS);
    if arguments.signal {
        process::abort()
    }
    process::exit(i32::try_from(code).unwrap_or(1))
}
