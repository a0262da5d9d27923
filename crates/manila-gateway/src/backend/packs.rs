//! Calls to a pack's tools: the response is an observation of a program's run.

use std::sync::Arc;

use manila::{
    Cancelled, Code, Contract, Failed, JsonObject, McpResult, Observation, Observed, TimedOut,
};

use manila_pack::{OBSERVATION, Pack};

use super::send_request::{RequestFailure, ServerResponse};
use super::tool_call::ToolCall;
use super::{Answer, mcp_response};
use crate::backend::Backend;
use crate::rt::deadlines::Deadline;

impl Backend {
    /// Returns the answer to a call of a pack's tool.
    pub(super) async fn seal_pack_response(
        &self,
        call: &ToolCall<'_>,
        contract: Contract,
        pack: Arc<Pack>,
        received: Result<ServerResponse, RequestFailure>,
    ) -> Answer {
        // The timeout after which the call was cancelled, if it was.
        let (response, late) = match received {
            Ok(response) => (response, None),
            Err(RequestFailure::Late(after, response)) => (*response, Some(after)),
            Err(failure) => {
                let observed = self.observe_failure(failure);
                return self.seal(call, contract, None, observed, None);
            }
        };
        let observation = match response.answer() {
            Ok(result) => JsonObject::new(result.clone())
                .and_then(|it| pack_observation(&McpResult::from_object(&it))),
            Err(error) => Some(Observation::new(mcp_response::observe_protocol_error(error))),
        };
        let Some(mut observation) = observation else {
            let message = "The pack's response cannot be read";
            let failed = Failed::new(Code::InvalidToolOutput, message);
            return self.seal(call, contract, None, Observed::Failed(Box::new(failed)), None);
        };
        // The pack reports the cancellation. Only the gateway knows that the cause was a timeout.
        if let (Some(after), Observed::Cancelled(cancelled)) = (late, &mut observation.observed) {
            let Cancelled { command, stdout, .. } = std::mem::take(cancelled);
            observation.observed = Observed::TimedOut(TimedOut { after, command, stdout });
        }
        // A long output takes time to parse, and must not block other calls.
        let diagnosed = tokio::task::spawn_blocking(move || {
            pack.diagnose(&mut observation);
            observation
        });
        let observation = diagnosed.await.unwrap_or_else(|_| {
            let failed = Failed::new(Code::InternalError, "The output could not be parsed");
            Observation::new(Observed::Failed(Box::new(failed)))
        });
        self.seal_observation(call, contract, None, observation, None)
    }

    /// Calls a pack's tool for `contract = "none"`, and returns the program's output as the plain
    /// text of `machine-readable-v1` (M11). The envelope is discarded.
    pub(super) async fn call_pack_passthrough(
        &self,
        call: &ToolCall<'_>,
        deadline: Deadline,
    ) -> Answer {
        let call = call.as_plain_text();
        let contract = Contract::MachineReadableV1;
        let answer = self.send_call(&call, contract, None, deadline).await;
        match answer {
            Answer::Sealed(sealed) => {
                let text = sealed.text.as_deref().unwrap_or_default();
                let result = mcp_response::plain_result(text, sealed.reply.is_error);
                Answer::Plain { result, failure: sealed.failure }
            }
            other @ (Answer::Passthrough(_) | Answer::Plain { .. } | Answer::Refused(_)) => other,
        }
    }
}

/// Returns the observation in a pack's response. Only packs are trusted with this: any other server
/// could claim anything.
fn pack_observation(result: &McpResult) -> Option<Observation> {
    let observation = result.meta()?.get(OBSERVATION)?;
    Observation::from_json(observation.to_bytes()).ok()
}
