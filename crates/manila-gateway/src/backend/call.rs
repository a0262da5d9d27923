//! `tools/call`: find the tool, check the arguments, send the call, and seal the response.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::stage::validate::{ParsedCall, check_arguments};
use manila::{
    Code, Contract, Failed, Invalid, JsonObject, McpResult, Observed, RawJson, Schema, Violation,
};

use super::consent::RequestedOutput;
use super::forward::cross_era_request;
use super::gateway_arguments;
use super::list::ToolLookup;
use super::send_request::{RequestFailure, ServerResponse};
use super::tool_call::ToolCall;
use super::tools::Tool;
use super::{Answer, Backend, Kind, Refusal, mcp_response};
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::{Preferences, ResultFormat};
use crate::rt::clock;
use crate::rt::deadlines::Deadline;
use crate::rt::offload::{Work, leave_reactor};
use crate::telemetry::event::Event;
use crate::upstream::{HeaderParams, RequestOverrides};

impl Backend {
    /// Calls the tool that the server knows as `name`.
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
        let answer = self.find_and_call(&call).await;
        self.report_end(&call, &answer);
        answer
    }

    /// Answers a call that was not admitted.
    pub(crate) fn refuse_call(
        &self,
        request: &Request,
        parsed: ParsedCall,
        name: String,
        caller: &Arc<Caller>,
        fault: Fault,
    ) -> Answer {
        let Ok(call) = self.parse_call(request, parsed, name, caller) else {
            // `_meta` names an unknown contract, so there is no envelope for the fault.
            return Answer::Refused(Refusal { fault });
        };
        let answer = match call.presentation.format {
            ResultFormat::Contract(contract) => {
                let message = fault.message.as_deref().unwrap_or(fault.code.entry().message);
                let mut failed = Failed::new(fault.code, message);
                failed.retry_after = fault.retry_after;
                self.seal(&call, contract, None, Observed::Failed(Box::new(failed)), None)
            }
            ResultFormat::Passthrough => Answer::Refused(Refusal { fault }),
        };
        self.report_end(&call, &answer);
        answer
    }

    /// Reports the end of a call as an event.
    pub(super) fn report_end(&self, call: &ToolCall<'_>, answer: &Answer) {
        let duration = clock::now().saturating_duration_since(call.started);
        let failure = answer.failure().map(|failure| failure.code);
        self.report(Event::Called { tool: call.public_name.clone(), failure, duration });
    }

    /// Builds the call from its parsed parameters, and decides how its result is presented. Fails
    /// if `_meta` names an unknown contract.
    fn parse_call<'a>(
        &self,
        request: &'a Request,
        parsed: ParsedCall,
        name: String,
        caller: &'a Arc<Caller>,
    ) -> Result<ToolCall<'a>, Refusal> {
        let ParsedCall { name: public_name, arguments, meta, .. } = parsed;
        let requested = ResultFormat::from_meta(meta.as_ref(), self.settings().none_requests)
            .map_err(|violation| Refusal::new(Code::InvalidToolInput).violation(violation))?;
        let format = requested.or(caller.preferences.format);
        let preferences = Preferences { format, ..caller.preferences };
        let presentation = self.settings().presentation(&public_name, preferences, caller.era());
        let (requested_output, started) = (RequestedOutput::of(meta.as_ref()), clock::now());
        Ok(ToolCall {
            request,
            caller,
            name,
            public_name,
            arguments,
            requested_output,
            presentation,
            started,
        })
    }

    /// Finds the tool, and calls it. A name that the server does not list is refused.
    async fn find_and_call(&self, call: &ToolCall<'_>) -> Answer {
        if !self.settings().tool_filter.has(&call.name) {
            return Answer::Refused(Refusal::unknown_tool(None));
        }
        let mut deadline = self.deadline_of(&call.public_name);
        let found = tokio::select! {
            biased;
            found = self.find(&call.name, call.caller.preferred_era()) => found,
            () = deadline.wait() => ToolLookup::TimedOut,
        };
        let failure = match found {
            ToolLookup::Tool(tool) => return self.strip_and_call(call, Some(tool), deadline).await,
            // If the server lists no tools, or too many to keep, it decides whether the tool
            // exists.
            ToolLookup::Unlisted => return self.strip_and_call(call, None, deadline).await,
            ToolLookup::Unknown => {
                let similar = self.tools.closest(&call.name).map(|name| self.public_name(&name));
                return Answer::Refused(Refusal::unknown_tool(similar.as_deref()));
            }
            ToolLookup::Withheld => return Answer::Refused(Refusal::withheld_tool()),
            ToolLookup::Disconnected(reason) => RequestFailure::Disconnected(reason),
            ToolLookup::HttpFailure(failure) => RequestFailure::HttpFailure(failure),
            ToolLookup::TimedOut => RequestFailure::TimedOut(deadline.timeout()),
        };
        self.fail(call, self.observe_failure(failure))
    }

    /// Removes the gateway's own arguments from the call, if any, and sends the rest.
    async fn strip_and_call(
        &self,
        call: &ToolCall<'_>,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> Answer {
        let stripped = if self.kind.accepts_gateway_arguments(call.presentation.format) {
            gateway_arguments::strip_arguments(
                call.request,
                call.arguments.as_ref(),
                tool.as_deref(),
            )
        } else {
            Ok(None)
        };
        match stripped {
            Ok(None) => self.check_and_call(call, tool, deadline).await,
            Ok(Some(stripped)) => {
                let call = Box::new(call.without_gateway_arguments(&stripped));
                Box::pin(self.check_and_call(&call, tool, deadline)).await
            }
            Err(violation) => self.refuse_arguments(call, vec![violation]),
        }
    }

    /// Checks the arguments, and sends the call if they are valid.
    async fn check_and_call(
        &self,
        call: &ToolCall<'_>,
        tool: Option<Arc<Tool>>,
        mut deadline: Deadline,
    ) -> Answer {
        let input = tool.as_ref().filter(|_| self.kind.checks_arguments());
        let prepared = match input {
            Some(tool) => tokio::select! {
                biased;
                schema = self.prepare_check(call, tool) => schema,
                // Other long work may come first.
                () = deadline.wait() => {
                    let failure = RequestFailure::TimedOut(deadline.timeout());
                    return self.fail(call, self.observe_failure(failure));
                }
            },
            None => None,
        };
        if let Some(schema) = prepared {
            let arguments = call.arguments.as_ref();
            let mut violations = check_arguments(arguments, &schema);
            // Without an envelope, a call is as strict as a direct one: servers treat `null` for an
            // optional parameter as absent.
            if !violations.is_empty()
                && call.presentation.format == ResultFormat::Passthrough
                && let Some(given) = arguments.and_then(without_nulls)
            {
                violations = check_arguments(Some(&given), &schema);
            }
            if !violations.is_empty() {
                return self.refuse_arguments(call, violations);
            }
        }
        match call.presentation.format {
            ResultFormat::Contract(contract) => {
                self.send_call(call, contract, tool, deadline).await
            }
            ResultFormat::Passthrough => self.call_passthrough(call, tool, deadline).await,
        }
    }

    /// Returns the schema of the arguments, on the pool if checking them may take long.
    async fn prepare_check(&self, call: &ToolCall<'_>, tool: &Tool) -> Option<Arc<Schema>> {
        let schema = self.tools.input_of(&call.name, tool).await?;
        leave_reactor(checking(&schema, call.arguments.as_ref())).await;
        Some(schema)
    }

    fn refuse_arguments(&self, call: &ToolCall<'_>, violations: Vec<Violation>) -> Answer {
        let reported = violations.clone();
        let invalid = Observed::Invalid(Invalid { violations, ..Invalid::default() });
        self.fail(call, invalid).with_violations(reported)
    }

    /// Sends a call for `contract = "none"`, and returns the server's result without an envelope.
    pub(super) async fn call_passthrough(
        &self,
        call: &ToolCall<'_>,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> Answer {
        if let Kind::Pack(_) = &self.kind {
            return Box::pin(self.call_pack_passthrough(call, deadline)).await;
        }
        let overrides = request_overrides(tool.as_deref(), call);
        let received = self.send_request(call.request, call.caller, &overrides, deadline).await;
        match received.and_then(|response| reject_cross_era_request(response, call.caller)) {
            Ok(response) => {
                let response = self.with_public_links(response);
                if let Ok(result) = response.answer() {
                    self.tasks.store(result, call, ResultFormat::Passthrough);
                }
                if let Some(schema) = tool.as_ref().and_then(|tool| tool.output.as_ref()) {
                    let work = checking(schema, response.answer().ok());
                    self.leave_reactor_with_response(work).await;
                }
                self.return_unsealed(call, tool.as_deref(), response)
            }
            Err(failure) => self.fail(call, self.observe_failure(failure)),
        }
    }

    /// Sends a call whose arguments have been checked.
    pub(super) async fn send_call(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<Arc<Tool>>,
        deadline: Deadline,
    ) -> Answer {
        let overrides = request_overrides(tool.as_deref(), call);
        let received = self.send_request(call.request, call.caller, &overrides, deadline).await;
        if let Kind::Pack(pack) = &self.kind {
            return Box::pin(self.seal_pack_response(call, contract, Arc::clone(pack), received))
                .await;
        }
        match received.and_then(|response| reject_cross_era_request(response, call.caller)) {
            Ok(response) => {
                let response = self.with_public_links(response);
                if let Some(schema) = tool.as_ref().and_then(|tool| tool.output.as_ref()) {
                    let work = checking(schema, response.answer().ok());
                    self.leave_reactor_with_response(work).await;
                }
                self.seal_response(call, contract, tool.as_deref(), response)
            }
            Err(failure) => self.seal(call, contract, None, self.observe_failure(failure), None),
        }
    }

    fn seal_response(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<&Tool>,
        response: ServerResponse,
    ) -> Answer {
        let is_same_era = response.era.is_same_era(call.caller.era());
        let result = match response.answer() {
            Ok(result) => result,
            // The client that supplied the input must see the error.
            Err(error)
                if is_same_era
                    && (mcp_response::requires_client_action(error, response.era)
                        || is_input_response(call, response.era)) =>
            {
                return Answer::Passthrough(self.redact(call.request, response));
            }
            Err(error) => {
                return self.seal(
                    call,
                    contract,
                    None,
                    mcp_response::observe_protocol_error(error),
                    None,
                );
            }
        };
        let Some(object) = JsonObject::new(result.clone()) else {
            return self.seal(call, contract, tool, mcp_response::observe_no_result(), None);
        };
        let parts = McpResult::from_object(&object);
        if mcp_response::is_unfinished(&parts, response.era, call.caller.era()) {
            self.tasks.store(result, call, ResultFormat::Contract(contract));
            return self.return_unsealed(call, tool, response);
        }
        if tool.is_some_and(|tool| tool.belongs_to_app) {
            return self.return_unsealed(call, tool, response);
        }
        let meta = parts.meta().cloned().map(without_message);
        // A large message is freed as soon as the envelope does not need it.
        drop((object, response));
        self.seal(call, contract, tool, Observed::Mcp(parts), meta)
    }
}

/// Returns a copy of a part of a message, because a slice would keep the whole message.
fn without_message(part: RawJson) -> RawJson {
    RawJson::parse(part.as_bytes().to_vec()).unwrap_or(part)
}

/// Returns arguments without those that are `null`, or `None` if there are none.
fn without_nulls(arguments: &RawJson) -> Option<RawJson> {
    let is_null = |value: &RawJson| value.as_bytes() == b"null";
    arguments.members().any(|member| is_null(&member.value())).then(|| {
        let given = JsonObject::build(|object| {
            for member in arguments.members().filter(|member| !is_null(&member.value())) {
                object.token_member(member.key_token(), &member.value());
            }
        });
        given.into()
    })
}

/// Returns the work of checking a value.
fn checking(schema: &Schema, value: Option<&RawJson>) -> Work {
    let n_bytes = value.map_or(0, |value| value.as_bytes().len());
    Work::Check(schema.estimate_steps(n_bytes))
}

/// Fails if the server requests something that the caller's era does not support.
fn reject_cross_era_request(
    response: ServerResponse,
    caller: &Caller,
) -> Result<ServerResponse, RequestFailure> {
    match cross_era_request(&response, caller) {
        Some(method) => Err(RequestFailure::UnsupportedRequest(method)),
        None => Ok(response),
    }
}

/// Returns whether a call supplies input that a server of this era requested. In the legacy era, no
/// call does.
fn is_input_response(call: &ToolCall<'_>, era: Era) -> bool {
    if era != Era::Modern {
        return false;
    }
    let params = call.request.params.as_ref();
    let has = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    has("inputResponses") || has("requestState")
}

/// Returns how to send a call: with the server's name for the tool, and the headers that the tool
/// requires.
fn request_overrides(tool: Option<&Tool>, call: &ToolCall<'_>) -> RequestOverrides {
    let headers = match (tool, &call.arguments) {
        (Some(tool), Some(arguments)) => tool.header_params(arguments),
        (Some(_), None) | (None, _) => HeaderParams::default(),
    };
    RequestOverrides { name: call.backend_name(), headers }
}
