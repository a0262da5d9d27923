//! Task ids of several servers behind one gateway. Like names, they start with the name of their
//! server, because two servers may use the same id.

use manila::RawJson;
use manila::request_envelope::{Message, Notification, Request};

use super::send_request::ServerResponse;
use crate::backend::Backend;
use crate::protocol::jsonrpc::Edits;

/// The `_meta` key for the task that a message belongs to.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Returns the id of the task that a call became, if any. Each era has its own place for it.
pub(super) fn created_task_id(result: &RawJson) -> Option<RawJson> {
    match (result.get("task"), result.get("resultType")) {
        (Some(task), _) => task.get("taskId"),
        (None, Some(kind)) if kind.as_text().is_some_and(|kind| kind == "task") => {
            result.get("taskId")
        }
        (None, _) => None,
    }
}

impl Backend {
    /// Replaces the task ids in the response to a call with those that clients see.
    pub(super) fn with_public_task(&self, response: ServerResponse) -> ServerResponse {
        self.rename_in_response(response, |result| created_task_id(result).into_iter().collect())
    }

    /// Replaces the task ids in a response about tasks with those that clients see.
    pub(super) fn with_public_tasks(&self, response: ServerResponse) -> ServerResponse {
        self.rename_in_response(response, |result| {
            let tasks = result.get("tasks");
            let tasks = tasks.iter().flat_map(RawJson::items);
            tasks.filter_map(|task| task.get("taskId")).chain(result.get("taskId")).collect()
        })
    }

    /// Replaces the task ids in a notification with those that clients see.
    pub(crate) fn notification_with_public_tasks(
        &self,
        notification: Notification,
    ) -> Notification {
        if self.settings().name.is_none() {
            return notification;
        }
        let params = notification.params.as_ref().map(manila::JsonObject::as_raw);
        let is_about_task = notification.method.starts_with("notifications/tasks");
        let id = params.and_then(|params| params.get("taskId")).filter(|_| is_about_task);
        let ids: Vec<RawJson> = id.into_iter().chain(params.and_then(related_task_id)).collect();
        match self.rename_ids(&notification.frame, &ids) {
            Some(Message::Notification(renamed)) => renamed,
            Some(_) | None => notification,
        }
    }

    /// Replaces the id of the related task in a server's request with the one that clients see.
    /// Returns `None` if nothing changes.
    pub(crate) fn request_with_public_task(&self, request: &Request) -> Option<Request> {
        let params = request.params.as_ref().map(manila::JsonObject::as_raw);
        let ids: Vec<RawJson> = params.and_then(related_task_id).into_iter().collect();
        match self.rename_ids(&request.frame, &ids)? {
            Message::Request(renamed) => Some(renamed),
            Message::Notification(_) | Message::Response(_) => None,
        }
    }

    /// Replaces the id of the related task in the `_meta` of a result with the one that clients
    /// see.
    pub(super) fn with_public_related_task(&self, meta: RawJson) -> RawJson {
        let id = meta.get(RELATED).and_then(|task| task.get("taskId"));
        let renamed = id.and_then(|id| self.replace_texts(&meta, &[id]));
        renamed.and_then(|renamed| RawJson::parse(renamed).ok()).unwrap_or(meta)
    }

    fn rename_in_response(
        &self,
        response: ServerResponse,
        ids: impl FnOnce(&RawJson) -> Vec<RawJson>,
    ) -> ServerResponse {
        let ServerResponse { response, era } = response;
        let renamed = response.answer.as_ref().ok().and_then(|result| {
            self.settings().name.as_ref()?;
            let mut ids = ids(result);
            ids.extend(related_task_id(result));
            self.rename_ids(&response.frame, &ids)
        });
        match renamed {
            Some(Message::Response(response)) => ServerResponse { response, era },
            Some(_) | None => ServerResponse { response, era },
        }
    }

    /// Replaces these ids, which must be slices of the message. Returns `None` if there are none,
    /// or none of them changes.
    fn rename_ids(&self, frame: &RawJson, ids: &[RawJson]) -> Option<Message> {
        Message::from_json(self.replace_texts(frame, ids)?).ok()
    }

    fn replace_texts(&self, whole: &RawJson, ids: &[RawJson]) -> Option<bytes::Bytes> {
        self.settings().name.as_ref()?;
        let mut edits = Edits::of(whole);
        for id in ids {
            if let Some(text) = id.as_text() {
                edits.replace_text(id, &self.public_name(&text));
            }
        }
        (!edits.is_empty()).then(|| edits.apply())
    }
}

/// Returns the id of the task that a result, or parameters, belong to.
fn related_task_id(object: &RawJson) -> Option<RawJson> {
    object.get("_meta")?.get(RELATED)?.get("taskId")
}
