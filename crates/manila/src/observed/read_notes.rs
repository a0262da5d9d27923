//! Parsing an observation's notes: warnings, paging, limits and other facts beside its result.

use super::read::{missing, read_string_map, read_strings, unknown_member};
use super::read_kind::read_required_strings;
use crate::outcome::{Fidelity, Reduction, Severity, UpgradeHint, Warning};
use crate::raw_json::{JsonObject, Kind, RawJson, ReadError, Reader};
use crate::suggest::closest;

/// Parses an object that becomes part of an envelope, where names must be unique.
pub(super) fn read_unique_object(reader: &mut Reader<'_>) -> Result<JsonObject, ReadError> {
    let ((), value) = reader.with_raw(|reader| {
        reader.object(|reader, _| {
            reader.raw()?;
            Ok(())
        })
    })?;
    Ok(JsonObject::new(value).expect("the reader accepts only an object"))
}

pub(super) fn read_warnings(reader: &mut Reader<'_>) -> Result<Vec<Warning>, ReadError> {
    let mut all = Vec::new();
    reader.array(|reader| {
        all.push(read_warning(reader)?);
        Ok(())
    })?;
    Ok(all)
}

fn read_warning(reader: &mut Reader<'_>) -> Result<Warning, ReadError> {
    let start = reader.start();
    let mut it = Warning::new("");
    let mut message = None;
    reader.object(|reader, key| {
        match key {
            "code" => it.code = Some(reader.string()?),
            "severity" => it.severity = Some(read_one_of(reader, Severity::ALL, Severity::name)?),
            "message" => message = Some(reader.string()?),
            "context" => it.context = read_unique_object(reader)?,
            unknown => {
                let known = ["code", "severity", "message", "context"];
                return Err(unknown_member(reader, unknown, &known));
            }
        }
        Ok(())
    })?;
    it.message = message.ok_or_else(|| missing(reader, start, "message"))?;
    Ok(it)
}

pub(super) fn read_upgrade_hints(reader: &mut Reader<'_>) -> Result<Vec<UpgradeHint>, ReadError> {
    let mut all = Vec::new();
    reader.array(|reader| {
        let [feature, tier, reason] = read_required_strings(reader, ["feature", "tier", "reason"])?;
        all.push(UpgradeHint { feature, tier, reason });
        Ok(())
    })?;
    Ok(all)
}

pub(super) fn read_pagination(reader: &mut Reader<'_>) -> Result<JsonObject, ReadError> {
    let rules: &[(&str, Rule)] = &[
        ("cursor", Rule::TextOrNull),
        ("has_more", Rule::Bool),
        ("total_count", Rule::Unsigned),
        ("page_size", Rule::Unsigned),
    ];
    read_checked_object(reader, rules, UnknownMembers::Refused)
}

pub(super) fn read_rate_limit(reader: &mut Reader<'_>) -> Result<JsonObject, ReadError> {
    let rules: &[(&str, Rule)] = &[
        ("limit", Rule::Unsigned),
        ("remaining", Rule::Unsigned),
        ("reset_at", Rule::Text),
        ("period", Rule::Text),
        ("retry_after", Rule::NotNegative),
    ];
    read_checked_object(reader, rules, UnknownMembers::Refused)
}

pub(super) fn read_telemetry(reader: &mut Reader<'_>) -> Result<JsonObject, ReadError> {
    let rules: &[(&str, Rule)] =
        &[("duration_ms", Rule::NotNegative), ("downstream_calls", Rule::Unsigned)];
    read_checked_object(reader, rules, UnknownMembers::Kept)
}

pub(super) fn read_fidelity(reader: &mut Reader<'_>) -> Result<Fidelity, ReadError> {
    let start = reader.start();
    let mut level = None;
    let (mut dropped, mut archives) = (Vec::new(), Vec::new());
    reader.object(|reader, key| {
        match key {
            "level" => level = Some(read_one_of(reader, Level::ALL, Level::name)?),
            "dropped" => dropped = read_strings(reader)?,
            "archives" => archives = read_string_map(reader)?,
            unknown => {
                return Err(unknown_member(reader, unknown, &["level", "dropped", "archives"]));
            }
        }
        Ok(())
    })?;
    let Some(Level(level)) = level else { return Err(missing(reader, start, "level")) };
    match level {
        Some(level) => Ok(Fidelity::Reduced { level, dropped, archives }),
        None if dropped.is_empty() && archives.is_empty() => Ok(Fidelity::Full),
        None => Err(reader.refuse(
            start,
            "a result of level `full` cannot have dropped or archived items",
            "remove `dropped` and `archives`, or use another level",
        )),
    }
}

/// A level by name: one of the reductions, or `full`.
#[derive(Clone, Copy)]
struct Level(Option<Reduction>);

impl Level {
    const ALL: [Level; 4] = [
        Level(None),
        Level(Some(Reduction::Partial)),
        Level(Some(Reduction::Summary)),
        Level(Some(Reduction::ReferenceOnly)),
    ];

    fn name(self) -> &'static str {
        self.0.map_or("full", Reduction::name)
    }
}

/// The rule for a known member.
#[derive(Clone, Copy)]
enum Rule {
    Text,
    TextOrNull,
    Bool,
    Unsigned,
    NotNegative,
}

/// Whether members without a rule are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnknownMembers {
    Refused,
    Kept,
}

/// Parses an object whose known members must follow their rules, and preserves its bytes.
fn read_checked_object(
    reader: &mut Reader<'_>,
    rules: &[(&str, Rule)],
    others: UnknownMembers,
) -> Result<JsonObject, ReadError> {
    let ((), value) = reader.with_raw(|reader| {
        reader.object(|reader, key| {
            let rule = rules.iter().find(|(name, _)| *name == key).map(|(_, rule)| *rule);
            match (rule, others) {
                (Some(rule), _) => {
                    reader.convert(rule.name(), |value| rule.admits(value).then_some(()))?;
                }
                (None, UnknownMembers::Kept) => drop(reader.raw()?),
                (None, UnknownMembers::Refused) => {
                    let names: Vec<&str> = rules.iter().map(|(name, _)| *name).collect();
                    return Err(unknown_member(reader, key, &names));
                }
            }
            Ok(())
        })
    })?;
    Ok(JsonObject::new(value).expect("the reader accepts only an object"))
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Rule::Text => "a string",
            Rule::TextOrNull => "a string or null",
            Rule::Bool => "a boolean",
            Rule::Unsigned => "an integer of 0 or more",
            Rule::NotNegative => "a number of 0 or more",
        }
    }

    fn admits(self, value: &RawJson) -> bool {
        match (self, value.kind()) {
            (Rule::Text | Rule::TextOrNull, Kind::String)
            | (Rule::TextOrNull, Kind::Null)
            | (Rule::Bool, Kind::Bool) => true,
            (Rule::Unsigned, Kind::Number) => value.as_str().parse::<u64>().is_ok(),
            (Rule::NotNegative, Kind::Number) => value
                .as_str()
                .parse::<f64>()
                .is_ok_and(|number| number >= 0.0 && number.is_finite()),
            _ => false,
        }
    }
}

/// Parses a string that must be one of the names in `all`.
fn read_one_of<T: Copy, const N: usize>(
    reader: &mut Reader<'_>,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, ReadError> {
    let start = reader.start();
    let given = reader.string()?;
    let found = all.into_iter().find(|candidate| name(*candidate) == given);
    found.ok_or_else(|| {
        let names = all.map(name);
        let hint = match closest(&given, names) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "use one of these names, in lower case".into(),
        };
        reader.refuse(start, format!("must be one of {}", names.join(", ")), hint)
    })
}
