//! Parsing an observation from JSON: its top level, and the rules that all its parts share.

use std::time::Duration;

use super::{Observation, read_kind, read_notes};
use crate::outcome::{Call, Notes, Tier};
use crate::raw_json::{Kind, RawJson, ReadError, Reader, sanitize_name};
use crate::suggest::closest;

const MEMBERS: &[&str] = &[
    "tool",
    "request_id",
    "tier",
    "duration_ms",
    "deterministic",
    "observed",
    "warnings",
    "pagination",
    "rate_limit",
    "telemetry",
    "metadata",
    "upgrade_hints",
    "meta",
    "fidelity",
];

pub(super) fn read_observation(reader: &mut Reader<'_>) -> Result<Observation, ReadError> {
    let start = reader.start();
    let mut call = Call::default();
    let mut notes = Notes::default();
    let mut observed = None;
    reader.object(|reader, key| {
        match key {
            "tool" => read_tool(reader, &mut call)?,
            "request_id" => call.request_id = Some(reader.string()?),
            "tier" => call.tier = Tier::from_name(&reader.string()?),
            "duration_ms" => call.duration = Some(read_duration(reader, &MILLISECOND)?),
            "deterministic" => call.deterministic = Some(read_bool(reader)?),
            "observed" => observed = Some(read_kind::read_observed(reader)?),
            "warnings" => notes.warnings = read_notes::read_warnings(reader)?,
            "pagination" => notes.pagination = Some(read_notes::read_pagination(reader)?),
            "rate_limit" => notes.rate_limit = Some(read_notes::read_rate_limit(reader)?),
            "telemetry" => notes.telemetry = Some(read_notes::read_telemetry(reader)?),
            "metadata" => notes.metadata = read_string_map(reader)?,
            "upgrade_hints" => notes.upgrade_hints = read_notes::read_upgrade_hints(reader)?,
            "meta" => notes.meta = read_notes::read_unique_object(reader)?,
            "fidelity" => notes.fidelity = read_notes::read_fidelity(reader)?,
            unknown => return Err(unknown_at_top(reader, unknown)),
        }
        Ok(())
    })?;
    let Some(observed) = observed else { return Err(missing(reader, start, "observed")) };
    Ok(Observation { call, observed, notes })
}

fn read_tool(reader: &mut Reader<'_>, call: &mut Call) -> Result<(), ReadError> {
    reader.object(|reader, key| {
        match key {
            "id" => call.tool_id = Some(reader.string()?),
            "version" => call.tool_version = Some(reader.string()?),
            unknown => return Err(unknown_member(reader, unknown, &["id", "version"])),
        }
        Ok(())
    })
}

/// The unit of a duration.
pub(super) struct Unit {
    seconds: f64,
    expected: &'static str,
}

pub(super) const MILLISECOND: Unit =
    Unit { seconds: 0.001, expected: "a number of milliseconds from 0 to 1e22" };
pub(super) const SECOND: Unit =
    Unit { seconds: 1.0, expected: "a number of seconds from 0 to 1e19" };

/// Parses a duration, given as a number of `unit`s.
pub(super) fn read_duration(reader: &mut Reader<'_>, unit: &Unit) -> Result<Duration, ReadError> {
    reader.convert(unit.expected, |value| {
        let number: f64 = number_text(value)?.parse().ok()?;
        Duration::try_from_secs_f64(number * unit.seconds).ok()
    })
}

pub(super) fn read_bool(reader: &mut Reader<'_>) -> Result<bool, ReadError> {
    Ok(reader.raw_of(Kind::Bool)?.as_bytes() == b"true")
}

pub(super) fn read_u64(reader: &mut Reader<'_>) -> Result<u64, ReadError> {
    reader.convert("an integer from 0 to 18446744073709551615, without an exponent", |value| {
        number_text(value)?.parse().ok()
    })
}

pub(super) fn read_i64(reader: &mut Reader<'_>) -> Result<i64, ReadError> {
    reader.convert("a 64-bit integer, without a fraction or an exponent", |value| {
        number_text(value)?.parse().ok()
    })
}

fn number_text(value: &RawJson) -> Option<&str> {
    (value.kind() == Kind::Number).then(|| value.as_str())
}

pub(super) fn read_strings(reader: &mut Reader<'_>) -> Result<Vec<String>, ReadError> {
    let mut all = Vec::new();
    reader.array(|reader| {
        all.push(reader.string()?);
        Ok(())
    })?;
    Ok(all)
}

pub(super) fn read_string_map(reader: &mut Reader<'_>) -> Result<Vec<(String, String)>, ReadError> {
    let mut all = Vec::new();
    reader.object(|reader, key| {
        all.push((key.to_owned(), reader.string()?));
        Ok(())
    })?;
    Ok(all)
}

/// Rejects an unknown member, and suggests the name that was probably meant.
pub(super) fn unknown_member(reader: &Reader<'_>, name: &str, known: &[&str]) -> ReadError {
    let hint = match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known members: {}", known.join(", ")),
    };
    reader.refuse(reader.key_start(), format!("unknown member `{}`", sanitize_name(name)), hint)
}

/// Like [`unknown_member`], for members that belong under `observed`, not at the top.
fn unknown_at_top(reader: &Reader<'_>, name: &str) -> ReadError {
    let hint = match name {
        "content" | "structuredContent" | "isError" => {
            "an MCP result goes under `observed`: {\"observed\": {\"mcp\": {...}}}".to_owned()
        }
        "jsonrpc" | "result" => {
            "use the `result` of the message: {\"observed\": {\"mcp\": {...}}}".to_owned()
        }
        kind if read_kind::KINDS.contains(&kind) => {
            format!("put it under `observed`: {{\"observed\": {{\"{kind}\": ...}}}}")
        }
        _ => return unknown_member(reader, name, MEMBERS),
    };
    reader.refuse(reader.key_start(), format!("unknown member `{}`", sanitize_name(name)), hint)
}

/// Rejects an object that lacks a required member.
pub(super) fn missing(reader: &Reader<'_>, start: usize, name: &str) -> ReadError {
    let hint = match name {
        "observed" => "add the observation, e.g. {\"observed\": {\"said\": \"hello\"}}".to_owned(),
        _ => format!("add `{name}`"),
    };
    reader.refuse(start, format!("member `{name}` is missing"), hint)
}
