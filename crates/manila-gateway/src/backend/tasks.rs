//! Tasks that calls became: their results come later, and are sealed as well.
//!
//! Many clients may share a connection to a server, which sees them as one client. The gateway
//! therefore remembers which client created a task. While that client is connected, no other may
//! access the task. After it disconnects, any client that knows the id may, because it could be the
//! same one. Clients of the modern era are anonymous, so the id is always sufficient for theirs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use manila::request_envelope::{Message, Request, Response};
use manila::{Code, JsonObject, McpResult, Observed, RawJson};

use super::consent::RequestedOutput;
use super::forward::{Forwarded, forward, forward_unredacted};
use super::mcp_response::plain_result;
use super::send_request::ServerResponse;
use super::tool_call::ToolCall;
use super::unsealed::{CalledTool, ResultPlace, Secrets};
use super::{Answer, Refusal, Sealed, task_ids};
use crate::backend::Backend;
use crate::protocol::caller::{Caller, Client};
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{Fault, replace_part};
use crate::protocol::presentation::ResultFormat;
use crate::protocol::presentation::{Preferences, TextMode};
use crate::protocol::request_source::Principal;
use crate::rt::clock;

/// The timeout for the result of a task: as long as the task may run.
const TASK_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of tasks that are remembered.
const TASKS_MAX: usize = 4_096;

/// The error for a task that does not exist or belongs to another client.
pub(crate) const UNKNOWN_TASK: &str = "Invalid params: no task with this id is known";

/// A task that a call became.
#[derive(Debug, Clone)]
pub(super) struct Task {
    id: String,
    pub(super) tool: String,
    pub(super) format: ResultFormat,
    pub(super) requested_output: RequestedOutput,
    text: TextMode,
    /// The principal that created the task, and the only one that may access it.
    owner: Principal,
    /// The client that created the task, if it is identifiable.
    creator: Option<TaskCreator>,
}

#[derive(Debug, Clone)]
struct TaskCreator {
    number: u64,
    client: Weak<Client>,
}

impl TaskCreator {
    /// Returns the client, if it is still connected.
    fn client(&self) -> Option<Arc<Client>> {
        self.client.upgrade().filter(|client| !client.is_disconnected())
    }
}

/// The tasks that calls became, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<VecDeque<Task>>);

impl Tasks {
    /// Stores the task in the result of a call, if there is one.
    pub(super) fn store(&self, result: &RawJson, call: &ToolCall<'_>, format: ResultFormat) {
        let id = task_ids::created_task_id(result);
        let id = id.as_ref().and_then(RawJson::as_text);
        if let (Some(id), Ok(mut tasks)) = (id, self.0.lock()) {
            if tasks.len() == TASKS_MAX {
                tasks.pop_front();
            }
            let client = &call.caller.client;
            let creator = client
                .is_identifiable()
                .then(|| TaskCreator { number: client.number, client: Arc::downgrade(client) });
            let (id, tool) = (id.into_owned(), call.name.clone());
            let (requested_output, text) = (call.requested_output, call.presentation.text);
            let owner = call.caller.source.principal;
            tasks.push_back(Task { id, tool, format, requested_output, text, owner, creator });
        }
    }

    /// Returns whether a client has created any task.
    pub(crate) fn has_task_of(&self, client: &Client) -> bool {
        self.0.lock().is_ok_and(|tasks| tasks.iter().any(|task| task.is_created_by(client)))
    }

    /// Returns the client that created this task, if it is identifiable and still connected.
    pub(crate) fn creator_of(&self, id: &str) -> Option<Arc<Client>> {
        self.get(id)?.creator?.client()
    }

    fn is_created_by(&self, id: &RawJson, client: &Client) -> bool {
        let task = id.as_text().and_then(|id| self.get(&id));
        task.is_some_and(|task| task.is_created_by(client))
    }

    /// Returns whether a caller may access this task. The server decides about unknown tasks.
    fn may_access(&self, id: &str, caller: &Caller) -> bool {
        let Some(task) = self.get(id) else { return true };
        let creator = task.creator.and_then(|creator| creator.client());
        task.owner == caller.source.principal
            && creator.is_none_or(|creator| creator.number == caller.client.number)
    }

    fn get(&self, id: &str) -> Option<Task> {
        self.0.lock().ok()?.iter().rev().find(|task| task.id == id).cloned()
    }
}

impl Task {
    fn is_created_by(&self, client: &Client) -> bool {
        self.creator.as_ref().is_some_and(|creator| creator.number == client.number)
    }
}

/// Replaces the result in the details of a task.
fn replace_result(response: ServerResponse, result: &RawJson) -> ServerResponse {
    let Some(given) = ResultPlace::TaskDetails.result(&response) else { return response };
    let frame = replace_part(&response.response.frame, &given, result.as_bytes());
    match Message::from_json(frame) {
        Ok(Message::Response(replaced)) => ServerResponse { response: replaced, ..response },
        // A response with another result is still a response.
        Ok(Message::Request(_) | Message::Notification(_)) | Err(_) => response,
    }
}

/// Returns the server's id of the task in a request.
fn task_id(request: &Request) -> Option<RawJson> {
    request.params.as_ref()?.get("taskId")
}

/// The answer to a request for a task.
pub(crate) enum TaskDetails {
    /// The server's response.
    Forwarded(Forwarded),
    /// The server's response, and the result it contains, sealed.
    Sealed { task: RawJson, result: Box<Sealed> },
}

impl Backend {
    /// Returns the result of a task, sealed if it is a tool's.
    pub(crate) async fn task_result(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        if !self.may_access(request, caller) {
            let refusal = Refusal::new(Code::InvalidToolInput).message(UNKNOWN_TASK);
            return Answer::Refused(refusal);
        }
        let id = task_id(request);
        let task = id.as_ref().and_then(RawJson::as_text).and_then(|id| self.tasks.get(&id));
        // Unknown task: the result is not a tool's, or the call preceded the gateway's start.
        let task = task.unwrap_or_else(|| Task {
            id: String::new(),
            tool: String::new(),
            format: ResultFormat::Passthrough,
            requested_output: RequestedOutput::None,
            text: TextMode::Envelope,
            owner: caller.source.principal,
            creator: None,
        });
        self.send_task_call(request, caller, task).await
    }

    /// Sends a request for a task's result, and seals the response like that to the call. The
    /// arguments were checked when the call was made.
    async fn send_task_call(&self, request: &Request, caller: &Arc<Caller>, task: Task) -> Answer {
        let call = self.task_call(request, caller, &task);
        let deadline = self.deadlines.at(call.started + TASK_TIMEOUT, self.settings().timeout);
        let answer = match task.format {
            ResultFormat::Contract(contract) => {
                let tool = self.tools.get(&call.name);
                self.send_call(&call, contract, tool, deadline).await
            }
            ResultFormat::Passthrough => {
                let tool = self.tools.get(&call.name);
                self.call_passthrough(&call, tool, deadline).await
            }
        };
        self.report_end(&call, &answer);
        answer
    }

    /// Builds the call that became a task from a request for its result.
    fn task_call<'a>(
        &self,
        request: &'a Request,
        caller: &'a Arc<Caller>,
        task: &Task,
    ) -> ToolCall<'a> {
        let Task { tool, format, requested_output, text, .. } = task;
        let requested_output = if *requested_output == RequestedOutput::None {
            RequestedOutput::of(request.meta.as_ref())
        } else {
            *requested_output
        };
        let (name, public_name) = (tool.clone(), self.public_name(tool));
        // The preferences of the original call apply, not those of this request.
        let (format, text) = (Some(*format), Some(*text));
        let preferences = Preferences { format, text, ..caller.preferences };
        let presentation = self.settings().presentation(&public_name, preferences, caller.era());
        let started = clock::now();
        let arguments = None;
        ToolCall {
            request,
            caller,
            name,
            public_name,
            arguments,
            requested_output,
            presentation,
            started,
        }
    }

    /// Forwards a request about tasks.
    pub(crate) async fn forward_task_request(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
    ) -> Forwarded {
        if !self.may_access(request, caller) {
            return Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(UNKNOWN_TASK));
        }
        let forwarded = forward(self, request, caller).await;
        // The server sees all clients that share its connection as one.
        if request.method == "tasks/list" && self.notifications.is_shared() {
            return self.retain_client_tasks(forwarded, &caller.client);
        }
        self.with_public_ids(forwarded)
    }

    /// Returns the state of a task, with its result sealed if the response contains it.
    pub(crate) async fn task_details(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
    ) -> TaskDetails {
        let id = task_id(request);
        let task = id.as_ref().and_then(RawJson::as_text).and_then(|id| self.tasks.get(&id));
        let Some(task) = task.filter(|_| self.may_access(request, caller)) else {
            return TaskDetails::Forwarded(self.forward_task_request(request, caller).await);
        };
        let forwarded = forward_unredacted(self, request, caller).await;
        let response = match self.forwarded_with_public_links(forwarded) {
            Forwarded::Passthrough(response) => response,
            other @ (Forwarded::Rewritten(..) | Forwarded::Fault(_)) => {
                return TaskDetails::Forwarded(other);
            }
        };
        self.seal_result(&response, request, caller, &task).unwrap_or_else(|| {
            let forwarded =
                Forwarded::Passthrough(self.return_details(request, response, &task, caller.era()));
            TaskDetails::Forwarded(self.with_public_ids(forwarded))
        })
    }

    /// Returns the details of a task without an envelope. A result that a strict check refuses is
    /// replaced by a failure.
    fn return_details(
        &self,
        request: &Request,
        response: ServerResponse,
        task: &Task,
        client: Era,
    ) -> ServerResponse {
        let (tool, name) = (self.tools.get(&task.tool), self.public_name(&task.tool));
        let called = CalledTool { name: &name, tool: tool.as_deref(), client };
        let place = ResultPlace::TaskDetails;
        let (original, secrets) = (response.clone(), Secrets::Redacted);
        match self.check_and_redact(called, request, response, place, secrets) {
            Ok(response) => response,
            Err(failure) => {
                let text = self.settings().redaction.redact_text(failure.message.into_owned());
                self.redact(request, replace_result(original, &plain_result(&text, true)))
            }
        }
    }

    fn seal_result(
        &self,
        response: &ServerResponse,
        request: &Request,
        caller: &Arc<Caller>,
        task: &Task,
    ) -> Option<TaskDetails> {
        let ResultFormat::Contract(contract) = task.format else { return None };
        let details = response.answer().ok().cloned().and_then(JsonObject::new)?;
        let result = McpResult::from_object(&details.get("result").and_then(JsonObject::new)?);
        let tool = self.tools.get(&task.tool);
        if tool.as_ref().is_some_and(|tool| tool.belongs_to_app) {
            return None;
        }
        let meta = result.meta().cloned();
        let call = self.task_call(request, caller, task);
        let observed = Observed::Mcp(result);
        let answer = self.seal(&call, contract, tool.as_deref(), observed, meta);
        let Answer::Sealed(result) = answer else { return None };
        // The other members are not part of the envelope, and may contain secrets, too.
        let task = self.settings().redaction.redact_part(details.without("result").into());
        let id = task.get("taskId")?;
        let name = self.public_name(&id.as_text()?);
        let task = crate::protocol::naming::with_member(&task, "taskId", &name);
        Some(TaskDetails::Sealed { task, result })
    }

    /// Returns the tasks that a client created, with the ids that clients see.
    pub(crate) async fn tasks_of(&self, client: &Client) -> Vec<RawJson> {
        let mut tasks = Vec::new();
        let era = client.client_info().map(|info| info.era);
        let listed = self.each_page_of("tasks/list", era, |page| {
            tasks.extend(page.get("tasks").iter().flat_map(RawJson::items));
        });
        // A failed request yields an empty list.
        let _ = listed.await;
        tasks.retain(|task| {
            task.get("taskId").is_some_and(|id| self.tasks.is_created_by(&id, client))
        });
        let public = tasks.into_iter().filter_map(|task| {
            let id = crate::protocol::naming::text(&task, "taskId")?;
            let task = self.settings().redaction.redact_part(task);
            Some(crate::protocol::naming::with_member(&task, "taskId", &self.public_name(&id)))
        });
        public.collect()
    }

    /// Returns whether a caller may access the task that a request names. A request that names
    /// several is refused, because the server could choose another one than is checked here.
    fn may_access(&self, request: &Request, caller: &Caller) -> bool {
        let members = request.params.iter().flat_map(|params| params.members());
        let mut ids = members.filter(|member| member.is("taskId")).map(|member| member.value());
        let (id, another) = (ids.next(), ids.next());
        let id = id.as_ref().and_then(RawJson::as_text);
        another.is_none() && id.is_none_or(|id| self.tasks.may_access(&id, caller))
    }

    fn with_public_ids(&self, forwarded: Forwarded) -> Forwarded {
        match forwarded {
            Forwarded::Passthrough(response) => {
                Forwarded::Passthrough(self.with_public_tasks(response))
            }
            other @ (Forwarded::Rewritten(..) | Forwarded::Fault(_)) => other,
        }
    }

    /// Removes other clients' tasks from a list.
    fn retain_client_tasks(&self, forwarded: Forwarded, client: &Client) -> Forwarded {
        let Forwarded::Passthrough(ServerResponse {
            response: Response { answer: Ok(result), .. },
            era,
        }) = forwarded
        else {
            return forwarded;
        };
        let rewritten = JsonObject::build(|object| {
            for member in result.members() {
                if !member.is("tasks") {
                    object.token_member(member.key_token(), &member.value());
                    continue;
                }
                let all = member.value();
                let retained = all.items().filter(|task| {
                    task.get("taskId").is_some_and(|id| self.tasks.is_created_by(&id, client))
                });
                object.token_member(member.key_token(), &retained.collect::<Vec<RawJson>>());
            }
        });
        Forwarded::Rewritten(rewritten.into(), era)
    }
}
