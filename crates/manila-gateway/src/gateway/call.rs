//! Tool calls and tasks: to the server that has the tool.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Request;
use manila::stage::validate::{ParsedCall, validate};
use manila::{Code, Violation};

use super::Gateway;
use super::forward::wrong;
use crate::backend::tools::Tool;
use crate::backend::{Answer, Backend, Details, Refusal, UNKNOWN_TASK};
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Preferences, Shape};
use crate::telemetry::event::Event;

impl Gateway {
    /// Calls a tool.
    pub async fn call_tool(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        let parsed = match validate(request) {
            Ok(parsed) => parsed,
            Err(violation) => return refused(violation),
        };
        match self.resolve(&parsed.name) {
            Some((backend, own)) => {
                let name = own.to_owned();
                backend.call_tool(request, parsed, name, caller).await
            }
            None => self.unknown_tool(&parsed),
        }
    }

    /// Answers a call that is not admitted.
    pub(crate) fn refuse_call(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        fault: Fault,
    ) -> Answer {
        let parsed = validate(request).ok();
        let own = parsed.as_ref().and_then(|parsed| self.resolve(&parsed.name));
        let owner = own.map(|(backend, own)| (backend, own.to_owned()));
        let (parsed, (backend, own)) = match (parsed, owner) {
            (Some(parsed), Some(owner)) => (parsed, owner),
            // The call is refused for the fault, not for an unknown tool or bad parameters.
            (parsed, _) => {
                let tool = parsed.map(|parsed| parsed.name).unwrap_or_default();
                return self.seal_or_refuse(&Refusal { fault }, &tool, caller, request);
            }
        };
        backend.refuse_call(request, parsed, own, caller, fault)
    }

    /// A refusal as an envelope, where the caller gets envelopes.
    pub(crate) fn seal_or_refuse(
        &self,
        refusal: &Refusal,
        tool: &str,
        caller: &Arc<Caller>,
        request: &Request,
    ) -> Answer {
        let servers = self.servers();
        let owner = servers.resolve(tool).map(|(backend, _)| backend);
        let settings = owner.map_or_else(|| self.settings(), |owner| owner.settings());
        // One that does not exist is not what the call is refused for.
        let asked = Shape::from_meta(request.meta.as_ref()).ok().flatten();
        let shape = asked.or(caller.preferences.shape);
        let prefers = Preferences { shape, ..caller.preferences };
        let presentation = settings.presentation(tool, prefers, caller.era());
        // Which server has the tool does not matter to what is said of the refusal.
        let backend = owner.or_else(|| servers.all().first());
        match (presentation.shape, backend) {
            (Shape::Contract(contract), Some(backend)) => {
                backend.sealed_refusal(refusal, tool, contract, presentation, caller, request)
            }
            (Shape::Contract(_) | Shape::AsItCame, _) => Answer::Refused(refusal.clone()),
        }
    }

    /// The server that has what clients call `public`, and its own name for it.
    pub(crate) fn resolve<'a>(&self, public: &'a str) -> Option<(Arc<Backend>, &'a str)> {
        let servers = self.servers.load();
        let (backend, own) = servers.resolve(public)?;
        Some((Arc::clone(backend), own))
    }

    /// The tool of this name; `None` if there is none, or nothing is known about it within the time
    /// that a call may take.
    pub(crate) async fn known_tool_in_time(
        &self,
        name: &str,
        caller: &Caller,
    ) -> Option<Arc<Tool>> {
        let (backend, own) = self.resolve(name)?;
        backend.known_tool_in_time(own, caller).await
    }

    /// The result of a task, in an envelope if it is a tool's.
    pub(crate) async fn task_result(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        match self.servers().resolve_task(request) {
            Some((backend, own)) => {
                backend.task_result(own.as_ref().unwrap_or(request), caller).await
            }
            None => Answer::Refused(Refusal::new(Code::InvalidToolInput).message(UNKNOWN_TASK)),
        }
    }

    /// What has become of a task, with its result in an envelope, if that is a part of it.
    pub(crate) async fn task_details(&self, request: &Request, caller: &Arc<Caller>) -> Details {
        match self.servers().resolve_task(request) {
            Some((backend, own)) => {
                backend.task_details(own.as_ref().unwrap_or(request), caller).await
            }
            None => Details::Forwarded(wrong(UNKNOWN_TASK)),
        }
    }

    fn unknown_tool(&self, parsed: &ParsedCall) -> Answer {
        let refusal = Refusal::unknown_tool(self.servers().closest_tool(&parsed.name).as_deref());
        let (tool, failure) = (parsed.name.clone(), Some(refusal.code()));
        self.tell(Event::Called { tool, failure, duration: Duration::ZERO });
        Answer::Refused(refusal)
    }
}

fn refused(violation: Violation) -> Answer {
    Answer::Refused(Refusal::new(Code::InvalidToolInput).violation(violation))
}
