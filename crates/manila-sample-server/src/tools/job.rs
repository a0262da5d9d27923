//! The tool `job`, whose call becomes a task if the client supports tasks.

use super::super::arguments::IntegerIn;
use super::super::disposition::{Disposition, HandlerError};
use super::super::era::Era;
use super::super::jsonrpc::push;
use super::super::result;
use super::timed::{DURATION_SCHEMA, DurationArguments};
use super::{Call, Tool};

pub(super) const JOB: Tool = Tool {
    name: "job",
    title: "Job",
    description: "Works for the given time. A client that supports tasks gets a task and \
                  requests its result later; any other client waits for the result.",
    input_schema: DURATION_SCHEMA,
    output_schema: None,
    meta: None,
    handler: job,
};

fn job(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let DurationArguments { ms: IntegerIn(work_ms) } = call.arguments()?;
    let begin = || call.session.server.tasks.begin(call.session, work_ms).members(call.era);
    match call.era {
        // In the legacy era, the client requests a task.
        Era::Legacy if call.wants_task => {
            push(out, &format!("{{\"task\":{{{}}}}}", begin()));
            Ok(Disposition::Answer)
        }
        // In the modern era, the client declares that it supports tasks, and the server decides.
        Era::Modern(client) if client.has_tasks() => {
            Ok(Disposition::Unfinished { kind: "task", members: begin() })
        }
        Era::Legacy | Era::Modern(_) => Ok(Disposition::later(move |pending, out| {
            pending.pause(work_ms)?;
            result::text(out, &format!("worked for {work_ms} ms"));
            Ok(())
        })),
    }
}
