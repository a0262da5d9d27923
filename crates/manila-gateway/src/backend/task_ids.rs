//! Ids of tasks of several servers behind one door: like names, they begin with that of their
//! server, since two servers may well give out the same one.

use manila::RawJson;
use manila::request_envelope::{Message, Notification, Request};

use super::ask::Answered;
use crate::backend::Backend;
use crate::protocol::jsonrpc::Edits;

/// In `_meta`: the task that something belongs to.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// The id of the task that a call has become, if it has: each era has a place for it.
pub(super) fn begun(result: &RawJson) -> Option<RawJson> {
    match (result.get("task"), result.get("resultType")) {
        (Some(task), _) => task.get("taskId"),
        (None, Some(kind)) if kind.as_text().is_some_and(|kind| kind == "task") => {
            result.get("taskId")
        }
        (None, _) => None,
    }
}

impl Backend {
    /// A server's answer to a call, with its tasks as clients know them.
    pub(super) fn with_public_task(&self, answered: Answered) -> Answered {
        self.answer_renamed(answered, |result| begun(result).into_iter().collect())
    }

    /// The same for an answer about tasks.
    pub(super) fn with_public_tasks(&self, answered: Answered) -> Answered {
        self.answer_renamed(answered, |result| {
            let listed = result.get("tasks");
            let listed = listed.iter().flat_map(RawJson::items);
            listed.filter_map(|task| task.get("taskId")).chain(result.get("taskId")).collect()
        })
    }

    /// What a server tells, with its tasks as clients know them.
    pub(crate) fn told_of_public_tasks(&self, notification: Notification) -> Notification {
        if self.settings().name.is_none() {
            return notification;
        }
        let params = notification.params.as_ref().map(manila::JsonObject::as_raw);
        let is_about = notification.method.starts_with("notifications/tasks");
        let id = params.and_then(|params| params.get("taskId")).filter(|_| is_about);
        let ids: Vec<RawJson> = id.into_iter().chain(params.and_then(related)).collect();
        match self.renamed(&notification.frame, &ids) {
            Some(Message::Notification(renamed)) => renamed,
            Some(_) | None => notification,
        }
    }

    /// What a server asks, with the task that it belongs to as clients know it; `None` if it can
    /// stay as it is.
    pub(crate) fn asked_for_public_task(&self, request: &Request) -> Option<Request> {
        let params = request.params.as_ref().map(manila::JsonObject::as_raw);
        let ids: Vec<RawJson> = params.and_then(related).into_iter().collect();
        match self.renamed(&request.frame, &ids)? {
            Message::Request(renamed) => Some(renamed),
            Message::Notification(_) | Message::Response(_) => None,
        }
    }

    /// What stands beside a result, with the task that it belongs to as clients know it.
    pub(super) fn with_public_related(&self, meta: RawJson) -> RawJson {
        let id = meta.get(RELATED).and_then(|task| task.get("taskId"));
        let renamed = id.and_then(|id| self.texts_replaced(&meta, &[id]));
        renamed.and_then(|renamed| RawJson::parse(renamed).ok()).unwrap_or(meta)
    }

    fn answer_renamed(
        &self,
        answered: Answered,
        ids: impl FnOnce(&RawJson) -> Vec<RawJson>,
    ) -> Answered {
        let Answered { response, era } = answered;
        let renamed = response.answer.as_ref().ok().and_then(|result| {
            self.settings().name.as_ref()?;
            let mut ids = ids(result);
            ids.extend(related(result));
            self.renamed(&response.frame, &ids)
        });
        match renamed {
            Some(Message::Response(response)) => Answered { response, era },
            Some(_) | None => Answered { response, era },
        }
    }

    /// A message with other ids in the place of these, which must be slices of it; `None` if there
    /// are none, or they are known by no other name.
    fn renamed(&self, frame: &RawJson, ids: &[RawJson]) -> Option<Message> {
        Message::from_json(self.texts_replaced(frame, ids)?).ok()
    }

    fn texts_replaced(&self, whole: &RawJson, ids: &[RawJson]) -> Option<bytes::Bytes> {
        self.settings().name.as_ref()?;
        let mut edits = Edits::of(whole);
        for id in ids {
            if let Some(own) = id.as_text() {
                edits.replace_text(id, &self.public_name(&own));
            }
        }
        (!edits.is_empty()).then(|| edits.apply())
    }
}

/// The id of the task that a result, or parameters, say that they belong to.
fn related(object: &RawJson) -> Option<RawJson> {
    object.get("_meta")?.get(RELATED)?.get("taskId")
}
