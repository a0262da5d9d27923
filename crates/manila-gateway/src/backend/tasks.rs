//! Calls that a server turned into tasks: their results come later, and need their envelope too.
//!
//! Many clients may share a server, which takes them for one. So we remember whose task it is:
//! while its client is there, nobody else can ask for it, and when it is gone, whoever knows the id
//! may be that client come back. Clients of the modern era have no name, and the id is all that
//! they need.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use manila::request_envelope::{Request, Response};
use manila::{Code, JsonObject, McpResult, Observed, RawJson};

use super::ask::Answered;
use super::consent::Wish;
use super::forward::{Forwarded, forward, forward_unhidden};
use super::tool_call::ToolCall;
use super::{Answer, Refusal, Sealed, task_ids};
use crate::backend::Backend;
use crate::protocol::caller::{Caller, Client};
use crate::protocol::jsonrpc::Fault;
use crate::protocol::origin::Principal;
use crate::protocol::presentation::Shape;
use crate::protocol::presentation::{Preferences, TextMode};
use crate::rt::clock;

/// How long the result of a task is waited for: as long as the task.
const TASK_LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How many tasks are remembered.
const TASKS_MAX: usize = 4_096;

/// What is said of a task that there is not, or that is somebody else's.
pub(crate) const UNKNOWN_TASK: &str = "Invalid params: no task of this id is known here";

/// A task that a call has become.
#[derive(Debug, Clone)]
pub(super) struct Task {
    id: String,
    pub(super) tool: String,
    pub(super) shape: Shape,
    pub(super) wish: Wish,
    text: TextMode,
    /// The principal that made it, and the only one that may ask for it.
    owner: Principal,
    /// Whose it is, where its client has a name.
    maker: Option<Maker>,
}

#[derive(Debug, Clone)]
struct Maker {
    number: u64,
    client: Weak<Client>,
}

impl Maker {
    /// The client, if it is still there.
    fn client(&self) -> Option<Arc<Client>> {
        self.client.upgrade().filter(|client| !client.has_left())
    }
}

/// The tasks that calls have become, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<VecDeque<Task>>);

impl Tasks {
    /// Notes the task that the result of a call stands for, if it does.
    pub(super) fn note(&self, result: &RawJson, call: &ToolCall<'_>, shape: Shape) {
        let id = task_ids::begun(result);
        let id = id.as_ref().and_then(RawJson::as_text);
        if let (Some(id), Ok(mut tasks)) = (id, self.0.lock()) {
            if tasks.len() == TASKS_MAX {
                tasks.pop_front();
            }
            let client = &call.caller.client;
            let maker = client
                .is_named()
                .then(|| Maker { number: client.number, client: Arc::downgrade(client) });
            let (id, tool) = (id.into_owned(), call.name.clone());
            let (wish, text) = (call.wish, call.presentation.text);
            let owner = call.caller.origin.principal;
            tasks.push_back(Task { id, tool, shape, wish, text, owner, maker });
        }
    }

    /// Whether a client has made a task.
    pub(crate) fn has_any_of(&self, client: &Client) -> bool {
        self.0.lock().is_ok_and(|tasks| tasks.iter().any(|task| task.is_of(client)))
    }

    /// The client that made this task, if it has a name and is still there.
    pub(crate) fn maker_of(&self, id: &str) -> Option<Arc<Client>> {
        self.get(id)?.maker?.client()
    }

    fn is_of(&self, id: &RawJson, client: &Client) -> bool {
        let task = id.as_text().and_then(|id| self.get(&id));
        task.is_some_and(|task| task.is_of(client))
    }

    /// Whether a caller may ask for this task. The server decides about a task that is not known
    /// here.
    fn is_for(&self, id: &str, caller: &Caller) -> bool {
        let Some(task) = self.get(id) else { return true };
        let maker = task.maker.and_then(|maker| maker.client());
        task.owner == caller.origin.principal
            && maker.is_none_or(|maker| maker.number == caller.client.number)
    }

    fn get(&self, id: &str) -> Option<Task> {
        self.0.lock().ok()?.iter().rev().find(|task| task.id == id).cloned()
    }
}

impl Task {
    fn is_of(&self, client: &Client) -> bool {
        self.maker.as_ref().is_some_and(|maker| maker.number == client.number)
    }
}

/// The task that a request is about, in the server's own words.
fn task_id(request: &Request) -> Option<RawJson> {
    request.params.as_ref()?.get("taskId")
}

/// What came of a request for a task.
pub(crate) enum Details {
    /// What the server said.
    Forwarded(Forwarded),
    /// The same, and the result that is a part of it, in an envelope.
    Sealed { task: RawJson, result: Box<Sealed> },
}

impl Backend {
    /// The result of a task, in an envelope if it is a tool's.
    pub(crate) async fn task_result(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        if !self.may_ask(request, caller) {
            let refusal = Refusal::new(Code::InvalidToolInput).message(UNKNOWN_TASK);
            return Answer::Refused(refusal);
        }
        let id = task_id(request);
        let task = id.as_ref().and_then(RawJson::as_text).and_then(|id| self.tasks.get(&id));
        // Otherwise it is the result of something else, or of a call before our time.
        let task = task.unwrap_or_else(|| Task {
            id: String::new(),
            tool: String::new(),
            shape: Shape::AsItCame,
            wish: Wish::None,
            text: TextMode::Envelope,
            owner: caller.origin.principal,
            maker: None,
        });
        self.call_named(request, caller, task).await
    }

    /// Makes a request that stands for the call that has become this task, whose arguments have
    /// been checked before.
    async fn call_named(&self, request: &Request, caller: &Arc<Caller>, task: Task) -> Answer {
        let call = self.call_of_task(request, caller, &task);
        let deadline = self.deadlines.at(call.started + TASK_LONGEST, self.settings().timeout);
        let answer = match task.shape {
            Shape::Contract(contract) => {
                let tool = self.tools.get(&call.name);
                self.send_call(&call, contract, tool, deadline).await
            }
            Shape::AsItCame => self.call_as_it_came(&call, deadline).await,
        };
        self.note_end(&call, &answer);
        answer
    }

    /// A request that stands for the call that has become a task.
    fn call_of_task<'a>(
        &self,
        request: &'a Request,
        caller: &'a Arc<Caller>,
        task: &Task,
    ) -> ToolCall<'a> {
        let Task { tool, shape, wish, text, .. } = task;
        let wish = if *wish == Wish::None { Wish::of(request.meta.as_ref()) } else { *wish };
        let (name, public) = (tool.clone(), self.public_name(tool));
        // What the call has asked for holds, not what this request would.
        let (shape, text) = (Some(*shape), Some(*text));
        let prefers = Preferences { shape, text, ..caller.preferences };
        let presentation = self.settings().presentation(&public, prefers, caller.era());
        let started = clock::now();
        let arguments = None;
        ToolCall { request, caller, name, public, arguments, wish, presentation, started }
    }

    /// Hands on a request about tasks.
    pub(crate) async fn about_task(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        if !self.may_ask(request, caller) {
            return Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(UNKNOWN_TASK));
        }
        let answer = forward(self, request, caller).await;
        // The server takes all clients that share it for one.
        if request.method == "tasks/list" && self.audience.is_shared() {
            return self.only_own(answer, &caller.client);
        }
        self.with_public_ids(answer)
    }

    /// What has become of a task, with its result in an envelope, if that is a part of it.
    pub(crate) async fn task_details(&self, request: &Request, caller: &Arc<Caller>) -> Details {
        let id = task_id(request);
        let task = id.as_ref().and_then(RawJson::as_text).and_then(|id| self.tasks.get(&id));
        let Some(task) = task.filter(|_| self.may_ask(request, caller)) else {
            return Details::Forwarded(self.about_task(request, caller).await);
        };
        let answer = forward_unhidden(self, request, caller).await;
        let answered = match self.forwarded_with_public_links(answer) {
            Forwarded::AsItCame(answered) => answered,
            other @ (Forwarded::Changed(..) | Forwarded::Fault(_)) => {
                return Details::Forwarded(other);
            }
        };
        self.result_sealed(&answered, request, caller, &task).unwrap_or_else(|| {
            let answer = Forwarded::AsItCame(self.hidden(request, answered));
            Details::Forwarded(self.with_public_ids(answer))
        })
    }

    fn result_sealed(
        &self,
        answered: &Answered,
        request: &Request,
        caller: &Arc<Caller>,
        task: &Task,
    ) -> Option<Details> {
        let Shape::Contract(contract) = task.shape else { return None };
        let whole = answered.answer().ok().cloned().and_then(JsonObject::new)?;
        let result = McpResult::from_object(&whole.get("result").and_then(JsonObject::new)?);
        let tool = self.tools.get(&task.tool);
        if tool.as_ref().is_some_and(|tool| tool.is_app) {
            return None;
        }
        let meta = result.meta().cloned();
        let call = self.call_of_task(request, caller, task);
        let observed = Observed::Mcp(result);
        let answer = self.seal(&call, contract, tool.as_deref(), observed, meta);
        let Answer::Sealed(result) = answer else { return None };
        // What stands beside it has no envelope, and may have secrets, too.
        let shown = self.settings().hiding.part(whole.without("result").into());
        let id = shown.get("taskId")?;
        let name = self.public_name(&id.as_text()?);
        let shown = crate::protocol::naming::with_member(&shown, "taskId", &name);
        Some(Details::Sealed { task: shown, result })
    }

    /// The tasks that a client has made, as it knows them.
    pub(crate) async fn tasks_of(&self, client: &Client) -> Vec<RawJson> {
        let mut tasks = Vec::new();
        let wanted = client.speech().map(|speech| speech.era);
        let listed = self.each_page_of("tasks/list", wanted, |page| {
            tasks.extend(page.get("tasks").iter().flat_map(RawJson::items));
        });
        // What cannot be listed is not.
        let _ = listed.await;
        tasks.retain(|task| task.get("taskId").is_some_and(|id| self.tasks.is_of(&id, client)));
        let named = tasks.into_iter().filter_map(|task| {
            let id = crate::protocol::naming::text(&task, "taskId")?;
            let task = self.settings().hiding.part(task);
            Some(crate::protocol::naming::with_member(&task, "taskId", &self.public_name(&id)))
        });
        named.collect()
    }

    /// Whether a caller may ask for the task that a request names. If it names several, the server
    /// could take another one than is checked here.
    fn may_ask(&self, request: &Request, caller: &Caller) -> bool {
        let members = request.params.iter().flat_map(|params| params.members());
        let mut ids = members.filter(|member| member.is("taskId")).map(|member| member.value());
        let (id, another) = (ids.next(), ids.next());
        let id = id.as_ref().and_then(RawJson::as_text);
        another.is_none() && id.is_none_or(|id| self.tasks.is_for(&id, caller))
    }

    fn with_public_ids(&self, answer: Forwarded) -> Forwarded {
        match answer {
            Forwarded::AsItCame(answered) => Forwarded::AsItCame(self.with_public_tasks(answered)),
            other @ (Forwarded::Changed(..) | Forwarded::Fault(_)) => other,
        }
    }

    /// A list of tasks without those of others.
    fn only_own(&self, answer: Forwarded, client: &Client) -> Forwarded {
        let Forwarded::AsItCame(Answered { response: Response { answer: Ok(result), .. }, era }) =
            answer
        else {
            return answer;
        };
        let own = JsonObject::build(|object| {
            for member in result.members() {
                if !member.is("tasks") {
                    object.token_member(member.key_token(), &member.value());
                    continue;
                }
                let all = member.value();
                let own = all.items().filter(|task| {
                    task.get("taskId").is_some_and(|id| self.tasks.is_of(&id, client))
                });
                object.token_member(member.key_token(), &own.collect::<Vec<RawJson>>());
            }
        });
        Forwarded::Changed(own.into(), era)
    }
}
