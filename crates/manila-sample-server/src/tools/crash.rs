//! The tool `crash`, which ends the server during a call.

use std::io::{self, Write};
use std::process;

use serde::Deserialize;

use super::super::arguments::IntegerIn;
use super::super::disposition::{Disposition, HandlerError};
use super::{Call, Tool};

pub(super) const CRASH: Tool = Tool {
    name: "crash",
    title: "Crash",
    description: "Ends the server at once, with an exit code or by a signal, without a response. \
                  Shows which error a client receives when a server crashes.",
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
    code: Option<IntegerIn<0, 255>>,
    #[serde(default)]
    signal: bool,
}

/// The stderr output, which looks like that of a panic.
const CRASH_STDERR: &[u8] = b"thread 'main' panicked at src/harbour.rs:27:9:
the tide table has no entry for today
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
";

#[expect(clippy::disallowed_methods, reason = "this tool ends the server without cleanup")]
fn crash(call: &Call<'_>, _out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: CrashArguments = call.arguments()?;
    let IntegerIn(code) = arguments.code.unwrap_or(IntegerIn(1));
    // The server exits even if stderr cannot be written.
    let _ = io::stderr().write_all(CRASH_STDERR);
    if arguments.signal {
        process::abort()
    }
    process::exit(i32::try_from(code).unwrap_or(1))
}
