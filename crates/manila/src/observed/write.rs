//! Writing an observation as JSON: what `read` takes apart, put together.

use std::time::Duration;

use super::read_kind::KINDS;
use super::{Cancelled, Exited, Failed, Invalid, Observation, Observed, TimedOut, Unavailable};
use crate::outcome::{Call, Cut, Fidelity, Notes, Payload, Tier, UpgradeHint, Warning};
use crate::raw_json::{JsonObject, ObjectWriter, RawJson};
use crate::violation::Violation;

pub(super) fn observation(observation: &Observation) -> JsonObject {
    let Observation { call, observed, notes } = observation;
    JsonObject::build(|object| {
        self::call(call, object);
        object.member("observed", &JsonObject::build(|kind| self::observed(observed, kind)));
        self::notes(notes, object);
    })
}

fn call(call: &Call, object: &mut ObjectWriter<'_>) {
    let Call {
        tool_id,
        tool_version,
        request_id,
        tier,
        duration,
        deterministic,
        // Nobody but an envelope tells these.
        capabilities: _,
        id_source: _,
    } = call;
    let tool = JsonObject::build(|tool| {
        tool.member("id", tool_id);
        tool.member("version", tool_version);
    });
    object.member("tool", &some(tool));
    object.member("request_id", request_id);
    object.member("tier", &(*tier != Tier::default()).then(|| tier.name()));
    object.member("duration_ms", &duration.map(in_ms));
    object.member("deterministic", deterministic);
}

fn observed(observed: &Observed, kind: &mut ObjectWriter<'_>) {
    match observed {
        Observed::Answered(json) => kind.member(const { known("answered") }, json),
        Observed::Said(spoken) => match &spoken.0 {
            Payload::Json(token) => kind.member(const { known("said") }, token),
            Payload::Text(text) => kind.member(const { known("said") }, text),
            Payload::Absent => kind.member(const { known("said") }, ""),
        },
        Observed::Mcp(result) => kind.member(const { known("mcp") }, &result.raw),
        Observed::Exited(exited) => kind.member(const { known("exited") }, &self::exited(exited)),
        Observed::Failed(failed) => kind.member(const { known("failed") }, &self::failed(failed)),
        Observed::Invalid(invalid) => {
            kind.member(const { known("invalid") }, &self::invalid(invalid));
        }
        Observed::Unavailable(unavailable) => {
            kind.member(const { known("unavailable") }, &self::unavailable(unavailable));
        }
        Observed::Conflict(it) => {
            let conflict = JsonObject::build(|object| {
                object.member("operation", &it.operation);
                object.member("target", &it.target);
                object.member("conflicting", &it.conflicting);
            });
            kind.member(const { known("conflict") }, &conflict);
        }
        Observed::Cancelled(cancelled) => {
            kind.member(const { known("cancelled") }, &self::cancelled(cancelled));
        }
        Observed::TimedOut(timed_out) => {
            kind.member(const { known("timed_out") }, &self::timed_out(timed_out));
        }
        Observed::RateLimited(it) => {
            let limited = JsonObject::build(|object| {
                object.member("limit", &it.limit);
                object.member("period", &it.period);
                object.member("retry_after_seconds", &it.retry_after.map(in_seconds));
            });
            kind.member(const { known("rate_limited") }, &limited);
        }
        Observed::TierRequired(it) => {
            let required = JsonObject::build(|object| {
                object.member("feature", &it.feature);
                object.member("tier", &it.tier);
                object.member("reason", &it.reason);
            });
            kind.member(const { known("tier_required") }, &required);
        }
        Observed::FeatureDisabled { feature } => {
            let disabled = JsonObject::build(|object| object.member("feature", feature));
            kind.member(const { known("feature_disabled") }, &disabled);
        }
    }
}

/// The name of a kind that can be read; any other does not compile.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "it runs in the compiler")]
const fn known(name: &'static str) -> &'static str {
    let mut n = 0;
    while n < KINDS.len() {
        if is_same(KINDS[n].as_bytes(), name.as_bytes()) {
            return name;
        }
        n += 1;
    }
    panic!("the kind is not in `KINDS`, so nothing can read it")
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

fn exited(it: &Exited) -> JsonObject {
    let Exited { command, code, stdout, stderr, diagnosed: _ } = it;
    JsonObject::build(|object| {
        object.member("command", command);
        object.member("code", code);
        object.member("stdout", stdout);
        object.member("stderr", stderr);
    })
}

fn failed(it: &Failed) -> JsonObject {
    let Failed { code, origin_code, message, remediation, details, data, retry_after, partial } =
        it;
    JsonObject::build(|object| {
        object.member("code", code.name());
        object.member("origin_code", origin_code);
        object.member("message", message);
        object.member("remediation", remediation);
        object.member("details", &some(details.clone()));
        object.member("data", &some(data.clone()));
        object.member("retry_after_seconds", &retry_after.map(in_seconds));
        match partial {
            Payload::Absent => {}
            Payload::Json(json) => object.member("partial", json),
            Payload::Text(text) => object.member("partial", text),
        }
    })
}

fn invalid(it: &Invalid) -> JsonObject {
    let Invalid { message, parameter, reason, provided, allowed, violations } = it;
    let violations: Vec<JsonObject> = violations.iter().map(violation).collect();
    JsonObject::build(|object| {
        object.member("message", message);
        object.member("parameter", parameter);
        object.member("reason", reason);
        object.member("provided", provided);
        object.member("allowed", &several(allowed));
        object.member("violations", &several(&violations));
    })
}

fn violation(violation: &Violation) -> JsonObject {
    let Violation { pointer, rule, message } = violation;
    JsonObject::build(|object| {
        object.member("pointer", pointer);
        object.member("rule", rule);
        object.member("message", message);
    })
}

fn unavailable(it: &Unavailable) -> JsonObject {
    let Unavailable { feature, reason, command, details, alternatives } = it;
    JsonObject::build(|object| {
        object.member("feature", feature);
        object.member("reason", reason);
        object.member("command", command);
        object.member("details", details);
        object.member("alternatives", &several(alternatives));
    })
}

fn cancelled(it: &Cancelled) -> JsonObject {
    let Cancelled { command, stdout, cut } = it;
    JsonObject::build(|object| {
        object.member("command", command);
        object.member("stdout", stdout);
        object.member("truncated", &(*cut == Cut::Truncated).then_some(true));
    })
}

fn timed_out(it: &TimedOut) -> JsonObject {
    let TimedOut { after, command, stdout } = it;
    JsonObject::build(|object| {
        object.member("after_ms", &in_ms(*after));
        object.member("command", command);
        object.member("stdout", stdout);
    })
}

fn notes(notes: &Notes, object: &mut ObjectWriter<'_>) {
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
    let warnings: Vec<JsonObject> = warnings.iter().map(warning).collect();
    object.member("warnings", &several(&warnings));
    object.member("pagination", pagination);
    object.member("rate_limit", rate_limit);
    object.member("telemetry", telemetry);
    object.member("metadata", &some(pairs(metadata)));
    let hints: Vec<JsonObject> = upgrade_hints.iter().map(upgrade_hint).collect();
    object.member("upgrade_hints", &several(&hints));
    object.member("meta", &some(meta.clone()));
    if let Fidelity::Reduced { level, dropped, archives } = fidelity {
        let reduced = JsonObject::build(|object| {
            object.member("level", level.name());
            object.member("dropped", &several(dropped));
            object.member("archives", &some(pairs(archives)));
        });
        object.member("fidelity", &reduced);
    }
}

fn warning(warning: &Warning) -> JsonObject {
    let Warning { code, severity, message, context } = warning;
    JsonObject::build(|object| {
        object.member("code", code);
        object.member("severity", &severity.map(crate::outcome::Severity::name));
        object.member("message", message);
        object.member("context", &some(context.clone()));
    })
}

fn upgrade_hint(hint: &UpgradeHint) -> JsonObject {
    let UpgradeHint { feature, tier, reason } = hint;
    JsonObject::build(|object| {
        object.member("feature", feature);
        object.member("tier", tier);
        object.member("reason", reason);
    })
}

fn pairs(pairs: &[(String, String)]) -> JsonObject {
    JsonObject::build(|object| pairs.iter().for_each(|(name, text)| object.member(name, text)))
}

/// An object that is left out when it is empty.
fn some(object: JsonObject) -> Option<JsonObject> {
    Some(object).filter(|object| !object.is_empty())
}

/// A list that is left out when it is empty.
fn several<T>(items: &[T]) -> Option<&[T]> {
    Some(items).filter(|items| !items.is_empty())
}

fn in_ms(duration: Duration) -> RawJson {
    number(duration.as_nanos(), 1_000_000)
}

fn in_seconds(duration: Duration) -> RawJson {
    number(duration.as_nanos(), 1_000_000_000)
}

/// A number of nanoseconds in another unit, as short as it can be.
fn number(nanos: u128, unit: u128) -> RawJson {
    let (whole, rest) = (nanos / unit, nanos % unit);
    let n_digits = unit.ilog10() as usize;
    let text = format!("{whole}.{rest:0n_digits$}");
    RawJson::written(text.trim_end_matches('0').trim_end_matches('.').into())
}
