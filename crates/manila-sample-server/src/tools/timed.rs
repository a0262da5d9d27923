//! Timed tools: calls that take a while, with and without saying how far they are.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::arguments::Whole;
use super::super::conduct::{Conduct, Stop};
use super::super::result;
use super::super::waiting::{Cancelled, Wait};
use super::{Call, Tool};

pub(super) const PROGRESS: Tool = Tool {
    name: "progress",
    title: "Progress",
    description: "Works in steps and reports each of them, if the call carries a progress token. \
                  Can be cancelled between two steps.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "steps": {
                "type": "integer", "minimum": 1, "maximum": 1000, "default": 5,
                "description": "How many steps."
            },
            "delay_ms": {
                "type": "integer", "minimum": 0, "maximum": 60000, "default": 20,
                "description": "How long one step takes."
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
    steps: Option<Whole<1, 1000>>,
    delay_ms: Option<Whole<0, 60_000>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

fn progress(call: &Call<'_>, _out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let arguments: ProgressArguments = call.arguments()?;
    let Whole(n_steps) = arguments.steps.unwrap_or(Whole(5));
    let Whole(delay_ms) = arguments.delay_ms.unwrap_or(Whole(20));
    let meta: Option<Meta<'_>> =
        call.meta.map(|meta| super::arguments::read(meta.get())).transpose()?;
    let token = meta.and_then(|meta| meta.progress_token).map(ToOwned::to_owned);
    Ok(Conduct::later(move |wait, out| {
        for step in 1..=n_steps {
            wait.pause(delay_ms)?;
            if let Some(token) = &token {
                report(wait, token, step, n_steps)?;
            }
        }
        result::text(out, &format!("finished {n_steps} steps"));
        Ok(())
    }))
}

/// The token goes back as it was written: a number beyond 64 bits is still the same token.
fn report(wait: &Wait, token: &RawValue, step: u64, n_steps: u64) -> Result<(), Cancelled> {
    let mut params = format!("{{\"progressToken\":{},\"progress\":{step}", token.get());
    write!(params, ",\"total\":{n_steps},\"message\":\"step {step} of {n_steps}\"}}")
        .expect("a string takes every character");
    wait.notify("notifications/progress", &params)
}

pub(super) const WAIT: Tool = Tool {
    name: "wait",
    title: "Wait",
    description: "Does nothing for as long as you say, then tells that it did. \
                  Cancel it, or see who loses patience first.",
    input_schema: HOW_LONG,
    output_schema: None,
    meta: None,
    handler: wait,
};

/// What a tool asks for that takes as long as it is told.
pub(super) const HOW_LONG: &str = r#"{
    "type": "object",
    "properties": {
        "ms": {
            "type": "integer", "minimum": 0, "maximum": 600000,
            "description": "How many milliseconds."
        }
    },
    "required": ["ms"],
    "additionalProperties": false
}"#;

/// What such a tool is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HowLong {
    pub(super) ms: Whole<0, 600_000>,
}

fn wait(call: &Call<'_>, _out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let HowLong { ms: Whole(pause_ms) } = call.arguments()?;
    Ok(Conduct::later(move |wait, out| {
        wait.pause(pause_ms)?;
        result::text(out, &format!("waited {pause_ms} ms"));
        Ok(())
    }))
}
