//! Sends tool calls and task requests to the server that has the tool.

use std::sync::Arc;
use std::time::Duration;

use manila::request_envelope::Request;
use manila::stage::validate::{ParsedCall, validate};
use manila::{Code, Violation};

use super::Gateway;
use super::forward::invalid_params;
use crate::backend::tools::Tool;
use crate::backend::{Answer, Backend, Refusal, TaskDetails, UNKNOWN_TASK};
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Preferences, ResultFormat};
use crate::telemetry::event::Event;

impl Gateway {
    /// Calls a tool.
    pub async fn call_tool(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        let parsed = match validate(request) {
            Ok(parsed) => parsed,
            Err(violation) => return refuse_violation(violation),
        };
        match self.resolve(&parsed.name) {
            Some((backend, name)) => {
                let name = name.to_owned();
                backend.call_tool(request, parsed, name, caller).await
            }
            None => self.refuse_unknown_tool(&parsed),
        }
    }

    /// Answers a call that was not admitted.
    pub(crate) fn refuse_call(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        fault: Fault,
    ) -> Answer {
        let parsed = validate(request).ok();
        let owner = parsed.as_ref().and_then(|parsed| self.resolve(&parsed.name));
        let owner = owner.map(|(backend, name)| (backend, name.to_owned()));
        let (parsed, (backend, name)) = match (parsed, owner) {
            (Some(parsed), Some(owner)) => (parsed, owner),
            // The call is refused for the fault, not for an unknown tool or bad parameters.
            (parsed, _) => {
                let tool = parsed.map(|parsed| parsed.name).unwrap_or_default();
                return self.seal_or_refuse(&Refusal { fault }, &tool, caller, request);
            }
        };
        backend.refuse_call(request, parsed, name, caller, fault)
    }

    /// Returns a refusal, as an envelope if the caller gets envelopes.
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
        // An unknown format is ignored: the call is refused for another reason.
        let requested = ResultFormat::from_meta(request.meta.as_ref(), settings.none_requests);
        let requested = requested.ok().flatten();
        let format = requested.or(caller.preferences.format);
        let preferences = Preferences { format, ..caller.preferences };
        let presentation = settings.presentation(tool, preferences, caller.era());
        // Any server can seal the refusal: its content does not depend on the server.
        let backend = owner.or_else(|| servers.all().first());
        match (presentation.format, backend) {
            (ResultFormat::Contract(contract), Some(backend)) => {
                backend.seal_refusal(refusal, tool, contract, presentation, caller, request)
            }
            (ResultFormat::Contract(_) | ResultFormat::Passthrough, _) => {
                Answer::Refused(refusal.clone())
            }
        }
    }

    /// Returns the server that has the item with this public name, and the server's name for it.
    pub(crate) fn resolve<'a>(&self, public: &'a str) -> Option<(Arc<Backend>, &'a str)> {
        let servers = self.servers.load();
        let (backend, name) = servers.resolve(public)?;
        Some((Arc::clone(backend), name))
    }

    /// Returns the tool of this name, or `None` if it does not exist or is not found within the
    /// timeout of a call.
    pub(crate) async fn find_tool_before_timeout(
        &self,
        name: &str,
        caller: &Caller,
    ) -> Option<Arc<Tool>> {
        let (backend, name) = self.resolve(name)?;
        backend.find_tool_before_timeout(name, caller).await
    }

    /// Returns the result of a task, in an envelope if it is the result of a tool.
    pub(crate) async fn task_result(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        match self.servers().resolve_task(request) {
            Some((backend, rewritten)) => {
                backend.task_result(rewritten.as_ref().unwrap_or(request), caller).await
            }
            None => Answer::Refused(Refusal::new(Code::InvalidToolInput).message(UNKNOWN_TASK)),
        }
    }

    /// Returns the state of a task. If that contains the result, the result is in an envelope.
    pub(crate) async fn task_details(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
    ) -> TaskDetails {
        match self.servers().resolve_task(request) {
            Some((backend, rewritten)) => {
                backend.task_details(rewritten.as_ref().unwrap_or(request), caller).await
            }
            None => TaskDetails::Forwarded(invalid_params(UNKNOWN_TASK)),
        }
    }

    fn refuse_unknown_tool(&self, parsed: &ParsedCall) -> Answer {
        let refusal = Refusal::unknown_tool(self.servers().closest_tool(&parsed.name).as_deref());
        let (tool, failure) = (parsed.name.clone(), Some(refusal.code()));
        self.report(Event::Called { tool, failure, duration: Duration::ZERO });
        Answer::Refused(refusal)
    }
}

fn refuse_violation(violation: Violation) -> Answer {
    Answer::Refused(Refusal::new(Code::InvalidToolInput).violation(violation))
}
