//! Timed tools: calls that take a while, with and without progress notifications.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::arguments::IntegerIn;
use super::super::disposition::{Disposition, HandlerError};
use super::super::pending_calls::{Cancelled, PendingCall};
use super::super::result;
use super::{Call, Tool};

pub(super) const PROGRESS: Tool = Tool {
    name: "progress",
    title: "Progress",
    description: "Works in steps and reports each step, if the call has a progress token. \
                  Can be cancelled between two steps.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "steps": {
                "type": "integer", "minimum": 1, "maximum": 1000, "default": 5,
                "description": "The number of steps."
            },
            "delay_ms": {
                "type": "integer", "minimum": 0, "maximum": 60000, "default": 20,
                "description": "The duration of a step in milliseconds."
            }
        },
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: progress,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgressArguments {
    steps: Option<IntegerIn<1, 1000>>,
    delay_ms: Option<IntegerIn<0, 60_000>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

fn progress(call: &Call<'_>, _out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let arguments: ProgressArguments = call.arguments()?;
    let IntegerIn(n_steps) = arguments.steps.unwrap_or(IntegerIn(5));
    let IntegerIn(delay_ms) = arguments.delay_ms.unwrap_or(IntegerIn(20));
    let meta: Option<Meta<'_>> =
        call.meta.map(|meta| super::arguments::read(meta.get())).transpose()?;
    let token = meta.and_then(|meta| meta.progress_token).map(ToOwned::to_owned);
    Ok(Disposition::later(move |pending, out| {
        for step in 1..=n_steps {
            pending.pause(delay_ms)?;
            if let Some(token) = &token {
                report(pending, token, step, n_steps)?;
            }
        }
        result::text(out, &format!("finished {n_steps} steps"));
        Ok(())
    }))
}

/// Sends a progress notification. It repeats the token as written, because a number beyond 64 bits
/// must stay the same token.
fn report(
    pending: &PendingCall,
    token: &RawValue,
    step: u64,
    n_steps: u64,
) -> Result<(), Cancelled> {
    let mut params = format!("{{\"progressToken\":{},\"progress\":{step}", token.get());
    write!(params, ",\"total\":{n_steps},\"message\":\"step {step} of {n_steps}\"}}")
        .expect("writing to a string cannot fail");
    pending.notify("notifications/progress", &params)
}

pub(super) const WAIT: Tool = Tool {
    name: "wait",
    title: "Wait",
    description: "Waits for the given time, then returns. \
                  Use it to test cancellation and timeouts.",
    input_schema: DURATION_SCHEMA,
    output_schema: None,
    meta: None,
    handler: wait,
};

/// The input schema of tools with a given duration.
pub(super) const DURATION_SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "ms": {
            "type": "integer", "minimum": 0, "maximum": 600000,
            "description": "The duration in milliseconds."
        }
    },
    "required": ["ms"],
    "additionalProperties": false
}"#;

/// The arguments of tools with a given duration.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DurationArguments {
    pub(super) ms: IntegerIn<0, 600_000>,
}

fn wait(call: &Call<'_>, _out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let DurationArguments { ms: IntegerIn(pause_ms) } = call.arguments()?;
    Ok(Disposition::later(move |pending, out| {
        pending.pause(pause_ms)?;
        result::text(out, &format!("waited {pause_ms} ms"));
        Ok(())
    }))
}
