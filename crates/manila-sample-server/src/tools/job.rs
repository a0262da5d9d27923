//! Job: a tool whose call becomes a task, where the client can follow one.

use super::super::answer::push;
use super::super::arguments::Whole;
use super::super::conduct::{Conduct, Stop};
use super::super::era::Era;
use super::super::result;
use super::timed::{HOW_LONG, HowLong};
use super::{Call, Tool};

pub(super) const JOB: Tool = Tool {
    name: "job",
    title: "Job",
    description: "Works for as long as you say. A client that knows tasks gets one to follow, \
                  and the answer when it asks for it later; any other client waits.",
    input_schema: HOW_LONG,
    output_schema: None,
    meta: None,
    handler: job,
};

fn job(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let HowLong { ms: Whole(work_ms) } = call.arguments()?;
    let begin = || call.session.server.tasks.begin(call.session, work_ms).members(call.era);
    match call.era {
        // There the client says that it wants a task.
        Era::Legacy if call.wants_task => {
            push(out, &format!("{{\"task\":{{{}}}}}", begin()));
            Ok(Conduct::Answer)
        }
        // There it says that it can follow one, and we decide.
        Era::Modern(client) if client.has_tasks() => {
            Ok(Conduct::Unfinished { kind: "task", members: begin() })
        }
        Era::Legacy | Era::Modern(_) => Ok(Conduct::later(move |wait, out| {
            wait.pause(work_ms)?;
            result::text(out, &format!("worked for {work_ms} ms"));
            Ok(())
        })),
    }
}
