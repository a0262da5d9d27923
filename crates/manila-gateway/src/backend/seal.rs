//! What was seen of a call becomes an envelope.

use std::sync::Arc;
use std::time::Duration;

use manila::pipeline::{self, Redaction};
use manila::request_envelope::Request;
use manila::{
    Cancelled, Code, Context, Contract, Failed, Invalid, JsonObject, Observation, Observed,
    RawJson, TimedOut, Violation,
};

use super::ask::Unanswered;
use super::consent::{self, Wish};
use super::tool_call::ToolCall;
use super::{Answer, Refusal, Sealed, answer};
use crate::backend::Backend;
use crate::backend::tools::Tool;
use crate::config::OutputCheck;
use crate::config::Passthrough;
use crate::protocol::caller::Caller;
use crate::protocol::presentation::Presentation;
use crate::rt::clock;
use crate::telemetry::event::{Consent, Event};
use crate::upstream::Down;

impl Backend {
    /// The one place where what was seen becomes an envelope.
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

    /// As `seal`, where more is known than what was seen.
    pub(super) fn seal_observation(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        tool: Option<&Tool>,
        mut observation: Observation,
        meta: Option<RawJson>,
    ) -> Answer {
        let consented = self.consent(&call.public, call.wish);
        let own = self.settings();
        let hiding = &own.hiding;
        consent::tell_ignored(&mut observation.notes, contract, call.wish, consented);
        observation.call.tool_id = Some(call.public.clone());
        observation.call.tool_version =
            self.upstream.ready_now(call.caller.wanted()).and_then(|it| it.version.clone());
        let origin = &call.caller.origin;
        observation.call.request_id.clone_from(&origin.request_id.given);
        let schema = tool.and_then(|tool| tool.output.as_ref());
        let check = schema.map(|schema| |payload: &RawJson| schema.check(payload));
        let mut settings = pipeline::Settings::default();
        settings.media = call.presentation.media;
        settings.speaks = own.speaks;
        settings.passthrough = match hiding.passthrough {
            Passthrough::Redacted => None,
            Passthrough::Verbatim => Some(contract),
        };
        settings.output_check =
            check.as_ref().and_then(|check| match own.output_check_of(&call.public) {
                OutputCheck::Strict => Some(pipeline::OutputCheck::strict(check)),
                OutputCheck::Warn => Some(pipeline::OutputCheck::new(check)),
                OutputCheck::Off => None,
            });
        settings.redaction = match consented {
            Some(_) => Redaction::Off,
            None => Redaction::By(&hiding.redactor),
        };
        let meta = meta.map(|meta| self.with_public_related(meta));
        let meta = if consented.is_none() { meta.map(|meta| hiding.part(meta)) } else { meta };
        let context = context(call);
        let prepared = pipeline::prepare(observation, &settings, &context);
        let redacted = prepared.redacted();
        if redacted.is_shown() {
            self.tell(Event::Unredacted { tool: call.public.clone(), why: Consent::Passthrough });
        } else if !redacted.hidden().is_empty() {
            let (place, findings) = (call.public.clone(), redacted.hidden().to_vec());
            self.tell(Event::Redacted { place, findings });
        }
        let reply = manila::render(&prepared, contract, &context);
        let message =
            answer::failure(&prepared).map(|failure| failure.message.clone().into_owned());
        let failure = reply.code.map(|code| super::Failed { message, ..super::Failed::new(code) });
        let text = call.presentation.text.is_text().then(|| manila::plain_text(&prepared));
        let presentation = call.presentation;
        Answer::Sealed(Box::new(Sealed { reply, contract, presentation, failure, meta, text }))
    }

    /// A refusal as an envelope, for those who have no other place for it.
    pub(crate) fn sealed_refusal(
        &self,
        refusal: &Refusal,
        tool: &str,
        contract: Contract,
        presentation: Presentation,
        caller: &Arc<Caller>,
        request: &Request,
    ) -> Answer {
        let code = refusal.code();
        let told: Vec<String> = refusal.violations().iter().map(Violation::to_string).collect();
        let message = match (&refusal.fault.message, told.as_slice()) {
            (Some(message), _) => message.clone(),
            (None, []) => code.entry().message.to_owned(),
            (None, told) => format!("{}: {}", code.entry().message, told.join("; ")),
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
            public: tool.to_owned(),
            arguments: None,
            wish: Wish::None,
            presentation,
            started: clock::now(),
        };
        let answer = self.seal(&call, contract, None, observed, None);
        answer.breaking(refusal.violations().to_vec())
    }

    /// The failure of a call that was not answered, as plain text.
    pub(super) fn plain_failure(&self, call: &ToolCall<'_>, unanswered: Unanswered) -> Answer {
        let observation = Observation::new(self.not_answered(unanswered));
        let own = self.settings();
        let mut settings = pipeline::Settings::default();
        settings.redaction = Redaction::By(&own.hiding.redactor);
        let prepared = pipeline::prepare(observation, &settings, &context(call));
        let Some(failure) = answer::failure(&prepared) else {
            return Answer::Refused(Refusal::new(Code::InternalError));
        };
        let message = failure.message.clone().into_owned();
        let result = answer::plain(&message, true);
        let failed = super::Failed::new(failure.code);
        Answer::Plain { result, failure: Some(super::Failed { message: Some(message), ..failed }) }
    }

    pub(super) fn not_answered(&self, unanswered: Unanswered) -> Observed {
        let (code, message) = unanswered.told(&self.settings());
        let mut failed = Failed::new(code, message);
        match unanswered {
            Unanswered::TooLarge | Unanswered::Unusable(_) | Unanswered::AskedBack(_) => {}
            Unanswered::Stopped => return Observed::Cancelled(Cancelled::default()),
            Unanswered::Declined(declined) => failed.retry_after = declined.retry_after,
            Unanswered::TimedOut(after) | Unanswered::Late(after, _) => {
                return Observed::TimedOut(TimedOut { after, ..TimedOut::default() });
            }
            Unanswered::Gone(gone) => diagnose(&mut failed, &gone.0),
        }
        Observed::Failed(Box::new(failed))
    }
}

/// When to try again, and what the server said last.
fn diagnose(failed: &mut Failed, down: &Down) {
    // Whole seconds, and at least one: who asks at once is told the same.
    failed.retry_after = down
        .retry_after()
        .map(|after| Duration::from_secs(after.as_millis().div_ceil(1000).try_into().unwrap_or(1)))
        .map(|after| after.max(Duration::from_secs(1)));
    if !down.last_words.is_empty() {
        failed.details = JsonObject::build(|object| object.member("last_stderr", &down.last_words));
    }
}

fn context(call: &ToolCall<'_>) -> Context {
    let elapsed = clock::now().saturating_duration_since(call.started);
    Context::new(call.caller.origin.request_id.fresh).elapsed(elapsed)
}
