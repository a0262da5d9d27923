//! Tasks: calls of the tool `job` that go on after they are answered, in the words of either era.
//!
//! Nothing runs for them: a task knows when it will be done. Their ids are counted, so two servers
//! give out the same ones, and whoever stands in front of both has to tell them apart.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::{self, push};
use super::clock::{self, Timestamp};
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::era::{Capability, Era};
use super::output::Part;
use super::rpc_error::RpcError;
use super::session::Session;
use super::waiting::Cancelled;

/// How many are remembered.
const TASKS_MAX: usize = 1_000;

/// The tasks of a server, the oldest first.
#[derive(Default)]
pub(super) struct Tasks(Mutex<Begun>);

#[derive(Default)]
struct Begun {
    tasks: VecDeque<Task>,
    n_begun: u64,
}

/// A call that goes on after it was answered.
#[derive(Clone)]
pub(super) struct Task {
    id: String,
    /// Whose it is: others are not shown it in a list.
    owner: Weak<Session>,
    began: Timestamp,
    work_ms: u64,
    due: Instant,
    cancelled: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Working,
    Completed,
    Cancelled,
}

impl Tasks {
    /// Begins a task of the session's that takes this long.
    pub(super) fn begin(&self, session: &Arc<Session>, work_ms: u64) -> Task {
        let mut begun = self.begun();
        begun.n_begun += 1;
        let task = Task {
            id: format!("task-{}", begun.n_begun),
            owner: Arc::downgrade(session),
            began: clock::timestamp(),
            work_ms,
            due: clock::now() + Duration::from_millis(work_ms),
            cancelled: None,
        };
        if begun.tasks.len() == TASKS_MAX {
            begun.tasks.pop_front();
        }
        begun.tasks.push_back(task.clone());
        task
    }

    fn find(&self, id: &str) -> Result<Task, RpcError> {
        let begun = self.begun();
        let found = begun.tasks.iter().find(|task| task.id == id).cloned();
        found.ok_or_else(|| RpcError::invalid_params("there is no such task"))
    }

    /// Cancels a task that still works, and gives it; what is over stays as it is.
    fn cancel(&self, id: &str) -> Option<Task> {
        let mut begun = self.begun();
        let is_it = |task: &&mut Task| task.id == id && task.status() == Status::Working;
        let task = begun.tasks.iter_mut().find(is_it)?;
        task.cancelled = Some(clock::timestamp());
        Some(task.clone())
    }

    fn of(&self, session: &Arc<Session>) -> Vec<Task> {
        let owner = Arc::downgrade(session);
        self.begun().tasks.iter().filter(|task| task.owner.ptr_eq(&owner)).cloned().collect()
    }

    fn begun(&self) -> MutexGuard<'_, Begun> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task {
    fn status(&self) -> Status {
        match self.cancelled {
            Some(_) => Status::Cancelled,
            None if clock::now() >= self.due => Status::Completed,
            None => Status::Working,
        }
    }

    /// What an era tells of it, as members of an object.
    pub(super) fn members(&self, era: &Era) -> String {
        let done = self.began.plus_ms(self.work_ms);
        let (status, updated) = match self.status() {
            Status::Working => ("working", self.began),
            Status::Completed => ("completed", done),
            Status::Cancelled => ("cancelled", self.cancelled.unwrap_or(self.began)),
        };
        let units = match era {
            Era::Legacy => "",
            Era::Modern(_) => "Ms",
        };
        let Task { id, began, .. } = self;
        let mut members = format!("\"taskId\":\"{id}\",\"status\":\"{status}\"");
        write!(members, ",\"createdAt\":\"{began}\",\"lastUpdatedAt\":\"{updated}\"")
            .and_then(|()| write!(members, ",\"ttl{units}\":600000,\"pollInterval{units}\":100"))
            .expect("a string takes every character");
        members
    }

    /// What the call would have been answered, with `more` members, each with a comma before it.
    fn push_result(&self, out: &mut Vec<u8>, more: &str) {
        let (text, is_error) = match self.status() {
            Status::Working | Status::Completed => {
                (format!("worked for {} ms", self.work_ms), false)
            }
            Status::Cancelled => ("the task was cancelled".to_owned(), true),
        };
        push(out, "{\"content\":[");
        super::result::push_text_block(out, &text);
        push(out, if is_error { "],\"isError\":true" } else { "]" });
        push(out, more);
        push(out, "}");
    }
}

#[derive(Deserialize)]
struct TaskParams {
    #[serde(rename = "taskId")]
    id: String,
}

/// The task that a request is about, if its client may ask for tasks at all.
fn asked_for(request: &Request<'_>) -> Result<Task, RpcError> {
    if let Era::Modern(client) = request.era {
        client.require(Capability::Tasks)?;
    }
    let TaskParams { id } = request.params()?;
    request.session.server.tasks.find(&id)
}

/// `tasks/get`: in the modern era the result of a task is a part of it.
pub(super) fn get(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let task = asked_for(request)?;
    push(out, "{");
    push(out, &task.members(request.era));
    if matches!(request.era, Era::Modern(_)) && task.status() == Status::Completed {
        push(out, ",\"result\":");
        task.push_result(out, "");
    }
    push(out, "}");
    Ok(Conduct::Answer)
}

/// `tasks/result`: waits until the task is over.
pub(super) fn result(request: &Request<'_>, _out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    const LOOK_MS: u64 = 5;
    let Task { id, .. } = asked_for(request)?;
    Ok(Conduct::later(move |wait, out| {
        loop {
            // One that has been forgotten meanwhile is over, too.
            let Ok(task) = wait.session.server.tasks.find(&id) else { return Err(Cancelled) };
            if task.status() != Status::Working {
                let key = "io.modelcontextprotocol/related-task";
                task.push_result(out, &format!(",\"_meta\":{{\"{key}\":{{\"taskId\":\"{id}\"}}}}"));
                return Ok(());
            }
            wait.pause(LOOK_MS)?;
        }
    }))
}

/// `tasks/list`: those of the same client.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    request.no_cursor()?;
    let tasks = request.session.server.tasks.of(request.session);
    let tasks: Vec<String> =
        tasks.iter().map(|task| format!("{{{}}}", task.members(request.era))).collect();
    push(out, "{\"tasks\":[");
    push(out, &tasks.join(","));
    push(out, "]}");
    Ok(Conduct::Answer)
}

/// `tasks/cancel`: a legacy client learns what became of the task, and its owner is told.
pub(super) fn cancel(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let task = asked_for(request)?;
    let cancelled = request.session.server.tasks.cancel(&task.id);
    match (request.era, cancelled) {
        (Era::Modern(_), _) => push(out, "{}"),
        (Era::Legacy, None) => {
            return Err(RpcError::invalid_params("the task is over already").into());
        }
        (Era::Legacy, Some(task)) => {
            let told = format!("{{{}}}", task.members(request.era));
            if let Some(owner) = task.owner.upgrade() {
                let mut line = Vec::new();
                answer::notification(&mut line, "notifications/tasks/status", &told);
                owner.output.send(Part::Aside, &line)?;
            }
            push(out, &told);
        }
    }
    Ok(Conduct::Answer)
}

#[derive(Deserialize)]
struct UpdateParams<'a> {
    #[serde(borrow, rename = "inputResponses")]
    _responses: &'a RawValue,
}

/// `tasks/update`: tasks ask nothing here, and answers to nothing are passed over.
pub(super) fn update(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    asked_for(request)?;
    request.params::<UpdateParams<'_>>()?;
    push(out, "{}");
    Ok(Conduct::Answer)
}
