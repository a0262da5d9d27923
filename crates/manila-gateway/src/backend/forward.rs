//! Requests that are nobody's business but the client's and the server's.

use std::sync::Arc;

use manila::request_envelope::{Notification, Request};
use manila::{JsonObject, McpResult, RawJson};
use manila_redact::Tally;

use super::answer;
use super::ask::{Answered, Unanswered};
use crate::backend::Backend;
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::Fault;
use crate::telemetry::event::Event;
use crate::upstream::SentAs;

/// What came of a request that was handed on.
pub(crate) enum Forwarded {
    /// The answer, as it came.
    AsItCame(Answered),
    /// A result of which something was changed, in the words of the server's era.
    Changed(RawJson, Era),
    /// The server could not be asked.
    Fault(Fault),
}

/// Hands a request on, and its answer back.
pub(crate) async fn forward(
    backend: &Backend,
    request: &Request,
    caller: &Arc<Caller>,
) -> Forwarded {
    match forward_unhidden(backend, request, caller).await {
        Forwarded::AsItCame(answered) => Forwarded::AsItCame(backend.hidden(request, answered)),
        other @ (Forwarded::Changed(..) | Forwarded::Fault(_)) => other,
    }
}

/// The same with all its secrets, which are somebody else's to hide.
pub(super) async fn forward_unhidden(
    backend: &Backend,
    request: &Request,
    caller: &Arc<Caller>,
) -> Forwarded {
    match backend.ask(request, caller, &SentAs::default(), backend.deadline()).await {
        Ok(answered) => match is_asked_across(&answered, caller) {
            Some(method) => not_answered(backend, &Unanswered::AskedBack(method)),
            None => Forwarded::AsItCame(answered),
        },
        Err(unanswered) => not_answered(backend, &unanswered),
    }
}

fn not_answered(backend: &Backend, unanswered: &Unanswered) -> Forwarded {
    let (code, message) = unanswered.told(&backend.settings());
    let message = backend.settings().hiding.text(message);
    Forwarded::Fault(Fault::new(code).message(message))
}

/// What servers offer: names and descriptions that are the same for everybody.
const LISTS: [&str; 5] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "initialize"];

/// What a server asks back in a way that its caller's era does not know, if it does: in a result,
/// or by refusing whoever has not said that it can be asked.
pub(super) fn is_asked_across(answered: &Answered, caller: &Caller) -> Option<String> {
    if answered.era.is_like(caller.era()) {
        return None;
    }
    let name = match answered.answer() {
        Ok(result) => {
            result.get("resultType")?.as_text().filter(|kind| kind == "input_required")?;
            let asked = result.get("inputRequests");
            let asked = asked.iter().flat_map(RawJson::members).next();
            let method = asked.and_then(|asked| asked.value().get("method"));
            method.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned)
        }
        Err(error) => {
            answer::number(error).filter(|number| *number == -32021)?;
            let required = error.get("data").and_then(|data| data.get("requiredCapabilities"));
            let required = required.iter().flat_map(RawJson::members).next();
            required.map(|required| required.key().into_owned())
        }
    };
    Some(name.unwrap_or_else(|| "input_required".to_owned()))
}

/// Whether a result is none yet: the server asks back, or has begun a task.
fn is_handle(result: &RawJson) -> bool {
    JsonObject::new(result.clone()).is_some_and(|it| McpResult::from_object(&it).is_handle())
}

impl Backend {
    /// Hands on what a client tells, if the server can be told now and its era knows it.
    pub(crate) fn hand_on(&self, notification: &Notification, era: Era) {
        if let Some(ready) = self.upstream.ready_now(Some(era))
            && ready.era.is_like(era)
        {
            ready.connection.push(notification.frame.to_bytes());
        }
    }

    /// The answer to a request without its secrets. What servers offer is left alone, and what the
    /// client must act on.
    pub(super) fn hidden(&self, request: &Request, answered: Answered) -> Answered {
        let Answered { response, era } = answered;
        let is_left_alone = match &response.answer {
            Ok(result) => LISTS.contains(&request.method.as_str()) || is_handle(result),
            Err(error) => answer::is_for_the_client(error),
        };
        if is_left_alone {
            return Answered { response, era };
        }
        let (response, tally) = self.settings().hiding.response(response);
        self.tell_redacted(&request.method, &tally);
        Answered { response, era }
    }

    /// Tells what was hidden, if anything was.
    pub(super) fn tell_redacted(&self, place: &str, tally: &Tally) {
        if !tally.is_empty() {
            let findings = tally.iter().map(|(rule, n)| (rule.to_owned(), n)).collect();
            self.tell(Event::Redacted { place: place.to_owned(), findings });
        }
    }
}
