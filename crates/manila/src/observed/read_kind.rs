//! Reading `observed`: exactly one kind, each with members of its own.

use super::read::{
    MILLISECOND, SECOND, boolean, duration, missing, signed, strings, unknown_member, whole,
};
use super::{
    Cancelled, Conflict, Exited, Failed, Invalid, McpResult, Observed, RateLimited, Spoken,
    TierRequired, TimedOut, Unavailable, read_notes,
};
use crate::catalogue::Code;
use crate::outcome::{Cut, Payload};
use crate::raw_json::{Kind, ReadError, Reader};
use crate::suggest::closest;
use crate::violation::Violation;

/// The names of all kinds. One that is written must be here, or `write` does not compile.
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

pub(super) fn observed(reader: &mut Reader<'_>) -> Result<Observed, ReadError> {
    let start = reader.start();
    let mut found: Option<Observed> = None;
    reader.object(|reader, key| {
        if found.is_some() {
            let start = reader.key_start();
            let message = "a second kind, but an observation has exactly one";
            return Err(reader.refuse(start, message, "keep one of the two"));
        }
        found = Some(match key {
            "answered" => Observed::Answered(reader.raw()?),
            "said" => Observed::Said(Spoken::token(reader.raw_of(Kind::String)?)),
            "mcp" => Observed::Mcp(McpResult::read(reader)?),
            "exited" => Observed::Exited(exited(reader)?),
            "failed" => Observed::Failed(Box::new(failed(reader)?)),
            "invalid" => Observed::Invalid(invalid(reader)?),
            "unavailable" => Observed::Unavailable(unavailable(reader)?),
            "conflict" => Observed::Conflict(conflict(reader)?),
            "cancelled" => Observed::Cancelled(cancelled(reader)?),
            "timed_out" => Observed::TimedOut(timed_out(reader)?),
            "rate_limited" => Observed::RateLimited(rate_limited(reader)?),
            "tier_required" => Observed::TierRequired(tier_required(reader)?),
            "feature_disabled" => {
                let [feature] = required(reader, ["feature"])?;
                Observed::FeatureDisabled { feature }
            }
            unknown => return Err(unknown_member(reader, unknown, KINDS)),
        });
        Ok(())
    })?;
    found.ok_or_else(|| {
        let hint = format!("add one of: {}", KINDS.join(", "));
        reader.refuse(start, "an observation has exactly one kind, but this one has none", hint)
    })
}

fn exited(reader: &mut Reader<'_>) -> Result<Exited, ReadError> {
    let start = reader.start();
    let mut it = Exited::default();
    let mut code = None;
    reader.object(|reader, key| {
        match key {
            "command" => it.command = Some(reader.string()?),
            "code" => code = Some(signed(reader)?),
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

fn failed(reader: &mut Reader<'_>) -> Result<Failed, ReadError> {
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
            "code" => code = Some(canonical(reader)?),
            "origin_code" => it.origin_code = Some(reader.string()?),
            "message" => message = Some(reader.string()?),
            "remediation" => it.remediation = Some(reader.string()?),
            "details" => it.details = read_notes::object_of_ours(reader)?,
            "data" => it.data = read_notes::object_of_ours(reader)?,
            "retry_after_seconds" => it.retry_after = Some(duration(reader, SECOND)?),
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

fn canonical(reader: &mut Reader<'_>) -> Result<Code, ReadError> {
    let start = reader.start();
    let name = reader.string()?;
    Code::from_name(&name).map_err(|_| {
        // A code that is spelled like one may be shown; anything else may be a secret.
        let is_word =
            name.len() <= 40 && name.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
        let value = if is_word { format!("`{name}`") } else { "this".to_owned() };
        let hint = match closest(&name, Code::ALL.iter().map(|code| code.name())) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "use a code of the catalogue; a tool's own code is `origin_code`".into(),
        };
        reader.refuse(start, format!("{value} is no canonical failure code"), hint)
    })
}

fn invalid(reader: &mut Reader<'_>) -> Result<Invalid, ReadError> {
    const MEMBERS: &[&str] =
        &["message", "parameter", "reason", "provided", "allowed", "violations"];
    let mut it = Invalid::default();
    reader.object(|reader, key| {
        match key {
            "message" => it.message = Some(reader.string()?),
            "parameter" => it.parameter = Some(reader.string()?),
            "reason" => it.reason = Some(reader.string()?),
            "provided" => it.provided = Some(reader.string()?),
            "allowed" => it.allowed = strings(reader)?,
            "violations" => reader.array(|reader| {
                let [pointer, rule, message] = required(reader, ["pointer", "rule", "message"])?;
                it.violations.push(Violation { pointer, rule, message });
                Ok(())
            })?,
            unknown => return Err(unknown_member(reader, unknown, MEMBERS)),
        }
        Ok(())
    })?;
    Ok(it)
}

fn unavailable(reader: &mut Reader<'_>) -> Result<Unavailable, ReadError> {
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
            "alternatives" => it.alternatives = strings(reader)?,
            unknown => return Err(unknown_member(reader, unknown, MEMBERS)),
        }
        Ok(())
    })?;
    it.feature = feature.ok_or_else(|| missing(reader, start, "feature"))?;
    Ok(it)
}

fn conflict(reader: &mut Reader<'_>) -> Result<Conflict, ReadError> {
    let [operation, target, conflicting] =
        required(reader, ["operation", "target", "conflicting"])?;
    Ok(Conflict { operation, target, conflicting })
}

fn tier_required(reader: &mut Reader<'_>) -> Result<TierRequired, ReadError> {
    let [feature, tier, reason] = required(reader, ["feature", "tier", "reason"])?;
    Ok(TierRequired { feature, tier, reason })
}

fn cancelled(reader: &mut Reader<'_>) -> Result<Cancelled, ReadError> {
    let mut it = Cancelled::default();
    reader.object(|reader, key| {
        match key {
            "command" => it.command = Some(reader.string()?),
            "stdout" => it.stdout = reader.string()?,
            "truncated" => it.cut = if boolean(reader)? { Cut::Truncated } else { Cut::Whole },
            unknown => {
                return Err(unknown_member(reader, unknown, &["command", "stdout", "truncated"]));
            }
        }
        Ok(())
    })?;
    Ok(it)
}

fn timed_out(reader: &mut Reader<'_>) -> Result<TimedOut, ReadError> {
    let start = reader.start();
    let mut it = TimedOut::default();
    let mut after = None;
    reader.object(|reader, key| {
        match key {
            "after_ms" => after = Some(duration(reader, MILLISECOND)?),
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

fn rate_limited(reader: &mut Reader<'_>) -> Result<RateLimited, ReadError> {
    const MEMBERS: &[&str] = &["limit", "period", "retry_after_seconds"];
    let start = reader.start();
    let (mut limit, mut period, mut retry_after) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "limit" => limit = Some(whole(reader)?),
            "period" => period = Some(reader.string()?),
            "retry_after_seconds" => retry_after = Some(duration(reader, SECOND)?),
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

/// An object of exactly these members, all strings.
pub(super) fn required<const N: usize>(
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
mod tests {
    use super::KINDS;
    use crate::observed::Observation;

    #[test]
    fn every_kind_that_is_listed_can_be_read() {
        for kind in KINDS {
            let json = format!(r#"{{"observed": {{"{kind}": null}}}}"#);
            if let Err(error) = Observation::from_json(json) {
                assert!(!error.to_string().contains("unknown member"), "{kind}: {error}");
            }
        }
        let error = Observation::from_json(r#"{"observed": {"seen": null}}"#).unwrap_err();
        assert!(error.to_string().contains("unknown member"), "{error}");
    }
}
