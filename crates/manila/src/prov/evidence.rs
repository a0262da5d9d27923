//! Evidence: which source supports which part of a result, `evidence.v0.1`.

use std::cmp::Ordering;

use super::check_mark;
use super::methods::{JSON_POINTER, TEXT_LINES, check_method_id};
use crate::raw_json::RawJson;
use crate::report::collect::Findings;
use crate::report::path::Path;

/// The number of evidence anchors, by form.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchors {
    /// All anchors.
    pub(super) all: usize,
    /// Those with a JSON pointer.
    pub(super) by_pointer: usize,
    /// Those with lines of a text.
    pub(super) by_lines: usize,
}

/// Checks a list of evidence anchors.
pub(crate) fn check_evidence(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Anchors {
    let mut anchors = Anchors::default();
    findings.array(value, path, "P7", |findings, item, at| {
        anchors.all += 1;
        match read_anchor(&item, at, findings) {
            Some(Place::Json) => anchors.by_pointer += 1,
            Some(Place::Lines) => anchors.by_lines += 1,
            Some(Place::Other) | None => {}
        }
    });
    anchors
}

/// Checks an evidence anchor. Returns the place in its source.
fn read_anchor(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Option<Place> {
    const REQUIRED: [&str; 3] = ["schema_version", "field", "source"];
    let (mut found, mut method) = (None, None);
    let mut seen = Vec::new();
    let is_object = findings.object(value, path, "P1", |findings, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => check_mark(&value, at, "evidence.v0.1", findings),
            "field" => {
                findings.text_within(&value, at, "P1", (1, 200));
            }
            "source" => found = source(&value, at, findings),
            "method" => method = findings.text_within(&value, at, "P7", (1, 200)),
            "note" => {
                findings.text_within(&value, at, "P1", (0, 400));
            }
            _ => findings.reject_unknown(at, "P1"),
        }
    });
    for name in REQUIRED.iter().filter(|_| is_object) {
        findings.require(seen.contains(&name), path, name, "P1");
    }
    if let Some(method) = method.filter(|method| !method.is_empty()) {
        check_method_id(&method, &path.name("method"), findings);
        check_place(&method, found, &path.name("source"), findings);
    }
    found
}

/// P7: checks that the place in the source has the form of the method.
fn check_place(method: &str, found: Option<Place>, at: &Path<'_>, findings: &mut Findings) {
    let message = match (method, found) {
        (JSON_POINTER, Some(Place::Lines | Place::Other)) => {
            "must end in `#json:/...`, because its method is a JSON pointer"
        }
        (TEXT_LINES, Some(Place::Json | Place::Other)) => {
            "must end in `#text:line:a-b`, because its method is lines of a text"
        }
        _ => return,
    };
    findings.record_false_claim(at, "method-condition", "P7", message);
}

/// The place in a source to which an evidence anchor points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// `#json:/...`
    Json,
    /// `#text:line:a-b`
    Lines,
    /// The source as a whole, or an unknown form.
    Other,
}

const JSON: &str = "#json:";
const LINES: &str = "#text:line:";

/// P7: parses a source: an artifact and a place in it, or another form. Returns `None` if it is
/// malformed.
fn source(value: &RawJson, at: &Path<'_>, findings: &mut Findings) -> Option<Place> {
    let text = findings.text_within(value, at, "P7", (1, 1000)).filter(|text| !text.is_empty())?;
    let artifact = text.strip_prefix("artifact:");
    let place = place(&text);
    let message = match place {
        _ if artifact.is_some_and(|id| id.is_empty() || id.starts_with('#')) => {
            "must name an artifact after `artifact:`"
        }
        Ok(place) => return Some(place),
        // Sources other than artifacts may have other rules.
        Err(_) if artifact.is_none() => return Some(Place::Other),
        Err(JSON) => "must have a JSON pointer after `#json:`, starting with a slash",
        Err(_) => "must have a line or a range of lines after `#text:line:`",
    };
    findings.record_false_claim(at, "anchor", "P7", message);
    None
}

/// Parses the fragment of a source. Fails with the form that is malformed.
fn place(source: &str) -> Result<Place, &'static str> {
    let json = source.find(JSON);
    let lines = source.find(LINES).filter(|at| json.is_none_or(|json| *at < json));
    let after = |at: usize, form: &str| source.get(at + form.len()..).unwrap_or_default();
    match (json, lines) {
        (_, Some(at)) if are_lines(after(at, LINES)) => Ok(Place::Lines),
        (_, Some(_)) => Err(LINES),
        (Some(at), None) if is_pointer(after(at, JSON)) => Ok(Place::Json),
        (Some(_), None) => Err(JSON),
        (None, None) => Ok(Place::Other),
    }
}

/// Returns whether `text` is an RFC 6901 pointer other than that of the whole document.
fn is_pointer(text: &str) -> bool {
    let is_escape = |rest: &str| rest.starts_with(['0', '1']);
    text.starts_with('/') && text.split('~').skip(1).all(is_escape)
}

/// Returns whether `text` is a line, or a first and a last line.
fn are_lines(text: &str) -> bool {
    // Lines are numbered from 1.
    let is_number = |text: &str| {
        text.bytes().all(|it| it.is_ascii_digit()) && !text.trim_start_matches('0').is_empty()
    };
    match text.split_once('-') {
        None => is_number(text),
        Some((first, last)) => is_number(first) && is_number(last) && order(first, last).is_le(),
    }
}

/// Compares two decimal numbers of any length.
fn order(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests;
