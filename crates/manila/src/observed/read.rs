//! Reading an observation from JSON: its top level, and the rules all its parts share.

use std::time::Duration;

use super::{Observation, read_kind, read_notes};
use crate::outcome::{Call, Notes, Tier};
use crate::raw_json::{Kind, RawJson, ReadError, Reader, shown};
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

pub(super) fn observation(reader: &mut Reader<'_>) -> Result<Observation, ReadError> {
    let start = reader.start();
    let mut call = Call::default();
    let mut notes = Notes::default();
    let mut observed = None;
    reader.object(|reader, key| {
        match key {
            "tool" => tool(reader, &mut call)?,
            "request_id" => call.request_id = Some(reader.string()?),
            "tier" => call.tier = Tier::from_name(&reader.string()?),
            "duration_ms" => call.duration = Some(duration(reader, MILLISECOND)?),
            "deterministic" => call.deterministic = Some(boolean(reader)?),
            "observed" => observed = Some(read_kind::observed(reader)?),
            "warnings" => notes.warnings = read_notes::warnings(reader)?,
            "pagination" => notes.pagination = Some(read_notes::pagination(reader)?),
            "rate_limit" => notes.rate_limit = Some(read_notes::rate_limit(reader)?),
            "telemetry" => notes.telemetry = Some(read_notes::telemetry(reader)?),
            "metadata" => notes.metadata = string_map(reader)?,
            "upgrade_hints" => notes.upgrade_hints = read_notes::upgrade_hints(reader)?,
            "meta" => notes.meta = read_notes::object_of_ours(reader)?,
            "fidelity" => notes.fidelity = read_notes::fidelity(reader)?,
            unknown => return Err(unknown_at_top(reader, unknown)),
        }
        Ok(())
    })?;
    let Some(observed) = observed else { return Err(missing(reader, start, "observed")) };
    Ok(Observation { call, observed, notes })
}

fn tool(reader: &mut Reader<'_>, call: &mut Call) -> Result<(), ReadError> {
    reader.object(|reader, key| {
        match key {
            "id" => call.tool_id = Some(reader.string()?),
            "version" => call.tool_version = Some(reader.string()?),
            unknown => return Err(unknown_member(reader, unknown, &["id", "version"])),
        }
        Ok(())
    })
}

pub(super) const MILLISECOND: f64 = 0.001;
pub(super) const SECOND: f64 = 1.0;

/// A span of time, given as a number of `unit`s of seconds.
pub(super) fn duration(reader: &mut Reader<'_>, unit: f64) -> Result<Duration, ReadError> {
    reader.convert("a number of 0 or more, and of 1e19 seconds at most", |value| {
        let number: f64 = number_text(value)?.parse().ok()?;
        Duration::try_from_secs_f64(number * unit).ok()
    })
}

pub(super) fn boolean(reader: &mut Reader<'_>) -> Result<bool, ReadError> {
    Ok(reader.raw_of(Kind::Bool)?.as_bytes() == b"true")
}

pub(super) fn whole(reader: &mut Reader<'_>) -> Result<u64, ReadError> {
    reader.convert("a whole number from 0 to 18446744073709551615, without exponent", |value| {
        number_text(value)?.parse().ok()
    })
}

pub(super) fn signed(reader: &mut Reader<'_>) -> Result<i64, ReadError> {
    reader.convert("a whole number of 64 bits, without fraction and exponent", |value| {
        number_text(value)?.parse().ok()
    })
}

fn number_text(value: &RawJson) -> Option<&str> {
    (value.kind() == Kind::Number).then(|| value.as_str())
}

pub(super) fn strings(reader: &mut Reader<'_>) -> Result<Vec<String>, ReadError> {
    let mut all = Vec::new();
    reader.array(|reader| {
        all.push(reader.string()?);
        Ok(())
    })?;
    Ok(all)
}

pub(super) fn string_map(reader: &mut Reader<'_>) -> Result<Vec<(String, String)>, ReadError> {
    let mut all = Vec::new();
    reader.object(|reader, key| {
        all.push((key.to_owned(), reader.string()?));
        Ok(())
    })?;
    Ok(all)
}

/// Refuses a member that does not belong here, and names the one that was probably meant.
pub(super) fn unknown_member(reader: &Reader<'_>, name: &str, known: &[&str]) -> ReadError {
    let hint = match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the members here are: {}", known.join(", ")),
    };
    reader.refuse(reader.key_start(), format!("unknown member `{}`", shown(name)), hint)
}

/// As [`unknown_member`], for what people put at the top and not under `observed`.
fn unknown_at_top(reader: &Reader<'_>, name: &str) -> ReadError {
    let hint = match name {
        "content" | "structuredContent" | "isError" => {
            "an MCP result goes under `observed`: {\"observed\": {\"mcp\": {...}}}".to_owned()
        }
        "jsonrpc" | "result" => {
            "take the `result` of the message: {\"observed\": {\"mcp\": {...}}}".to_owned()
        }
        kind if read_kind::KINDS.contains(&kind) => {
            format!("put it under `observed`: {{\"observed\": {{\"{kind}\": ...}}}}")
        }
        _ => return unknown_member(reader, name, MEMBERS),
    };
    reader.refuse(reader.key_start(), format!("unknown member `{}`", shown(name)), hint)
}

/// Refuses an object that lacks a member.
pub(super) fn missing(reader: &Reader<'_>, start: usize, name: &str) -> ReadError {
    let hint = match name {
        "observed" => "say what was seen, e.g. {\"observed\": {\"said\": \"hello\"}}".to_owned(),
        _ => format!("add `{name}`"),
    };
    reader.refuse(start, format!("member `{name}` is missing"), hint)
}
