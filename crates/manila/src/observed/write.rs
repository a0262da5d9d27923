//! Writing an observation as JSON, in the form that `read` parses.

use std::time::Duration;

use super::read_kind::KINDS;
use super::{Cancelled, Exited, Failed, Invalid, Observation, Observed, TimedOut, Unavailable};
use crate::outcome::{Call, Fidelity, Notes, Payload, Tier, Truncation, UpgradeHint, Warning};
use crate::raw_json::{JsonObject, ObjectWriter, RawJson};
use crate::violation::Violation;

pub(super) fn write_observation(observation: &Observation) -> JsonObject {
    let Observation { call, observed, notes } = observation;
    JsonObject::build(|object| {
        write_call(call, object);
        object.member("observed", &JsonObject::build(|kind| write_observed(observed, kind)));
        write_notes(notes, object);
    })
}

fn write_call(call: &Call, object: &mut ObjectWriter<'_>) {
    let Call {
        tool_id,
        tool_version,
        request_id,
        tier,
        duration,
        deterministic,
        // Only an envelope has these.
        capabilities: _,
        id_source: _,
    } = call;
    let tool = JsonObject::build(|tool| {
        tool.member("id", tool_id);
        tool.member("version", tool_version);
    });
    object.member("tool", &non_empty_object(tool));
    object.member("request_id", request_id);
    object.member("tier", &(*tier != Tier::default()).then(|| tier.name()));
    object.member("duration_ms", &duration.map(in_ms));
    object.member("deterministic", deterministic);
}

fn write_observed(observed: &Observed, kind: &mut ObjectWriter<'_>) {
    match observed {
        Observed::Answered(json) => kind.member(const { known_kind("answered") }, json),
        Observed::Said(text) => match &text.0 {
            Payload::Json(token) => kind.member(const { known_kind("said") }, token),
            Payload::Text(text) => kind.member(const { known_kind("said") }, text),
            Payload::Absent => kind.member(const { known_kind("said") }, ""),
        },
        Observed::Mcp(result) => kind.member(const { known_kind("mcp") }, &result.raw),
        Observed::Exited(exited) => {
            kind.member(const { known_kind("exited") }, &write_exited(exited));
        }
        Observed::Failed(failed) => {
            kind.member(const { known_kind("failed") }, &write_failed(failed));
        }
        Observed::Invalid(invalid) => {
            kind.member(const { known_kind("invalid") }, &write_invalid(invalid));
        }
        Observed::Unavailable(unavailable) => {
            kind.member(const { known_kind("unavailable") }, &write_unavailable(unavailable));
        }
        Observed::Conflict(it) => {
            let conflict = JsonObject::build(|object| {
                object.member("operation", &it.operation);
                object.member("target", &it.target);
                object.member("conflicting", &it.conflicting);
            });
            kind.member(const { known_kind("conflict") }, &conflict);
        }
        Observed::Cancelled(cancelled) => {
            kind.member(const { known_kind("cancelled") }, &write_cancelled(cancelled));
        }
        Observed::TimedOut(timed_out) => {
            kind.member(const { known_kind("timed_out") }, &write_timed_out(timed_out));
        }
        Observed::RateLimited(it) => {
            let limited = JsonObject::build(|object| {
                object.member("limit", &it.limit);
                object.member("period", &it.period);
                object.member("retry_after_seconds", &it.retry_after.map(in_seconds));
            });
            kind.member(const { known_kind("rate_limited") }, &limited);
        }
        Observed::TierRequired(it) => {
            let required = JsonObject::build(|object| {
                object.member("feature", &it.feature);
                object.member("tier", &it.tier);
                object.member("reason", &it.reason);
            });
            kind.member(const { known_kind("tier_required") }, &required);
        }
        Observed::FeatureDisabled { feature } => {
            let disabled = JsonObject::build(|object| object.member("feature", feature));
            kind.member(const { known_kind("feature_disabled") }, &disabled);
        }
    }
}

/// Returns the name of a kind that can be parsed; does not compile for any other.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "it runs in the compiler")]
const fn known_kind(name: &'static str) -> &'static str {
    let mut n = 0;
    while n < KINDS.len() {
        if is_same(KINDS[n].as_bytes(), name.as_bytes()) {
            return name;
        }
        n += 1;
    }
    panic!("the kind is missing in `KINDS`, so it cannot be parsed")
}

const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, rest_of_one @ ..], [b, rest_of_other @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (rest_of_one, rest_of_other);
    }
    one.is_empty() && other.is_empty()
}

fn write_exited(it: &Exited) -> JsonObject {
    let Exited { command, code, stdout, stderr, diagnosis: _ } = it;
    JsonObject::build(|object| {
        object.member("command", command);
        object.member("code", code);
        object.member("stdout", stdout);
        object.member("stderr", stderr);
    })
}

fn write_failed(it: &Failed) -> JsonObject {
    let Failed { code, origin_code, message, remediation, details, data, retry_after, partial } =
        it;
    JsonObject::build(|object| {
        object.member("code", code.name());
        object.member("origin_code", origin_code);
        object.member("message", message);
        object.member("remediation", remediation);
        object.member("details", &non_empty_object(details.clone()));
        object.member("data", &non_empty_object(data.clone()));
        object.member("retry_after_seconds", &retry_after.map(in_seconds));
        match partial {
            Payload::Absent => {}
            Payload::Json(json) => object.member("partial", json),
            Payload::Text(text) => object.member("partial", text),
        }
    })
}

fn write_invalid(it: &Invalid) -> JsonObject {
    let Invalid { message, parameter, reason, provided, allowed, violations } = it;
    let violations: Vec<JsonObject> = violations.iter().map(write_violation).collect();
    JsonObject::build(|object| {
        object.member("message", message);
        object.member("parameter", parameter);
        object.member("reason", reason);
        object.member("provided", provided);
        object.member("allowed", &non_empty_list(allowed));
        object.member("violations", &non_empty_list(&violations));
    })
}

fn write_violation(violation: &Violation) -> JsonObject {
    let Violation { pointer, rule, message } = violation;
    JsonObject::build(|object| {
        object.member("pointer", pointer);
        object.member("rule", rule);
        object.member("message", message);
    })
}

fn write_unavailable(it: &Unavailable) -> JsonObject {
    let Unavailable { feature, reason, command, details, alternatives } = it;
    JsonObject::build(|object| {
        object.member("feature", feature);
        object.member("reason", reason);
        object.member("command", command);
        object.member("details", details);
        object.member("alternatives", &non_empty_list(alternatives));
    })
}

fn write_cancelled(it: &Cancelled) -> JsonObject {
    let Cancelled { command, stdout, truncation } = it;
    JsonObject::build(|object| {
        object.member("command", command);
        object.member("stdout", stdout);
        object.member("truncated", &(*truncation == Truncation::Truncated).then_some(true));
    })
}

fn write_timed_out(it: &TimedOut) -> JsonObject {
    let TimedOut { after, command, stdout } = it;
    JsonObject::build(|object| {
        object.member("after_ms", &in_ms(*after));
        object.member("command", command);
        object.member("stdout", stdout);
    })
}

fn write_notes(notes: &Notes, object: &mut ObjectWriter<'_>) {
    let Notes {
        warnings,
        pagination,
        rate_limit,
        telemetry,
        upgrade_hints,
        metadata,
        meta,
        fidelity,
    } = notes;
    let warnings: Vec<JsonObject> = warnings.iter().map(write_warning).collect();
    object.member("warnings", &non_empty_list(&warnings));
    object.member("pagination", pagination);
    object.member("rate_limit", rate_limit);
    object.member("telemetry", telemetry);
    object.member("metadata", &non_empty_object(write_pairs(metadata)));
    let hints: Vec<JsonObject> = upgrade_hints.iter().map(write_upgrade_hint).collect();
    object.member("upgrade_hints", &non_empty_list(&hints));
    object.member("meta", &non_empty_object(meta.clone()));
    if let Fidelity::Reduced { level, dropped, archives } = fidelity {
        let reduced = JsonObject::build(|object| {
            object.member("level", level.name());
            object.member("dropped", &non_empty_list(dropped));
            object.member("archives", &non_empty_object(write_pairs(archives)));
        });
        object.member("fidelity", &reduced);
    }
}

fn write_warning(warning: &Warning) -> JsonObject {
    let Warning { code, severity, message, context } = warning;
    JsonObject::build(|object| {
        object.member("code", code);
        object.member("severity", &severity.map(crate::outcome::Severity::name));
        object.member("message", message);
        object.member("context", &non_empty_object(context.clone()));
    })
}

fn write_upgrade_hint(hint: &UpgradeHint) -> JsonObject {
    let UpgradeHint { feature, tier, reason } = hint;
    JsonObject::build(|object| {
        object.member("feature", feature);
        object.member("tier", tier);
        object.member("reason", reason);
    })
}

fn write_pairs(pairs: &[(String, String)]) -> JsonObject {
    JsonObject::build(|object| pairs.iter().for_each(|(name, text)| object.member(name, text)))
}

/// Returns the object, or `None` if it is empty.
fn non_empty_object(object: JsonObject) -> Option<JsonObject> {
    Some(object).filter(|object| !object.is_empty())
}

/// Returns the list, or `None` if it is empty.
fn non_empty_list<T>(items: &[T]) -> Option<&[T]> {
    Some(items).filter(|items| !items.is_empty())
}

fn in_ms(duration: Duration) -> RawJson {
    number(duration.as_nanos(), 1_000_000)
}

fn in_seconds(duration: Duration) -> RawJson {
    number(duration.as_nanos(), 1_000_000_000)
}

/// Renders a number of nanoseconds in another unit, in the shortest form.
fn number(nanos: u128, unit: u128) -> RawJson {
    let (whole, rest) = (nanos / unit, nanos % unit);
    let n_digits = unit.ilog10() as usize;
    let text = format!("{whole}.{rest:0n_digits$}");
    RawJson::from_compact(text.trim_end_matches('0').trim_end_matches('.').into())
}
