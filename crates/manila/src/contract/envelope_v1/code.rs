//! E7: the eleven words of `envelope-v1`.

use crate::catalogue::Code;
use crate::outcome::Run;

/// The word for a code. What a run shows can tell two cases of one code apart.
pub(super) fn word(code: Code, run: Option<&Run>) -> &'static str {
    match (words(code), run) {
        // M9: where something was tried, a program is missing.
        ([_, when_tried, ..], Some(_)) => when_tried,
        ([usual, ..], _) => usual,
        ([], _) => "internal_error",
    }
}

/// The words for a code, the usual one first.
pub(in crate::contract) fn words(code: Code) -> &'static [&'static str] {
    match code {
        Code::ParseError
        | Code::MethodNotFound
        | Code::InvalidEnvelope
        | Code::InvalidToolInput => &["invalid_argument"],
        Code::InvalidPath => &["invalid_path"],
        Code::ToolNotFound | Code::NotFound => &["not_found"],
        Code::Unauthenticated | Code::Forbidden | Code::FeatureDisabled => &["forbidden"],
        Code::UpgradeRequired => &["upgrade_required"],
        Code::Conflict | Code::RateLimited => &["resource_exhausted"],
        Code::TooLarge => &["too_large"],
        Code::Cancelled | Code::Timeout => &["timeout"],
        Code::CapabilityNotAvailable => &["not_implemented", "dependency_unavailable"],
        Code::UpstreamUnavailable => &["dependency_unavailable"],
        Code::InvalidToolOutput | Code::CommandFailed | Code::ToolFailed | Code::InternalError => {
            &["internal_error"]
        }
    }
}
