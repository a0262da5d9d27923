//! Seals observations of calls into envelopes.

use std::sync::Arc;
use std::time::Duration;

use manila::pipeline::{self, Redaction};
use manila::request_envelope::Request;
use manila::{
    Cancelled, Code, Context, Contract, Failed, Invalid, JsonObject, Observation, Observed,
    RawJson, TimedOut, Violation,
};

use super::consent::{self, RequestedOutput};
use super::send_request::RequestFailure;
use super::tool_call::ToolCall;
use super::{Answer, CallFailure, Refusal, Sealed, mcp_response};
use crate::backend::Backend;
use crate::backend::tools::Tool;
use crate::config::OutputCheck;
use crate::config::Passthrough;
use crate::protocol::caller::Caller;
use crate::protocol::presentation::{Presentation, ResultFormat};
use crate::rt::clock;
use crate::telemetry::event::{Consent, Event};
use crate::upstream::Unavailable;

impl Backend {
    /// Seals the observed result or failure of a call.
    pub(super) fn seal(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<&Tool>,
        observed: Observed,
        meta: Option<RawJson>,
    ) -> Answer {
        self.seal_observation(call, contract, tool, Observation::new(observed), meta)
    }

    /// Seals an observation. This is the only place where an observation becomes an envelope.
    pub(super) fn seal_observation(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<&Tool>,
        mut observation: Observation,
        meta: Option<RawJson>,
    ) -> Answer {
        let consent = self.find_consent(&call.public_name, call.requested_output);
        let gateway_settings = self.settings();
        let policy = &gateway_settings.redaction;
        consent::warn_ignored(&mut observation.notes, contract, call.requested_output, consent);
        observation.call.tool_id = Some(call.public_name.clone());
        observation.call.tool_version =
            self.upstream.ready_now(call.caller.preferred_era()).and_then(|it| it.version.clone());
        let source = &call.caller.source;
        observation.call.request_id.clone_from(&source.request_id.given);
        let schema = tool.and_then(|tool| tool.output.as_ref());
        let check = schema.map(|schema| |payload: &RawJson| schema.check(payload));
        let mut settings = pipeline::Settings::default();
        settings.media = call.presentation.media;
        settings.speaks = gateway_settings.speaks;
        settings.passthrough = match policy.passthrough {
            Passthrough::Redacted => None,
            Passthrough::Verbatim => Some(contract),
        };
        let output_check = gateway_settings.output_check_for(&call.public_name);
        settings.output_check = check.as_ref().and_then(|check| match output_check {
            OutputCheck::Strict => Some(pipeline::OutputCheck::strict(check)),
            OutputCheck::Warn => Some(pipeline::OutputCheck::new(check)),
            OutputCheck::Off => None,
        });
        settings.redaction = match consent {
            Some(_) => Redaction::Off,
            None => Redaction::Custom(&policy.redactor),
        };
        let meta = meta.map(|meta| self.with_public_related_task(meta));
        let meta = if consent.is_none() { meta.map(|meta| policy.redact_part(meta)) } else { meta };
        let context = context(call);
        let prepared = pipeline::prepare(observation, &settings, &context);
        let redacted = prepared.redacted();
        if redacted.has_unredacted_envelope() {
            let (tool, why) = (call.public_name.clone(), Consent::Passthrough);
            self.report(Event::Unredacted { tool, why });
        } else if !redacted.findings().is_empty() {
            let (place, findings) = (call.public_name.clone(), redacted.findings().to_vec());
            self.report(Event::Redacted { place, findings });
        }
        let reply = manila::render(&prepared, contract, &context);
        let message = mcp_response::first_failure(&prepared)
            .map(|failure| cut_message(&failure.message).to_owned());
        let failure = reply.code.map(|code| CallFailure { message, ..CallFailure::new(code) });
        let text = call.presentation.text.is_text().then(|| manila::render_plain_text(&prepared));
        let presentation = call.presentation;
        Answer::Sealed(Box::new(Sealed { reply, contract, presentation, failure, meta, text }))
    }

    /// Seals a refusal, for transports that have no other place for it.
    pub(crate) fn seal_refusal(
        &self,
        refusal: &Refusal,
        tool: &str,
        contract: Contract,
        presentation: Presentation,
        caller: &Arc<Caller>,
        request: &Request,
    ) -> Answer {
        let code = refusal.code();
        let rules: Vec<String> = refusal.violations().iter().map(Violation::to_string).collect();
        let message = match (&refusal.fault.message, rules.as_slice()) {
            (Some(message), _) => message.clone(),
            (None, []) => code.entry().message.to_owned(),
            (None, rules) => format!("{}: {}", code.entry().message, rules.join("; ")),
        };
        let observed = if code == Code::InvalidToolInput {
            let violations = refusal.violations().to_vec();
            Observed::Invalid(Invalid { violations, ..Invalid::default() })
        } else {
            Observed::Failed(Box::new(Failed::new(code, message)))
        };
        let call = ToolCall {
            request,
            caller,
            name: tool.to_owned(),
            public_name: tool.to_owned(),
            arguments: None,
            requested_output: RequestedOutput::None,
            presentation,
            started: clock::now(),
        };
        let answer = self.seal(&call, contract, None, observed, None);
        answer.with_violations(refusal.violations().to_vec())
    }

    /// Answers a call that failed in the gateway, in the format that its caller gets.
    pub(super) fn fail(&self, call: &ToolCall<'_>, observed: Observed) -> Answer {
        match call.presentation.format {
            ResultFormat::Contract(contract) => self.seal(call, contract, None, observed, None),
            ResultFormat::Passthrough => self.fail_plain(call, observed),
        }
    }

    /// Answers a call that failed, as plain text.
    fn fail_plain(&self, call: &ToolCall<'_>, observed: Observed) -> Answer {
        let observation = Observation::new(observed);
        let gateway_settings = self.settings();
        let mut settings = pipeline::Settings::default();
        settings.redaction = Redaction::Custom(&gateway_settings.redaction.redactor);
        let prepared = pipeline::prepare(observation, &settings, &context(call));
        let Some(failure) = mcp_response::first_failure(&prepared) else {
            return Answer::Refused(Refusal::new(Code::InternalError));
        };
        let message = failure.message.clone().into_owned();
        let result = mcp_response::plain_result(&message, true);
        let failed = CallFailure { message: Some(message), ..CallFailure::new(failure.code) };
        Answer::Plain { result, failure: Some(failed) }
    }

    /// Returns the observation of a call without a response.
    pub(super) fn observe_failure(&self, failure: RequestFailure) -> Observed {
        let (code, message) = failure.code_and_message(&self.settings());
        let mut failed = Failed::new(code, message);
        match failure {
            RequestFailure::TooLarge
            | RequestFailure::Unusable(_)
            | RequestFailure::UnsupportedRequest(_) => {}
            RequestFailure::Stopped => return Observed::Cancelled(Cancelled::default()),
            RequestFailure::HttpFailure(failure) => failed.retry_after = failure.retry_after,
            RequestFailure::TimedOut(after) | RequestFailure::Late(after, _) => {
                return Observed::TimedOut(TimedOut { after, ..TimedOut::default() });
            }
            RequestFailure::Disconnected(reason) => add_diagnosis(&mut failed, &reason.0),
        }
        Observed::Failed(Box::new(failed))
    }
}

/// Adds when to retry, and the last lines of the server's stderr.
fn add_diagnosis(failed: &mut Failed, unavailable: &Unavailable) {
    // Whole seconds, and at least one: an immediate retry would fail again.
    failed.retry_after = unavailable
        .retry_after()
        .map(|after| Duration::from_secs(after.as_millis().div_ceil(1000).try_into().unwrap_or(1)))
        .map(|after| after.max(Duration::from_secs(1)));
    if !unavailable.stderr_tail.is_empty() {
        failed.details =
            JsonObject::build(|object| object.member("last_stderr", &unavailable.stderr_tail));
    }
}

/// Returns the start of a failure's message, which is in the envelope as a whole.
fn cut_message(message: &str) -> &str {
    const BYTES_MAX: usize = 64 * 1024;
    let end = (0..=BYTES_MAX.min(message.len())).rev().find(|end| message.is_char_boundary(*end));
    message.get(..end.unwrap_or_default()).unwrap_or(message)
}

fn context(call: &ToolCall<'_>) -> Context {
    let elapsed = clock::now().saturating_duration_since(call.started);
    Context::new(call.caller.source.request_id.fresh).with_elapsed(elapsed)
}
