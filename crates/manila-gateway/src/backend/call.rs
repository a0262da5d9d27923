//! `tools/call`: validate, find the tool, check the arguments, call, and seal what came back.

use std::sync::Arc;

use manila::pipeline::{self, Redaction};
use manila::request_envelope::Request;
use manila::{
    Code, Contract, Failed, Invalid, JsonObject, McpResult, Observation, Observed, RawJson,
    Violation,
};
use tokio::time::Instant;

use super::ask::{Answered, Unanswered};
use super::consent::Wish;
use super::forward::is_asked_across;
use super::list::Found;
use super::own_arguments;
use super::params::{Params, wrong};
use super::seal::context;
use super::tool_call::ToolCall;
use super::{Answer, Refusal, answer};
use crate::backend::Backend;
use crate::backend::tools::{Carrier, Tool};
use crate::protocol::caller::Caller;
use crate::protocol::naming;
use crate::protocol::own_meta;
use crate::protocol::presentation::Shape;
use crate::protocol::presentation::Told;
use crate::rt::clock;
use crate::rt::deadlines::Deadline;
use crate::telemetry::event::Event;
use crate::upstream::Mirrored;

impl Backend {
    /// Calls a tool.
    pub(crate) async fn call_tool(&self, request: &Request, caller: &Arc<Caller>) -> Answer {
        let started = clock::now();
        let own = self.in_own_words(request);
        let request = own.as_ref().unwrap_or(request);
        let (call, shape) = match self.taken_apart(request, caller, started) {
            Ok(taken_apart) => taken_apart,
            Err(refusal) => return Answer::Refused(refusal),
        };
        if !self.settings().offered.has(&call.name) {
            self.note_end(call.public(), Some(Code::ToolNotFound), started);
            return Answer::Refused(Refusal::unknown_tool(None));
        }
        let (answer, failure) = match shape {
            Shape::Contract(contract) => self.call_checked(&call, contract).await,
            Shape::AsItCame => self.call_as_it_came(&call, self.deadline_of(call.public())).await,
        };
        self.note_end(call.public(), failure, started);
        answer
    }

    /// Answers a call that there is no room for.
    pub(crate) fn turn_call_away(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        message: &str,
    ) -> Answer {
        let started = clock::now();
        let own = self.in_own_words(request);
        let request = own.as_ref().unwrap_or(request);
        let (call, shape) = match self.taken_apart(request, caller, started) {
            Ok(taken_apart) => taken_apart,
            Err(refusal) => return Answer::Refused(refusal),
        };
        let (answer, failure) = match shape {
            Shape::Contract(contract) => {
                let failed = Failed::new(Code::RateLimited, message);
                let observed = Observed::Failed(Box::new(failed));
                self.sealed(&call, contract, None, observed, None)
            }
            Shape::AsItCame => {
                let refusal = Refusal::new(Code::RateLimited).message(message);
                (Answer::Refused(refusal), Some(Code::RateLimited))
            }
        };
        self.note_end(call.public(), failure, started);
        answer
    }

    pub(super) fn note_end(&self, tool: &str, failure: Option<Code>, started: Instant) {
        let duration = clock::now().saturating_duration_since(started);
        self.tell(Event::Called { tool: tool.to_owned(), failure, duration });
    }

    /// A call with the server's own name for the tool, where clients know it by another.
    fn in_own_words(&self, request: &Request) -> Option<Request> {
        let settings = self.settings();
        let server = settings.name.as_ref()?;
        let name = request.params.as_ref()?.get("name")?;
        let public = name.as_text()?;
        let own = public.strip_prefix(server.as_str())?.strip_prefix(naming::BETWEEN)?;
        naming::with_text(request, &name, own)
    }

    fn taken_apart<'a>(
        &self,
        request: &'a Request,
        caller: &'a Arc<Caller>,
        started: Instant,
    ) -> Result<(ToolCall<'a>, Shape), Refusal> {
        let Params { name, arguments, meta } = Params::of(request.params.as_ref())?;
        let name = name.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        let name = name.ok_or_else(|| {
            wrong("/params/name", "required", "must be the name of a tool".to_owned())
        })?;
        let public = self.settings().name.is_some().then(|| self.public_name(&name));
        let text_of = |key: &str| {
            let value = meta.as_ref().and_then(|meta| meta.get(key));
            value.map(|value| value.as_text().map(std::borrow::Cow::into_owned))
        };
        let told = text_of(own_meta::CONTRACT);
        let known = public.as_deref().unwrap_or(&name);
        let is_wished = told.is_some() || caller.wishes.shape.is_some();
        let is_plain = !is_wished && self.settings().is_plain_for(known);
        let told_as = if is_plain { Told::Plain } else { Told::Envelope };
        let shape = match told {
            None => caller.wishes.shape.unwrap_or_else(|| self.shape_of(known)),
            Some(id) => id.as_deref().and_then(Shape::from_id).ok_or_else(|| {
                let ids: Vec<&str> = Shape::ids().collect();
                let pointer = "/params/_meta/dev.manila~1contract";
                wrong(pointer, "enum", format!("must be one of {}", ids.join(", ")))
            })?,
        };
        let request_id = text_of(own_meta::REQUEST_ID).flatten();
        let wish = Wish::of(meta.as_ref());
        let call = ToolCall {
            request,
            caller,
            name,
            public,
            arguments,
            request_id,
            wish,
            told: told_as,
            started,
        };
        Ok((call, shape))
    }

    /// `none`: whatever comes back is passed on.
    pub(super) async fn call_as_it_came(
        &self,
        call: &ToolCall<'_>,
        deadline: Deadline,
    ) -> (Answer, Option<Code>) {
        if self.settings().pack.is_some() {
            return self.call_pack_as_it_came(call, deadline).await;
        }
        let tool = match self.tools.carrier() {
            Carrier::Pipe => self.tools.get(&call.name),
            // What a tool wants in headers must be known before it is called.
            Carrier::Http => self.known_tool_in_time(&call.name, call.caller).await,
        };
        let mirrored = mirrored(tool.as_deref(), call);
        let asked = self.ask(call.request, call.caller, &mirrored, deadline).await;
        match asked.and_then(|answered| not_asked_across(answered, call.caller)) {
            Ok(answered) => {
                let answered = self.with_public_links(answered);
                let is_good = answered.answer().is_ok_and(|result| {
                    self.tasks.note(result, call, Shape::AsItCame);
                    result.get("isError").is_none_or(|is_error| is_error.as_bytes() != b"true")
                });
                let answered = match self.consent(call.public(), call.wish) {
                    Some(_) => answered,
                    None => self.hidden(call.request, answered),
                };
                let answered = self.with_public_task(answered);
                (Answer::AsItCame(answered), (!is_good).then_some(Code::ToolFailed))
            }
            Err(unanswered) => {
                let observation = Observation::new(self.not_answered(unanswered));
                let own = self.settings();
                let mut settings = pipeline::Settings::default();
                settings.redaction = Redaction::By(&own.hiding.redactor);
                let prepared = pipeline::prepare(observation, &settings, &context(call));
                let failure = answer::failure(&prepared);
                let plain = failure
                    .map(|it| Answer::Plain(answer::plain(&it.message, true), Some(it.code)));
                let refused = || Answer::Refused(Refusal::new(Code::InternalError));
                (plain.unwrap_or_else(refused), failure.map(|failure| failure.code))
            }
        }
    }

    async fn call_checked(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
    ) -> (Answer, Option<Code>) {
        let mut deadline = self.deadline_of(call.public());
        let found = tokio::select! {
            biased;
            found = self.find(&call.name, call.caller.wanted()) => found,
            () = deadline.passed() => Found::TooLate,
        };
        let tool = match found {
            Found::Tool(tool) => Some(tool),
            // A server that lists nothing, or more than can be kept, decides for itself.
            Found::Unlisted => None,
            Found::Unknown => {
                let meant = self.tools.closest(&call.name).map(|own| self.public_name(&own));
                let refusal = Refusal::unknown_tool(meant.as_deref());
                return (Answer::Refused(refusal), Some(Code::ToolNotFound));
            }
            Found::Gone(gone) => {
                let observed = self.not_answered(Unanswered::Gone(gone));
                return self.sealed(call, contract, None, observed, None);
            }
            Found::Declined(declined) => {
                let observed = self.not_answered(Unanswered::Declined(declined));
                return self.sealed(call, contract, None, observed, None);
            }
            Found::TooLate => {
                let timed_out = Unanswered::TimedOut(deadline.given());
                let observed = self.not_answered(timed_out);
                return self.sealed(call, contract, None, observed, None);
            }
        };
        // A pack is made for that contract, and its callers may have learned to ask so.
        let is_pack = self.settings().pack.is_some();
        let taken = if is_pack || contract == Contract::MachineReadableV1 {
            own_arguments::taken_out(call.request, call.arguments.as_ref(), tool.as_deref())
        } else {
            Ok(None)
        };
        let taken = match taken {
            Ok(taken) => taken,
            Err(violation) => return self.invalid(call, contract, vec![violation]),
        };
        let without_ours = taken.as_ref().map(|taken| call.without_ours(taken));
        let call = without_ours.as_ref().unwrap_or(call);
        // A pack has its own words for what is wrong with arguments (M7, M8).
        let input = tool.as_ref().filter(|_| !is_pack);
        let input = input.and_then(|tool| self.tools.input_of(&call.name, tool));
        let violations =
            input.map(|schema| schema.check_arguments(call.arguments.as_ref())).unwrap_or_default();
        if !violations.is_empty() {
            return self.invalid(call, contract, violations);
        }
        self.call_unchecked(call, contract, tool, deadline).await
    }

    fn invalid(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        violations: Vec<Violation>,
    ) -> (Answer, Option<Code>) {
        let broken = violations.clone();
        let invalid = Observed::Invalid(Invalid { violations, ..Invalid::default() });
        let (answer, failure) = self.sealed(call, contract, None, invalid, None);
        (answer.breaking(broken), failure)
    }

    pub(super) async fn call_unchecked(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> (Answer, Option<Code>) {
        let mirrored = mirrored(tool.as_deref(), call);
        let asked = self.ask(call.request, call.caller, &mirrored, deadline).await;
        if let Some(pack) = self.settings().pack.clone() {
            return self.answered_by_pack(call, contract, pack, asked).await;
        }
        match asked.and_then(|answered| not_asked_across(answered, call.caller)) {
            Ok(answered) => {
                let answered = self.with_public_links(answered);
                self.answered(call, contract, tool.as_deref(), answered)
            }
            Err(unanswered) => {
                let observed = self.not_answered(unanswered);
                self.sealed(call, contract, None, observed, None)
            }
        }
    }

    fn answered(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<&Tool>,
        answered: Answered,
    ) -> (Answer, Option<Code>) {
        let is_like = answered.era.is_like(call.caller.era());
        let result = match answered.answer() {
            Ok(result) => result,
            // Whoever was asked back acts on what became of its answers.
            Err(error)
                if is_like && (answer::is_for_the_client(error) || is_second_round(call)) =>
            {
                let answered = self.hidden(call.request, answered);
                return (Answer::AsItCame(answered), Some(Code::ToolFailed));
            }
            Err(error) => {
                return self.sealed(call, contract, None, answer::protocol_error(error), None);
            }
        };
        let Some(object) = JsonObject::new(result.clone()) else {
            return self.sealed(call, contract, tool, answer::no_result(), None);
        };
        let parts = McpResult::from_object(&object);
        if parts.is_handle() {
            self.tasks.note(result, call, Shape::Contract(contract));
            return (Answer::AsItCame(self.with_public_task(answered)), None);
        }
        if tool.is_some_and(|tool| tool.is_app) {
            let is_shown = self.consent(call.public(), call.wish).is_some();
            let answered = if is_shown { answered } else { self.hidden(call.request, answered) };
            return (Answer::AsItCame(answered), None);
        }
        let meta = parts.meta().cloned();
        self.sealed(call, contract, tool, Observed::Mcp(parts), meta)
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

/// The arguments that the tool wants to see in headers.
fn mirrored(tool: Option<&Tool>, call: &ToolCall<'_>) -> Mirrored {
    match (tool, &call.arguments) {
        (Some(tool), Some(arguments)) => tool.mirrored(arguments),
        (Some(_), None) | (None, _) => Mirrored::default(),
    }
}
