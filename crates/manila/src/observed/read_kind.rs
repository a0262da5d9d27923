//! Parsing `observed`: exactly one kind, each with its own members.

use super::read::{
    MILLISECOND, SECOND, missing, read_bool, read_duration, read_i64, read_strings, read_u64,
    unknown_member,
};
use super::{
    Cancelled, Conflict, Exited, Failed, Invalid, McpResult, Observed, RateLimited, TierRequired,
    TimedOut, ToolText, Unavailable, read_notes,
};
use crate::catalogue::Code;
use crate::outcome::{Payload, Truncation};
use crate::raw_json::{Kind, ReadError, Reader};
use crate::suggest::closest;
use crate::violation::Violation;

/// The names of all kinds. `write` does not compile if it writes a kind that is not listed here.
pub(super) const KINDS: &[&str] = &[
    "answered",
    "said",
    "mcp",
    "exited",
    "failed",
    "invalid",
    "unavailable",
    "conflict",
    "cancelled",
    "timed_out",
    "rate_limited",
    "tier_required",
    "feature_disabled",
];

pub(super) fn read_observed(reader: &mut Reader<'_>) -> Result<Observed, ReadError> {
    let start = reader.start();
    let mut found: Option<Observed> = None;
    reader.object(|reader, key| {
        if found.is_some() {
            let start = reader.key_start();
            let message = "an observation must have exactly one kind, but this is a second one";
            return Err(reader.refuse(start, message, "keep one of the two"));
        }
        found = Some(match key {
            "answered" => Observed::Answered(reader.raw()?),
            "said" => Observed::Said(ToolText::token(reader.raw_of(Kind::String)?)),
            "mcp" => Observed::Mcp(McpResult::read(reader)?),
            "exited" => Observed::Exited(read_exited(reader)?),
            "failed" => Observed::Failed(Box::new(read_failed(reader)?)),
            "invalid" => Observed::Invalid(read_invalid(reader)?),
            "unavailable" => Observed::Unavailable(read_unavailable(reader)?),
            "conflict" => Observed::Conflict(read_conflict(reader)?),
            "cancelled" => Observed::Cancelled(read_cancelled(reader)?),
            "timed_out" => Observed::TimedOut(read_timed_out(reader)?),
            "rate_limited" => Observed::RateLimited(read_rate_limited(reader)?),
            "tier_required" => Observed::TierRequired(read_tier_required(reader)?),
            "feature_disabled" => {
                let [feature] = read_required_strings(reader, ["feature"])?;
                Observed::FeatureDisabled { feature }
            }
            unknown => return Err(unknown_member(reader, unknown, KINDS)),
        });
        Ok(())
    })?;
    found.ok_or_else(|| {
        let hint = format!("add one of: {}", KINDS.join(", "));
        reader.refuse(start, "an observation must have exactly one kind, but this has none", hint)
    })
}

fn read_exited(reader: &mut Reader<'_>) -> Result<Exited, ReadError> {
    let start = reader.start();
    let mut it = Exited::default();
    let mut code = None;
    reader.object(|reader, key| {
        match key {
            "command" => it.command = Some(reader.string()?),
            "code" => code = Some(read_i64(reader)?),
            "stdout" => it.stdout = reader.string()?,
            "stderr" => it.stderr = reader.string()?,
            unknown => {
                let known = ["command", "code", "stdout", "stderr"];
                return Err(unknown_member(reader, unknown, &known));
            }
        }
        Ok(())
    })?;
    it.code = code.ok_or_else(|| missing(reader, start, "code"))?;
    Ok(it)
}

fn read_failed(reader: &mut Reader<'_>) -> Result<Failed, ReadError> {
    const MEMBERS: &[&str] = &[
        "code",
        "origin_code",
        "message",
        "remediation",
        "details",
        "data",
        "retry_after_seconds",
        "partial",
    ];
    let start = reader.start();
    let mut it = Failed::new(Code::ToolFailed, "");
    let (mut code, mut message) = (None, None);
    reader.object(|reader, key| {
        match key {
            "code" => code = Some(read_code(reader)?),
            "origin_code" => it.origin_code = Some(reader.string()?),
            "message" => message = Some(reader.string()?),
            "remediation" => it.remediation = Some(reader.string()?),
            "details" => it.details = read_notes::read_unique_object(reader)?,
            "data" => it.data = read_notes::read_unique_object(reader)?,
            "retry_after_seconds" => it.retry_after = Some(read_duration(reader, &SECOND)?),
            "partial" => {
                let partial = Some(reader.raw()?).filter(|partial| !partial.is_null());
                it.partial = partial.map_or(Payload::Absent, Payload::Json);
            }
            unknown => return Err(unknown_member(reader, unknown, MEMBERS)),
        }
        Ok(())
    })?;
    it.code = code.ok_or_else(|| missing(reader, start, "code"))?;
    it.message = message.ok_or_else(|| missing(reader, start, "message"))?;
    Ok(it)
}

fn read_code(reader: &mut Reader<'_>) -> Result<Code, ReadError> {
    let start = reader.start();
    let name = reader.string()?;
    Code::from_name(&name).map_err(|_| {
        // A name with the format of a code may be shown; anything else may be a secret.
        let is_code_like =
            name.len() <= 40 && name.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
        let value = if is_code_like { format!("`{name}`") } else { "this".to_owned() };
        let hint = match closest(&name, Code::ALL.iter().map(|code| code.name())) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                "`manila errors` lists the codes; put a tool's own code in `origin_code`".to_owned()
            }
        };
        reader.refuse(start, format!("{value} is not a canonical failure code"), hint)
    })
}

fn read_invalid(reader: &mut Reader<'_>) -> Result<Invalid, ReadError> {
    const MEMBERS: &[&str] =
        &["message", "parameter", "reason", "provided", "allowed", "violations"];
    let mut it = Invalid::default();
    reader.object(|reader, key| {
        match key {
            "message" => it.message = Some(reader.string()?),
            "parameter" => it.parameter = Some(reader.string()?),
            "reason" => it.reason = Some(reader.string()?),
            "provided" => it.provided = Some(reader.string()?),
            "allowed" => it.allowed = read_strings(reader)?,
            "violations" => reader.array(|reader| {
                let [pointer, rule, message] =
                    read_required_strings(reader, ["pointer", "rule", "message"])?;
                it.violations.push(Violation { pointer, rule, message });
                Ok(())
            })?,
            unknown => return Err(unknown_member(reader, unknown, MEMBERS)),
        }
        Ok(())
    })?;
    Ok(it)
}

fn read_unavailable(reader: &mut Reader<'_>) -> Result<Unavailable, ReadError> {
    const MEMBERS: &[&str] = &["feature", "reason", "command", "details", "alternatives"];
    let start = reader.start();
    let mut it = Unavailable::default();
    let mut feature = None;
    reader.object(|reader, key| {
        match key {
            "feature" => feature = Some(reader.string()?),
            "reason" => it.reason = Some(reader.string()?),
            "command" => it.command = Some(reader.string()?),
            "details" => it.details = Some(reader.string()?),
            "alternatives" => it.alternatives = read_strings(reader)?,
            unknown => return Err(unknown_member(reader, unknown, MEMBERS)),
        }
        Ok(())
    })?;
    it.feature = feature.ok_or_else(|| missing(reader, start, "feature"))?;
    Ok(it)
}

fn read_conflict(reader: &mut Reader<'_>) -> Result<Conflict, ReadError> {
    let [operation, target, conflicting] =
        read_required_strings(reader, ["operation", "target", "conflicting"])?;
    Ok(Conflict { operation, target, conflicting })
}

fn read_tier_required(reader: &mut Reader<'_>) -> Result<TierRequired, ReadError> {
    let [feature, tier, reason] = read_required_strings(reader, ["feature", "tier", "reason"])?;
    Ok(TierRequired { feature, tier, reason })
}

fn read_cancelled(reader: &mut Reader<'_>) -> Result<Cancelled, ReadError> {
    let mut it = Cancelled::default();
    reader.object(|reader, key| {
        match key {
            "command" => it.command = Some(reader.string()?),
            "stdout" => it.stdout = reader.string()?,
            "truncated" => {
                it.truncation =
                    if read_bool(reader)? { Truncation::Truncated } else { Truncation::Complete }
            }
            unknown => {
                return Err(unknown_member(reader, unknown, &["command", "stdout", "truncated"]));
            }
        }
        Ok(())
    })?;
    Ok(it)
}

fn read_timed_out(reader: &mut Reader<'_>) -> Result<TimedOut, ReadError> {
    let start = reader.start();
    let mut it = TimedOut::default();
    let mut after = None;
    reader.object(|reader, key| {
        match key {
            "after_ms" => after = Some(read_duration(reader, &MILLISECOND)?),
            "command" => it.command = Some(reader.string()?),
            "stdout" => it.stdout = reader.string()?,
            unknown => {
                return Err(unknown_member(reader, unknown, &["after_ms", "command", "stdout"]));
            }
        }
        Ok(())
    })?;
    it.after = after.ok_or_else(|| missing(reader, start, "after_ms"))?;
    Ok(it)
}

fn read_rate_limited(reader: &mut Reader<'_>) -> Result<RateLimited, ReadError> {
    const MEMBERS: &[&str] = &["limit", "period", "retry_after_seconds"];
    let start = reader.start();
    let (mut limit, mut period, mut retry_after) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "limit" => limit = Some(read_u64(reader)?),
            "period" => period = Some(reader.string()?),
            "retry_after_seconds" => retry_after = Some(read_duration(reader, &SECOND)?),
            unknown => return Err(unknown_member(reader, unknown, MEMBERS)),
        }
        Ok(())
    })?;
    Ok(RateLimited {
        limit: limit.ok_or_else(|| missing(reader, start, "limit"))?,
        period: period.ok_or_else(|| missing(reader, start, "period"))?,
        retry_after,
    })
}

/// Parses an object with exactly these members, all of them strings.
pub(super) fn read_required_strings<const N: usize>(
    reader: &mut Reader<'_>,
    names: [&str; N],
) -> Result<[String; N], ReadError> {
    let start = reader.start();
    let mut values: [Option<String>; N] = [const { None }; N];
    reader.object(|reader, key| {
        let known = names.iter().zip(&mut values).find(|(name, _)| **name == key);
        let Some((_, value)) = known else { return Err(unknown_member(reader, key, &names)) };
        *value = Some(reader.string()?);
        Ok(())
    })?;
    if let Some((name, _)) = names.iter().zip(&values).find(|(_, value)| value.is_none()) {
        return Err(missing(reader, start, name));
    }
    Ok(values.map(Option::unwrap_or_default))
}

#[cfg(test)]
mod tests;
