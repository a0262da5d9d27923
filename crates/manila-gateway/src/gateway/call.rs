//! Tool calls: to the server that has the tool.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Request;
use manila::{Contract, RawJson};

use super::forward::wrong;
use super::{Gateway, Many, Servers};
use crate::backend::Backend;
use crate::backend::tools::Tool;
use crate::backend::{Answer, Details, Refusal, UNKNOWN_TASK};
use crate::protocol::caller::Caller;
use crate::protocol::naming;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::Shape;
use crate::telemetry::event::Event;

impl Gateway {
    /// Calls a tool.
    pub async fn call_tool(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        match &*self.servers() {
            Servers::One(backend) => backend.call_tool(request, caller).await,
            Servers::Many(many) => match many.owner_of_tool(request) {
                Some(backend) => backend.call_tool(request, caller).await,
                None => self.unknown(many, request),
            },
        }
    }

    /// Answers a call that there is no room for.
    pub(crate) fn turn_call_away(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        message: &str,
    ) -> Answer {
        match &*self.servers() {
            Servers::One(backend) => backend.turn_call_away(request, caller, message),
            Servers::Many(many) => match many.owner_of_tool(request) {
                Some(backend) => backend.turn_call_away(request, caller, message),
                None => self.unknown(many, request),
            },
        }
    }

    /// A refusal as an envelope, for those who have no other place for it.
    pub(crate) fn sealed_refusal(
        &self,
        refusal: &Refusal,
        tool: &str,
        contract: Contract,
        caller: &Arc<Caller>,
        request: &Request,
    ) -> Answer {
        let servers = self.servers();
        let owner = match &*servers {
            Servers::One(backend) => Some(backend),
            Servers::Many(many) => {
                // Whose tool it is does not matter to what is said of it.
                many.owner_of(tool).map(|(backend, _)| backend).or_else(|| many.all.first())
            }
        };
        match owner {
            Some(backend) => backend.sealed_refusal(refusal, tool, contract, caller, request),
            None => Answer::Refused(refusal.clone()),
        }
    }

    /// The shape of the results of a tool whose caller has no wish.
    pub(crate) fn shape_of(&self, tool: &str) -> Shape {
        match &*self.servers() {
            Servers::One(backend) => backend.shape_of(tool),
            Servers::Many(many) => match many.owner_of(tool) {
                Some((backend, _)) => backend.shape_of(tool),
                None => self.settings().shape,
            },
        }
    }

    /// Where the envelope goes in the results of the tool that is called, if that is said for it.
    pub(crate) fn placement_of(&self, request: &Request) -> Option<Placement> {
        let settings = self.settings();
        if settings.tools.is_empty() {
            return None;
        }
        let name = request.params.as_ref()?.get("name")?;
        settings.tools.get(&*name.as_text()?)?.placement
    }

    /// The tool of this name; `None` if there is none, or nothing is known about it within the time
    /// that a call may take.
    pub(crate) async fn known_tool_in_time(
        &self,
        name: &str,
        caller: &Caller,
    ) -> Option<Arc<Tool>> {
        match &*self.servers() {
            Servers::One(backend) => backend.known_tool_in_time(name, caller).await,
            Servers::Many(many) => {
                let (backend, own) = many.owner_of(name)?;
                backend.known_tool_in_time(own, caller).await
            }
        }
    }

    /// The result of a task, in an envelope if it is a tool's.
    pub(crate) async fn task_result(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        match &*self.servers() {
            Servers::One(backend) => backend.task_result(request, caller).await,
            Servers::Many(many) => match many.own_task(request) {
                Some((backend, own)) => backend.task_result(&own, caller).await,
                None => Answer::Refused(
                    Refusal::new(manila::Code::InvalidToolInput).message(UNKNOWN_TASK),
                ),
            },
        }
    }

    /// What has become of a task, with its result in an envelope, if that is a part of it.
    pub(crate) async fn task_details(&self, request: &Request, caller: &Arc<Caller>) -> Details {
        match &*self.servers() {
            Servers::One(backend) => backend.task_details(request, caller).await,
            Servers::Many(many) => match many.own_task(request) {
                Some((backend, own)) => backend.task_details(&own, caller).await,
                None => Details::Forwarded(wrong(UNKNOWN_TASK)),
            },
        }
    }

    fn unknown(&self, many: &Many, request: &Request) -> Answer {
        let name = request.params.as_ref().and_then(|params| params.get("name"));
        let name = name.as_ref().and_then(RawJson::as_text).unwrap_or_default().into_owned();
        let refusal = Refusal::unknown_tool(many.closest_tool(&name).as_deref());
        let failure = Some(refusal.code());
        self.tell(Event::Called { tool: name, failure, duration: Duration::ZERO });
        Answer::Refused(refusal)
    }
}

impl Many {
    /// The server that has something of this name, and its own name for it.
    pub(super) fn owner_of<'a>(&self, public: &'a str) -> Option<(&Arc<Backend>, &'a str)> {
        let (server, own) = naming::split(public)?;
        Some((self.named(server)?, own))
    }

    /// The server that has the tool which is called.
    fn owner_of_tool(&self, request: &Request) -> Option<&Arc<Backend>> {
        let name = request.params.as_ref()?.get("name")?;
        self.owner_of(&name.as_text()?).map(|(backend, _)| backend)
    }

    /// The server that works on the task of a request, and the request with its own id for it.
    pub(super) fn own_task(&self, request: &Request) -> Option<(&Arc<Backend>, Request)> {
        let part = request.params.as_ref()?.get("taskId")?;
        let public = part.as_text()?;
        let (backend, own) = self.owner_of(&public)?;
        Some((backend, naming::with_text(request, &part, own)?))
    }

    /// The known tool whose name is most like this one, if any is.
    fn closest_tool(&self, name: &str) -> Option<String> {
        let known = self.all.iter().flat_map(|backend| {
            let names = backend.tools.names();
            names.into_iter().map(|own| backend.public_name(&own))
        });
        let known: Vec<String> = known.collect();
        manila::closest(name, known.iter().map(String::as_str)).map(str::to_owned)
    }
}
