//! Tasks: calls of the tool `job` that continue after their first response, in either era.
//!
//! No thread runs for a task: it stores the time of its completion. Task ids are sequential, so two
//! servers use the same ids, and a gateway for both has to distinguish them.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::clock::{self, Timestamp};
use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::era::{Capability, Era};
use super::jsonrpc::{self, push};
use super::output::Part;
use super::pending_calls::Cancelled;
use super::rpc_error::RpcError;
use super::session::Session;

/// The maximum number of tasks that the server remembers.
const TASKS_MAX: usize = 1_000;

/// The tasks of a server, the oldest first.
#[derive(Default)]
pub(super) struct Tasks(Mutex<TaskTable>);

#[derive(Default)]
struct TaskTable {
    tasks: VecDeque<Task>,
    n_begun: u64,
}

/// A call that continues after its first response.
#[derive(Clone)]
pub(super) struct Task {
    id: String,
    /// The session that lists it.
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
    /// Starts a task of the session that takes `work_ms`.
    pub(super) fn begin(&self, session: &Arc<Session>, work_ms: u64) -> Task {
        let mut table = self.lock();
        table.n_begun += 1;
        let task = Task {
            id: format!("task-{}", table.n_begun),
            owner: Arc::downgrade(session),
            began: clock::timestamp(),
            work_ms,
            due: clock::now() + Duration::from_millis(work_ms),
            cancelled: None,
        };
        if table.tasks.len() == TASKS_MAX {
            table.tasks.pop_front();
        }
        table.tasks.push_back(task.clone());
        task
    }

    fn find(&self, id: &str) -> Result<Task, RpcError> {
        let table = self.lock();
        let found = table.tasks.iter().find(|task| task.id == id).cloned();
        found.ok_or_else(|| RpcError::invalid_params("there is no such task"))
    }

    /// Cancels a task that is still working, and returns it. A finished task stays unchanged.
    fn cancel(&self, id: &str) -> Option<Task> {
        let mut table = self.lock();
        let is_match = |task: &&mut Task| task.id == id && task.status() == Status::Working;
        let task = table.tasks.iter_mut().find(is_match)?;
        task.cancelled = Some(clock::timestamp());
        Some(task.clone())
    }

    fn list_of(&self, session: &Arc<Session>) -> Vec<Task> {
        let owner = Arc::downgrade(session);
        self.lock().tasks.iter().filter(|task| task.owner.ptr_eq(&owner)).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, TaskTable> {
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

    /// Returns the task in the format of an era, as members of an object.
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
            .expect("writing to a string cannot fail");
        members
    }

    /// Appends the result of the call. `more` contains members, each with a leading comma.
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

/// Returns the task that a request names. Fails if its client did not declare tasks.
fn requested_task(request: &Request<'_>) -> Result<Task, RpcError> {
    if let Era::Modern(client) = request.era {
        client.require(Capability::Tasks)?;
    }
    let TaskParams { id } = request.params()?;
    request.session.server.tasks.find(&id)
}

/// Handles `tasks/get`. In the modern era, a completed task includes its result.
pub(super) fn get(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let task = requested_task(request)?;
    push(out, "{");
    push(out, &task.members(request.era));
    if matches!(request.era, Era::Modern(_)) && task.status() == Status::Completed {
        push(out, ",\"result\":");
        task.push_result(out, "");
    }
    push(out, "}");
    Ok(Disposition::Answer)
}

/// Handles `tasks/result`, which waits until the task has ended.
pub(super) fn result(
    request: &Request<'_>,
    _out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    const POLL_MS: u64 = 5;
    let Task { id, .. } = requested_task(request)?;
    Ok(Disposition::later(move |pending, out| {
        loop {
            // A task that the server no longer remembers has ended, too.
            let Ok(task) = pending.session.server.tasks.find(&id) else { return Err(Cancelled) };
            if task.status() != Status::Working {
                let key = "io.modelcontextprotocol/related-task";
                task.push_result(out, &format!(",\"_meta\":{{\"{key}\":{{\"taskId\":\"{id}\"}}}}"));
                return Ok(());
            }
            pending.pause(POLL_MS)?;
        }
    }))
}

/// Handles `tasks/list`, which lists the tasks of the same client.
pub(super) fn list(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    request.reject_cursor()?;
    let tasks = request.session.server.tasks.list_of(request.session);
    let tasks: Vec<String> =
        tasks.iter().map(|task| format!("{{{}}}", task.members(request.era))).collect();
    push(out, "{\"tasks\":[");
    push(out, &tasks.join(","));
    push(out, "]}");
    Ok(Disposition::Answer)
}

/// Handles `tasks/cancel`. In the legacy era, the result is the task, and its owner is notified.
pub(super) fn cancel(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let task = requested_task(request)?;
    let cancelled = request.session.server.tasks.cancel(&task.id);
    match (request.era, cancelled) {
        (Era::Modern(_), _) => push(out, "{}"),
        (Era::Legacy, None) => {
            return Err(RpcError::invalid_params("the task has already ended").into());
        }
        (Era::Legacy, Some(task)) => {
            let task_json = format!("{{{}}}", task.members(request.era));
            if let Some(owner) = task.owner.upgrade() {
                let mut line = Vec::new();
                jsonrpc::notification(&mut line, "notifications/tasks/status", &task_json);
                owner.output.send(Part::Other, &line)?;
            }
            push(out, &task_json);
        }
    }
    Ok(Disposition::Answer)
}

#[derive(Deserialize)]
struct UpdateParams<'a> {
    #[serde(borrow, rename = "inputResponses")]
    _responses: &'a RawValue,
}

/// Handles `tasks/update`. Tasks of this server request no input, so the responses are ignored.
pub(super) fn update(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    requested_task(request)?;
    request.params::<UpdateParams<'_>>()?;
    push(out, "{}");
    Ok(Disposition::Answer)
}
