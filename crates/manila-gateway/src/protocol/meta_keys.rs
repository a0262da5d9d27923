//! Manila's own keys in `_meta`, in requests and in responses.

use manila::json::Member;

/// The contract: in a request, the one for this call; in a response, that of the envelope.
pub(crate) const CONTRACT: &str = "dev.manila/contract";

/// The request id: in a request, the one for this call; in a response, that of the response.
pub(crate) const REQUEST_ID: &str = "dev.manila/requestId";

/// The trace of a request, in the format of W3C Trace Context.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// In a request: whether the caller requests a response without redaction.
pub(crate) const UNSAFE_OUTPUT: &str = "dev.manila/unsafeOutput";

/// In a request: the agent, its task, and the step of the task, for the journal.
pub(crate) const AGENT_ID: &str = "dev.manila/agentId";
pub(crate) const TASK_ID: &str = "dev.manila/taskId";
pub(crate) const STEP_ID: &str = "dev.manila/stepId";

/// In a response: the canonical failure code.
pub(crate) const CODE: &str = "dev.manila/code";

/// In a response without an envelope: the gateway's warnings about the result.
pub(crate) const WARNINGS: &str = "dev.manila/warnings";

/// In a response: the gateway's name and version.
pub(crate) const GATEWAY: &str = "dev.manila/gateway";

/// Returns whether the gateway writes this member itself. The server may be another Manila that
/// has written it, too.
pub(crate) fn is_own_member(member: &Member<'_>) -> bool {
    [CONTRACT, CODE, GATEWAY, REQUEST_ID].into_iter().any(|key| member.is(key))
}
