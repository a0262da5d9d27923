//! Calls that a server turned into tasks: their results come later, and need their envelope too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use manila::RawJson;
use manila::request_envelope::Request;

use super::Answer;
use super::consent::Wish;
use crate::caller::Caller;
use crate::gateway::{Gateway, Shape};

/// How many tasks are remembered.
const TASKS_MAX: usize = 4_096;

/// A task that a call has become.
#[derive(Debug, Clone)]
pub(super) struct Task {
    id: String,
    pub(super) tool: String,
    pub(super) shape: Shape,
    pub(super) wish: Wish,
}

/// The tasks that calls have become, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<VecDeque<Task>>);

impl Tasks {
    /// Notes the task that a result stands for, if it does.
    pub(super) fn note(&self, result: &RawJson, tool: &str, shape: Shape, wish: Wish) {
        let id = result.get("task").and_then(|task| task.get("taskId"));
        let id = id.as_ref().and_then(RawJson::as_text);
        if let (Some(id), Ok(mut tasks)) = (id, self.0.lock()) {
            if tasks.len() == TASKS_MAX {
                tasks.pop_front();
            }
            let (id, tool) = (id.into_owned(), tool.to_owned());
            tasks.push_back(Task { id, tool, shape, wish });
        }
    }

    /// Whether a call has become this task.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    fn get(&self, id: &str) -> Option<Task> {
        self.0.lock().ok()?.iter().rev().find(|task| task.id == id).cloned()
    }
}

impl Gateway {
    /// The result of a task, in an envelope if it is a tool's.
    pub(crate) async fn task_result(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        let id = request.params.as_ref().and_then(|params| params.get("taskId"));
        let task = id.as_ref().and_then(RawJson::as_text).and_then(|id| self.tasks.get(&id));
        // Otherwise it is the result of something else, or of a call before our time.
        let task = task.unwrap_or_else(|| Task {
            id: String::new(),
            tool: String::new(),
            shape: Shape::AsItCame,
            wish: Wish::None,
        });
        self.call_named(request, caller, task).await
    }
}
