//! Calls that were refused, and failures that already have a code.

use std::collections::BTreeSet;

use super::Classified;
use crate::catalogue::Code;
use crate::contract::wrap_if_marked;
use crate::diagnostics;
use crate::observed::{Conflict, Failed, Invalid, RateLimited, TierRequired, Unavailable};
use crate::outcome::{Failure, Notes, Payload, RateLimit, Run, UpgradeHint, non_blank};
use crate::pointer::unescape;
use crate::raw_json::JsonObject;
use crate::violation::Violation;

pub(super) fn classify_failed(it: Failed) -> Classified {
    let Failed { code, origin_code, message, remediation, details, data, retry_after, partial } =
        it;
    let mut failure = Failure::new(code, message);
    failure.origin_code = origin_code.filter(|code| !code.trim().is_empty());
    failure.hint = remediation.map(Into::into);
    failure.details = details;
    failure.data = data;
    failure.retry_after = retry_after;
    diagnostics::explain(&mut failure);
    let partial = match partial {
        Payload::Json(json) => Payload::Json(wrap_if_marked(json)),
        other @ (Payload::Absent | Payload::Text(_)) => other,
    };
    Classified::from_ended(super::fail(failure, partial))
}

pub(super) fn classify_rate_limited(it: &RateLimited, notes: &mut Notes) -> Classified {
    let RateLimited { limit, period, retry_after } = it;
    let message = format!("Rate limit exceeded: {limit} requests per {period}");
    let mut failure = Failure::new(Code::RateLimited, message);
    failure.retry_after = *retry_after;
    let known = RateLimit {
        limit: Some(*limit),
        remaining: Some(0),
        reset_at: None,
        period: Some(period.clone()),
        retry_after: *retry_after,
    };
    let limits = notes.rate_limit.take().unwrap_or_default();
    notes.rate_limit = Some(limits.with_defaults(&known.into()));
    Classified::from_failure(failure)
}

/// Classifies arguments that were rejected before anything ran (M7, M8).
pub(super) fn classify_invalid(it: Invalid, tool_id: Option<&str>) -> Classified {
    let Invalid { message, parameter, reason, provided, allowed, violations } = it;
    let violations: Vec<_> = violations.into_iter().map(Violation::without_secrets).collect();
    let first = violations.first();
    let reason = non_blank(reason.as_deref()).map(str::to_owned);
    let reason = reason.or_else(|| first.map(|first| reason_of(first).to_owned()));
    let parameter = non_blank(parameter.as_deref()).map(str::to_owned);
    let parameter = parameter.or_else(|| first.and_then(parameter_of));
    let message = message.filter(|message| !message.trim().is_empty());
    let message = message.or_else(|| first.is_some().then(|| validation_failed(&violations)));
    let allowed: Vec<String> = allowed.into_iter().filter(|it| !it.trim().is_empty()).collect();
    let is_action = parameter.as_deref() == Some("action") && !allowed.is_empty();
    let reason = reason.or_else(|| (!allowed.is_empty()).then(|| "invalid value".to_owned()));
    // Values other than actions are not repeated: they may be secret.
    let shown = provided.filter(|_| is_action);
    let message = message.unwrap_or_else(|| match (&shown, &parameter) {
        (Some(action), _) => wrong_action(action, non_blank(tool_id)),
        (None, Some(parameter)) => wrong_parameter(parameter, reason.as_deref(), &allowed),
        (None, None) => Code::InvalidToolInput.entry().message.to_owned(),
    });
    // M7: values that the message contains are not repeated.
    let is_in_message = allowed.is_empty() || message.ends_with(&alternatives(&allowed));
    let mut failure = Failure::new(Code::InvalidToolInput, message);
    failure.hint = is_action.then(|| format!("Valid actions are: {}", allowed.join(", ")).into());
    failure.details = JsonObject::build(|object| {
        object.member("parameter", &parameter);
        object.member("reason", &reason);
        object.member("provided", &shown);
        object.member("allowed", &(is_action || !is_in_message).then_some(allowed));
        object.member("violations", &(!violations.is_empty()).then_some(violations));
    });
    Classified::from_failure(failure)
}

/// Returns a message with the first violations, and the number of the others.
fn validation_failed(violations: &[Violation]) -> String {
    const SHOWN_MAX: usize = 5;
    let shown: Vec<String> = violations.iter().take(SHOWN_MAX).map(Violation::to_string).collect();
    let more = violations.len().saturating_sub(SHOWN_MAX);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("Validation failed: {}{more}", shown.join("; "))
}

/// Returns M7's reason for a rule of JSON Schema.
fn reason_of(violation: &Violation) -> &'static str {
    match violation.rule.as_str() {
        "required" | "dependentRequired" => "required",
        "type" | "format" => "invalid format",
        "pattern" => "invalid characters",
        _ => "invalid value",
    }
}

/// Returns the name of the parameter that contains the violation.
fn parameter_of(violation: &Violation) -> Option<String> {
    violation.pointer.split('/').nth(1).map(unescape)
}

fn wrong_action(action: &str, tool_id: Option<&str>) -> String {
    let tool = tool_id.map(|tool| format!(" For tool '{tool}'.")).unwrap_or_default();
    format!("Invalid action '{action}' is not supported.{tool}")
}

/// Returns the default message for a reason (M7).
fn wrong_parameter(parameter: &str, reason: Option<&str>, allowed: &[String]) -> String {
    let fault = match reason {
        Some("invalid value") | None if !allowed.is_empty() => {
            format!("must be {}", alternatives(allowed))
        }
        Some("required") => "is required and cannot be empty".to_owned(),
        Some("invalid characters") => "contains invalid characters".to_owned(),
        Some("invalid format") => "has an invalid format".to_owned(),
        Some("invalid extension") => "does not have a permitted file extension".to_owned(),
        Some("not found") => "names something that does not exist".to_owned(),
        Some("conflict") => "conflicts with another parameter".to_owned(),
        Some("at least one required") => {
            "or one of its alternatives is required, but none is given".to_owned()
        }
        Some("mutually exclusive") => "cannot be combined with another given parameter".to_owned(),
        Some("required for safety") => "must be given explicitly, for safety".to_owned(),
        Some("invalid value") | None => "has an invalid value".to_owned(),
        Some(other) => format!("is invalid: {other}"),
    };
    format!("Parameter '{parameter}' {fault}")
}

/// Returns the values as a list: `'a'`, `'a' or 'b'`, `'a', 'b' or 'c'`.
fn alternatives(allowed: &[String]) -> String {
    let quoted: Vec<String> = allowed.iter().map(|value| format!("'{value}'")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Classifies a missing dependency (M9). A command or details mean that it was tried; otherwise
/// there is a reason.
pub(super) fn classify_unavailable(it: Unavailable) -> Classified {
    let Unavailable { feature, reason, command, details, alternatives } = it;
    let known = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (reason, command, details) = (known(reason), known(command), known(details));
    let was_tried = command.is_some() || details.is_some();
    let mut failure = if was_tried {
        let suffix = details.as_ref().map(|text| format!(" Details: {text}")).unwrap_or_default();
        let message =
            format!("Capability '{feature}' is not available in the current environment.{suffix}");
        let mut failure = Failure::new(Code::CapabilityNotAvailable, message);
        failure.details = JsonObject::build(|object| object.member("reason", &reason));
        failure
    } else {
        let reason = reason.unwrap_or_else(|| "not available in this environment".to_owned());
        let message = format!("The '{feature}' capability is not available: {reason}");
        let mut failure = Failure::new(Code::CapabilityNotAvailable, message);
        failure.explanation = Some(
            "The tool has this feature, but it is not available here: a dependency is \
             missing, disabled, not supported on this system, or not implemented yet."
                .into(),
        );
        failure.details = JsonObject::build(|object| {
            object.member("feature", &feature);
            object.member("reason", &reason);
        });
        failure
    };
    // M9: trimmed, without blanks or repeats.
    let mut seen = BTreeSet::new();
    let given = alternatives.iter().map(|it| it.trim()).filter(|it| !it.is_empty());
    failure.alternatives = given.filter(|it| seen.insert(*it)).map(str::to_owned).collect();
    failure.hint = match (failure.alternatives.is_empty(), was_tried) {
        (true, _) => None,
        (false, true) => Some(
            "Try one of the alternatives or adjust the environment to enable this capability."
                .into(),
        ),
        (false, false) => Some("Consider using one of the suggested alternatives.".into()),
    };
    let classified = Classified::from_failure(failure);
    if !was_tried {
        return classified;
    }
    classified.with_run(Run { command, stderr: details.unwrap_or_default(), ..Run::default() })
}

pub(super) fn classify_conflict(it: &Conflict) -> Classified {
    let Conflict { operation, target, conflicting } = it;
    let mut failure = Failure::new(
        Code::Conflict,
        format!(
            "Cannot execute '{operation}' on '{target}' because a conflicting operation is \
             already in progress: {conflicting}"
        ),
    );
    failure.details = JsonObject::build(|object| {
        object.member("operation", operation);
        object.member("target", target);
        object.member("conflicting", conflicting);
    });
    Classified::from_failure(failure)
}

pub(super) fn classify_tier_required(it: TierRequired, notes: &mut Notes) -> Classified {
    let TierRequired { feature, tier, reason } = it;
    let message = format!("'{feature}' requires the {tier} tier: {reason}");
    let mut failure = Failure::new(Code::UpgradeRequired, message);
    failure.details = JsonObject::build(|object| {
        object.member("feature", &feature);
        object.member("tier", &tier);
        object.member("reason", &reason);
    });
    notes.upgrade_hints.retain(|hint| hint.feature != feature);
    notes.upgrade_hints.push(UpgradeHint { feature, tier, reason });
    Classified::from_failure(failure)
}

pub(super) fn classify_feature_disabled(feature: &str) -> Classified {
    let mut failure =
        Failure::new(Code::FeatureDisabled, format!("Feature '{feature}' is not enabled"));
    failure.data = JsonObject::build(|object| object.member("feature", feature));
    Classified::from_failure(failure)
}
