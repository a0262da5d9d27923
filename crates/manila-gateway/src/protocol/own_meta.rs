//! Our own words in `_meta`: what callers may ask for, and what we tell them.

use manila::json::Member;

/// The contract: of one call if a caller says it, of an envelope if we do.
pub(crate) const CONTRACT: &str = "dev.manila/contract";

/// The request id: of one call if a caller says it, of the answer if we do.
pub(crate) const REQUEST_ID: &str = "dev.manila/requestId";

/// The trace that a request belongs to, as W3C Trace Context spells it.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// A caller's wish for an answer with its secrets.
pub(crate) const UNSAFE_OUTPUT: &str = "dev.manila/unsafeOutput";

/// Which agent asks, what it works at, and its step in that, for the journal.
pub(crate) const AGENT_ID: &str = "dev.manila/agentId";
pub(crate) const TASK_ID: &str = "dev.manila/taskId";
pub(crate) const STEP_ID: &str = "dev.manila/stepId";

/// What went wrong, canonically.
pub(crate) const CODE: &str = "dev.manila/code";

/// Who stands between.
pub(crate) const GATEWAY: &str = "dev.manila/gateway";

/// Whether we tell this ourselves. Another Manila may stand behind us and have told it, too.
pub(crate) fn is_told(member: &Member<'_>) -> bool {
    [CONTRACT, CODE, GATEWAY, REQUEST_ID].into_iter().any(|key| member.is(key))
}
