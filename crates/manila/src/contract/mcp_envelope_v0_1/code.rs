//! The codes of `mcp.envelope.v0.1`, in the adapter's namespace.

use crate::catalogue::Code;
use crate::contract::{Contract, Spelling};

/// Spellings that several codes share, each with the code that it is read as.
pub(super) const SHARED: &[(&str, Code)] = &[
    // Three codes have this spelling; it is read as the most general of them.
    ("ADAPTER.REQUEST.INVALID", Code::InvalidEnvelope),
];

/// Returns the only spelling of a code.
pub(super) fn spellings(code: Code) -> Vec<Spelling> {
    vec![Spelling::plain(Contract::McpEnvelopeV01, code, spell(code))]
}

/// Returns the spelling of a code.
pub(super) fn spell(code: Code) -> &'static str {
    match code {
        Code::ParseError | Code::MethodNotFound | Code::InvalidEnvelope => {
            "ADAPTER.REQUEST.INVALID"
        }
        Code::InvalidToolInput => "ADAPTER.INPUT.INVALID",
        Code::InvalidPath => "ADAPTER.INPUT.PATH",
        Code::ToolNotFound => "ADAPTER.TOOL.NOT_FOUND",
        Code::NotFound => "ADAPTER.RESOURCE.NOT_FOUND",
        Code::Unauthenticated => "ADAPTER.ACCESS.UNAUTHENTICATED",
        Code::Forbidden => "ADAPTER.ACCESS.FORBIDDEN",
        Code::FeatureDisabled => "ADAPTER.FEATURE.DISABLED",
        Code::UpgradeRequired => "ADAPTER.TIER.UPGRADE_REQUIRED",
        Code::Conflict => "ADAPTER.CONCURRENCY.CONFLICT",
        Code::TooLarge => "ADAPTER.LIMIT.TOO_LARGE",
        Code::RateLimited => "ADAPTER.LIMIT.RATE",
        Code::Cancelled => "ADAPTER.EXECUTION.CANCELLED",
        Code::Timeout => "ADAPTER.EXECUTION.TIMEOUT",
        Code::CapabilityNotAvailable => "ADAPTER.CAPABILITY.UNAVAILABLE",
        Code::UpstreamUnavailable => "ADAPTER.UPSTREAM.UNAVAILABLE",
        Code::InvalidToolOutput => "ADAPTER.OUTPUT.INVALID",
        Code::CommandFailed => "ADAPTER.EXECUTION.FAILED",
        Code::ToolFailed => "ADAPTER.TOOL.FAILED",
        Code::InternalError => "ADAPTER.INTERNAL",
    }
}
