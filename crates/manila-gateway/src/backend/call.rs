//! `tools/call`: find the tool, check the arguments, call, and seal what came back.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::stage::validate::{ParsedCall, check_arguments};
use manila::{Code, Contract, Failed, Invalid, JsonObject, McpResult, Observed, Violation};

use super::ask::{Answered, Unanswered};
use super::consent::Wish;
use super::forward::is_asked_across;
use super::list::Found;
use super::own_arguments;
use super::tool_call::ToolCall;
use super::tools::Tool;
use super::{Answer, Backend, Kind, Refusal, answer};
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Preferences, Shape};
use crate::rt::clock;
use crate::rt::deadlines::Deadline;
use crate::telemetry::event::Event;
use crate::upstream::{Carrier, Mirrored, SentAs};

impl Backend {
    /// Calls a tool, whose own name is `name`.
    pub(crate) async fn call_tool(
        &self,
        request: &Request,
        parsed: ParsedCall,
        name: String,
        caller: &Arc<Caller>,
    ) -> Answer {
        let call = match self.parse_call(request, parsed, name, caller) {
            Ok(call) => call,
            Err(refusal) => return Answer::Refused(refusal),
        };
        let answer = match call.presentation.shape {
            _ if !self.settings().offered.has(&call.name) => {
                Answer::Refused(Refusal::unknown_tool(None))
            }
            Shape::Contract(contract) => self.call_checked(&call, contract).await,
            Shape::AsItCame => self.call_as_it_came(&call, self.deadline_of(&call.public)).await,
        };
        self.note_end(&call, &answer);
        answer
    }

    /// Answers a call that is not admitted.
    pub(crate) fn refuse_call(
        &self,
        request: &Request,
        parsed: ParsedCall,
        name: String,
        caller: &Arc<Caller>,
        fault: Fault,
    ) -> Answer {
        let Ok(call) = self.parse_call(request, parsed, name, caller) else {
            // `_meta` names an unknown contract, so there is no envelope to put the fault in.
            return Answer::Refused(Refusal { fault });
        };
        let answer = match call.presentation.shape {
            Shape::Contract(contract) => {
                let message = fault.message.as_deref().unwrap_or(fault.code.entry().message);
                let mut failed = Failed::new(fault.code, message);
                failed.retry_after = fault.retry_after;
                self.seal(&call, contract, None, Observed::Failed(Box::new(failed)), None)
            }
            Shape::AsItCame => Answer::Refused(Refusal { fault }),
        };
        self.note_end(&call, &answer);
        answer
    }

    pub(super) fn note_end(&self, call: &ToolCall<'_>, answer: &Answer) {
        let duration = clock::now().saturating_duration_since(call.started);
        let failure = answer.failure().map(|failure| failure.code);
        self.tell(Event::Called { tool: call.public.clone(), failure, duration });
    }

    /// Decides how a call is presented, and reads what it asks of us.
    fn parse_call<'a>(
        &self,
        request: &'a Request,
        parsed: ParsedCall,
        name: String,
        caller: &'a Arc<Caller>,
    ) -> Result<ToolCall<'a>, Refusal> {
        let ParsedCall { name: public, arguments, meta, .. } = parsed;
        let asked = Shape::from_meta(meta.as_ref())
            .map_err(|violation| Refusal::new(Code::InvalidToolInput).violation(violation))?;
        let shape = asked.or(caller.preferences.shape);
        let prefers = Preferences { shape, ..caller.preferences };
        let presentation = self.settings().presentation(&public, prefers, caller.era());
        let (wish, started) = (Wish::of(meta.as_ref()), clock::now());
        Ok(ToolCall { request, caller, name, public, arguments, wish, presentation, started })
    }

    /// `none`: whatever comes back is passed on.
    pub(super) async fn call_as_it_came(&self, call: &ToolCall<'_>, deadline: Deadline) -> Answer {
        if let Kind::Pack(_) = &self.kind {
            return Box::pin(self.call_pack_as_it_came(call, deadline)).await;
        }
        let tool = match self.tools.carrier() {
            Carrier::Pipe => self.tools.get(&call.name),
            // What a tool wants in headers must be known before it is called.
            Carrier::Http => self.known_tool_in_time(&call.name, call.caller).await,
        };
        let sent = sent_as(tool.as_deref(), call);
        let asked = self.ask(call.request, call.caller, &sent, deadline).await;
        match asked.and_then(|answered| not_asked_across(answered, call.caller)) {
            Ok(answered) => {
                let answered = self.with_public_links(answered);
                if let Ok(result) = answered.answer() {
                    self.tasks.note(result, call, Shape::AsItCame);
                }
                let answered = match self.consent(&call.public, call.wish) {
                    Some(_) => answered,
                    None => self.hidden(call.request, answered),
                };
                Answer::AsItCame(self.with_public_task(answered))
            }
            Err(unanswered) => self.plain_failure(call, unanswered),
        }
    }

    async fn call_checked(&self, call: &ToolCall<'_>, contract: Contract) -> Answer {
        let mut deadline = self.deadline_of(&call.public);
        let found = tokio::select! {
            biased;
            found = self.find(&call.name, call.caller.wanted()) => found,
            () = deadline.passed() => Found::TooLate,
        };
        let not_asked = match found {
            Found::Tool(tool) => {
                return self.call_found(call, contract, Some(tool), deadline).await;
            }
            // A server that lists nothing, or more than can be kept, decides for itself.
            Found::Unlisted => return self.call_found(call, contract, None, deadline).await,
            Found::Unknown => {
                let meant = self.tools.closest(&call.name).map(|own| self.public_name(&own));
                return Answer::Refused(Refusal::unknown_tool(meant.as_deref()));
            }
            Found::Gone(gone) => Unanswered::Gone(gone),
            Found::Declined(declined) => Unanswered::Declined(declined),
            Found::TooLate => Unanswered::TimedOut(deadline.given()),
        };
        self.seal(call, contract, None, self.not_answered(not_asked), None)
    }

    /// Takes our own arguments out of the call, if there are any, and goes on with the rest.
    async fn call_found(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> Answer {
        let taken = if self.kind.has_own_arguments(contract) {
            own_arguments::taken_out(call.request, call.arguments.as_ref(), tool.as_deref())
        } else {
            Ok(None)
        };
        match taken {
            Ok(None) => self.call_valid(call, contract, tool, deadline).await,
            Ok(Some(taken)) => {
                let without_ours = Box::new(call.without_ours(&taken));
                Box::pin(self.call_valid(&without_ours, contract, tool, deadline)).await
            }
            Err(violation) => self.invalid(call, contract, vec![violation]),
        }
    }

    /// Checks the arguments, and calls the tool if they fit.
    async fn call_valid(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> Answer {
        let input = tool.as_ref().filter(|_| self.kind.checks_arguments());
        let input = input.and_then(|tool| self.tools.input_of(&call.name, tool));
        let violations = input
            .map(|schema| check_arguments(call.arguments.as_ref(), &schema))
            .unwrap_or_default();
        if !violations.is_empty() {
            return self.invalid(call, contract, violations);
        }
        self.send_call(call, contract, tool, deadline).await
    }

    fn invalid(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        violations: Vec<Violation>,
    ) -> Answer {
        let broken = violations.clone();
        let invalid = Observed::Invalid(Invalid { violations, ..Invalid::default() });
        self.seal(call, contract, None, invalid, None).breaking(broken)
    }

    /// Calls a tool whose arguments have been checked.
    pub(super) async fn send_call(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> Answer {
        let sent = sent_as(tool.as_deref(), call);
        let asked = self.ask(call.request, call.caller, &sent, deadline).await;
        if let Kind::Pack(pack) = &self.kind {
            return Box::pin(self.answered_by_pack(call, contract, Arc::clone(pack), asked)).await;
        }
        match asked.and_then(|answered| not_asked_across(answered, call.caller)) {
            Ok(answered) => {
                let answered = self.with_public_links(answered);
                self.answered(call, contract, tool.as_deref(), answered)
            }
            Err(unanswered) => self.seal(call, contract, None, self.not_answered(unanswered), None),
        }
    }

    fn answered(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<&Tool>,
        answered: Answered,
    ) -> Answer {
        let is_like = answered.era.is_like(call.caller.era());
        let result = match answered.answer() {
            Ok(result) => result,
            // Whoever was asked back acts on what became of its answers.
            Err(error)
                if is_like && (answer::is_for_the_client(error) || is_second_round(call)) =>
            {
                return Answer::AsItCame(self.hidden(call.request, answered));
            }
            Err(error) => {
                return self.seal(call, contract, None, answer::protocol_error(error), None);
            }
        };
        let Some(object) = JsonObject::new(result.clone()) else {
            return self.seal(call, contract, tool, answer::no_result(), None);
        };
        let parts = McpResult::from_object(&object);
        if parts.is_handle() {
            self.tasks.note(result, call, Shape::Contract(contract));
            return Answer::AsItCame(self.with_public_task(answered));
        }
        if tool.is_some_and(|tool| tool.is_app) {
            let is_shown = self.consent(&call.public, call.wish).is_some();
            let answered = if is_shown { answered } else { self.hidden(call.request, answered) };
            return Answer::AsItCame(answered);
        }
        let meta = parts.meta().cloned();
        self.seal(call, contract, tool, Observed::Mcp(parts), meta)
    }
}

/// A server that asks back in a way that its caller's era does not know has not answered.
fn not_asked_across(answered: Answered, caller: &Caller) -> Result<Answered, Unanswered> {
    match is_asked_across(&answered, caller) {
        Some(method) => Err(Unanswered::AskedBack(method)),
        None => Ok(answered),
    }
}

/// Whether a call brings what the server asked for before.
fn is_second_round(call: &ToolCall<'_>) -> bool {
    let params = call.request.params.as_ref();
    let has = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    has("inputResponses") || has("requestState")
}

/// How a call is sent: under the server's own name of the tool, with the arguments that the tool
/// wants to see in headers.
fn sent_as(tool: Option<&Tool>, call: &ToolCall<'_>) -> SentAs {
    let headers = match (tool, &call.arguments) {
        (Some(tool), Some(arguments)) => tool.mirrored(arguments),
        (Some(_), None) | (None, _) => Mirrored::default(),
    };
    SentAs { name: call.own_name(), headers }
}
