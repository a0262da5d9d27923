//! Calls of a pack's tools: what comes back is what was seen of a program.

use std::sync::Arc;

use manila::{
    Cancelled, Code, Contract, Failed, JsonObject, McpResult, Observation, Observed, TimedOut,
};

use manila_pack::{OBSERVATION, Pack};

use super::ask::{Answered, Unanswered};
use super::tool_call::ToolCall;
use super::{Answer, answer};
use crate::backend::Backend;
use crate::rt::deadlines::Deadline;

impl Backend {
    /// What became of a call of a pack's tool.
    pub(super) async fn answered_by_pack(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        pack: Arc<Pack>,
        asked: Result<Answered, Unanswered>,
    ) -> Answer {
        // The time after which it was told to stop, if it was.
        let (answered, late) = match asked {
            Ok(answered) => (answered, None),
            Err(Unanswered::Late(after, answered)) => (*answered, Some(after)),
            Err(unanswered) => {
                let observed = self.not_answered(unanswered);
                return self.seal(call, contract, None, observed, None);
            }
        };
        let observation = match answered.answer() {
            Ok(result) => JsonObject::new(result.clone())
                .and_then(|it| observed(&McpResult::from_object(&it))),
            Err(error) => Some(Observation::new(answer::protocol_error(error))),
        };
        let Some(mut observation) = observation else {
            let message = "What works for the pack has answered something that cannot be read";
            let failed = Failed::new(Code::InvalidToolOutput, message);
            return self.seal(call, contract, None, Observed::Failed(Box::new(failed)), None);
        };
        // It was told to stop, and says so. Why, it cannot know.
        if let (Some(after), Observed::Cancelled(stopped)) = (late, &mut observation.observed) {
            let Cancelled { command, stdout, .. } = std::mem::take(stopped);
            observation.observed = Observed::TimedOut(TimedOut { after, command, stdout });
        }
        // A long output takes its time to read, and others must not wait for it.
        let read = tokio::task::spawn_blocking(move || {
            pack.diagnose(&mut observation);
            observation
        });
        let observation = read.await.unwrap_or_else(|_| {
            let failed = Failed::new(Code::InternalError, "The output could not be read");
            Observation::new(Observed::Failed(Box::new(failed)))
        });
        self.seal_observation(call, contract, None, observation, None)
    }

    /// `none`: a program's output is what comes, as people would read it.
    pub(super) async fn call_pack_as_it_came(
        &self,
        call: &ToolCall<'_>,
        deadline: Deadline,
    ) -> Answer {
        let call = call.plainly();
        let contract = Contract::MachineReadableV1;
        let answer = self.send_call(&call, contract, None, deadline).await;
        match answer {
            Answer::Sealed(sealed) => {
                let text = sealed.text.as_deref().unwrap_or_default();
                let result = answer::plain(text, sealed.reply.is_error);
                Answer::Plain { result, failure: sealed.failure }
            }
            other @ (Answer::AsItCame(_) | Answer::Plain { .. } | Answer::Refused(_)) => other,
        }
    }
}

/// What a pack saw of a call. Nobody but a pack is asked for it: any other server could claim
/// anything.
fn observed(result: &McpResult) -> Option<Observation> {
    let told = result.meta()?.get(OBSERVATION)?;
    Observation::from_json(told.to_bytes()).ok()
}
