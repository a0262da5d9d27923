//! Evidence: which part of an answer rests on which source, `evidence.v0.1`.

use std::cmp::Ordering;

use super::mark;
use super::methods::{JSON_POINTER, TEXT_LINES, judge_id};
use crate::raw_json::RawJson;
use crate::report::look::Look;
use crate::report::path::Path;

/// How much evidence there is, and of which form.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Anchors {
    /// How many there are.
    pub(super) all: usize,
    /// With a JSON pointer.
    pub(super) by_pointer: usize,
    /// With lines of a text.
    pub(super) by_lines: usize,
}

/// A list of evidence.
pub(crate) fn evidence(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Anchors {
    let mut anchors = Anchors::default();
    look.array(value, path, "P7", |look, item, at| {
        anchors.all += 1;
        match anchor(&item, at, look) {
            Some(Place::Json) => anchors.by_pointer += 1,
            Some(Place::Lines) => anchors.by_lines += 1,
            Some(Place::Other) | None => {}
        }
    });
    anchors
}

/// One piece of evidence. Gives where in its source it points to.
fn anchor(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Option<Place> {
    const REQUIRED: [&str; 3] = ["schema_version", "field", "source"];
    let (mut found, mut method) = (None, None);
    let mut seen = Vec::new();
    let is_object = look.object(value, path, "P1", |look, name, value, at| {
        seen.extend(REQUIRED.iter().find(|required| **required == name));
        match name {
            "schema_version" => mark(&value, at, "evidence.v0.1", look),
            "field" => {
                look.text_within(&value, at, "P1", (1, 200));
            }
            "source" => found = source(&value, at, look),
            "method" => method = look.text_within(&value, at, "P7", (1, 200)),
            "note" => {
                look.text_within(&value, at, "P1", (0, 400));
            }
            _ => look.unknown(at, "P1"),
        }
    });
    for name in REQUIRED.iter().filter(|_| is_object) {
        look.need(seen.contains(&name), path, name, "P1");
    }
    if let Some(method) = method.filter(|method| !method.is_empty()) {
        judge_id(&method, &path.name("method"), look);
        judge_place(&method, found, &path.name("source"), look);
    }
    found
}

/// P7: evidence points to where its method found it.
fn judge_place(method: &str, found: Option<Place>, at: &Path<'_>, look: &mut Look) {
    let message = match (method, found) {
        (JSON_POINTER, Some(Place::Lines | Place::Other)) => {
            "must end in `#json:/...`, since a JSON pointer is the method"
        }
        (TEXT_LINES, Some(Place::Json | Place::Other)) => {
            "must end in `#text:line:a-b`, since lines of a text are the method"
        }
        _ => return,
    };
    look.disprove(at, "method-condition", "P7", message);
}

/// Where in its source a piece of evidence points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// `#json:/...`
    Json,
    /// `#text:line:a-b`
    Lines,
    /// The source as a whole, or a form that is not known here.
    Other,
}

const JSON: &str = "#json:";
const LINES: &str = "#text:line:";

/// P7: an artifact and a place in it, or a source of another form. `None` if it is malformed.
fn source(value: &RawJson, at: &Path<'_>, look: &mut Look) -> Option<Place> {
    let text = look.text_within(value, at, "P7", (1, 1000)).filter(|text| !text.is_empty())?;
    let artifact = text.strip_prefix("artifact:");
    let place = place(&text);
    let message = match place {
        _ if artifact.is_some_and(|id| id.is_empty() || id.starts_with('#')) => {
            "must name an artifact after `artifact:`"
        }
        Ok(place) => return Some(place),
        // What is no artifact may have other rules.
        Err(_) if artifact.is_none() => return Some(Place::Other),
        Err(JSON) => "must have a JSON pointer after `#json:`, which starts with a slash",
        Err(_) => "must have a line, or a first and a last one, after `#text:line:`",
    };
    look.disprove(at, "anchor", "P7", message);
    None
}

/// The place that the fragment of a source tells, or the form that is malformed.
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

/// RFC 6901, but for the pointer to the whole.
fn is_pointer(text: &str) -> bool {
    let is_escape = |rest: &str| rest.starts_with(['0', '1']);
    text.starts_with('/') && text.split('~').skip(1).all(is_escape)
}

/// A line, or the first and the last.
fn are_lines(text: &str) -> bool {
    // The first line is line 1.
    let is_number = |text: &str| {
        text.bytes().all(|it| it.is_ascii_digit()) && !text.trim_start_matches('0').is_empty()
    };
    match text.split_once('-') {
        None => is_number(text),
        Some((first, last)) => is_number(first) && is_number(last) && order(first, last).is_le(),
    }
}

/// The order of two numbers of any length.
fn order(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::{JSON, LINES, Place, place};

    #[test]
    fn sources_point_to_places() {
        for (source, expected) in [
            ("artifact:a", Ok(Place::Other)),
            ("artifact:a#page:3", Ok(Place::Other)),
            ("artifact:a#json:/", Ok(Place::Json)),
            ("artifact:a#json:/fix/1", Ok(Place::Json)),
            ("artifact:a#json:/a~1b/c~0d/#text:line:x", Ok(Place::Json)),
            ("artifact:sha256:00#x#json:/a", Ok(Place::Json)),
            ("artifact:a#json:", Err(JSON)),
            ("artifact:a#json:fix", Err(JSON)),
            ("artifact:a#json:/a~2", Err(JSON)),
            ("artifact:a#json:/a~", Err(JSON)),
            ("artifact:a#text:line:12", Ok(Place::Lines)),
            ("artifact:a#text:line:12-14", Ok(Place::Lines)),
            ("artifact:a#text:line:12-12", Ok(Place::Lines)),
            ("artifact:a#text:line:0099-100000000000000000000000000", Ok(Place::Lines)),
            ("artifact:a#text:line:", Err(LINES)),
            ("artifact:a#text:line:0", Err(LINES)),
            ("artifact:a#text:line:0-3", Err(LINES)),
            ("artifact:a#text:line:x", Err(LINES)),
            ("artifact:a#text:line:1-", Err(LINES)),
            ("artifact:a#text:line:-1", Err(LINES)),
            ("artifact:a#text:line:1-2-3", Err(LINES)),
            ("artifact:a#text:line:14-12", Err(LINES)),
            ("artifact:a#text:line:100-99", Err(LINES)),
            ("artifact:a#text:line:1#json:/a", Err(LINES)),
        ] {
            assert_eq!(place(source), expected, "{source}");
        }
    }
}
