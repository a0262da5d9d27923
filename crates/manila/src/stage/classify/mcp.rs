//! MCP results: structured content, text that may be JSON, and media.

use super::{Classified, Media, answer, envelope, fail};
use crate::catalogue::Code;
use crate::contract::wrap_if_marked;
use crate::document_kind::Contract;
use crate::observed::{BrokenRule, McpResult, Part};
use crate::outcome::{Ended, Failure, Payload};
use crate::raw_json::{Emit, JsonObject, Kind, RawJson};
use crate::stage::classify::code_from_text;

pub(super) fn classify_result(
    result: McpResult,
    media: Media,
    speaks: Option<Contract>,
) -> Classified {
    let McpResult { structured, is_error, parts, broken, raw, .. } = result;
    if let Some(broken) = broken {
        // A result that cannot be parsed is kept unchanged.
        return Classified::from_ended(fail(invalid_result(&broken), Payload::Json(raw)));
    }
    let blocks: Vec<RawJson> = parts.iter().filter_map(Part::media).cloned().collect();
    // Parsed once, because a text may be large.
    let in_text = if structured.is_none() { only_text(&parts).and_then(parse_text) } else { None };
    // An envelope is the structured content, or the only text beside media.
    let json = structured.as_ref().or(in_text.as_ref());
    if let Some(classified) = json.and_then(|json| classify_enveloped(json, is_error, speaks)) {
        return Classified { blocks, ..classified };
    }
    let is_structured = structured.is_some();
    let (payload, blocks) = match (structured, media) {
        // Structured content is the payload, and gets no references to the media beside it.
        (Some(structured), _) => (Payload::Json(structured), blocks),
        (None, Media::Beside) => (payload(&parts, in_text.as_ref(), media), blocks),
        (None, Media::Inline) => (payload(&parts, in_text.as_ref(), media), Vec::new()),
    };
    let ended = match (is_error, is_structured) {
        (false, _) => classify_payload(payload),
        (true, true) => classify_error_result(payload, PayloadContent::More, &parts),
        (true, false) => {
            classify_error_result(payload, PayloadContent::of(&parts, in_text.as_ref()), &parts)
        }
    };
    Classified { blocks, ..Classified::from_ended(ended) }
}

/// Classifies a result that already is an envelope. Returns `None` for an envelope that reports
/// success in a result with `isError`.
fn classify_enveloped(
    json: &RawJson,
    is_error: bool,
    speaks: Option<Contract>,
) -> Option<Classified> {
    let classified = envelope::classify_envelope(json, speaks)?;
    let is_done = matches!(classified.ended, Ended::Done(_));
    (!is_error || !is_done).then_some(classified)
}

/// Returns the token of the only text.
fn only_text(parts: &[Part]) -> Option<&RawJson> {
    let mut texts = parts.iter().filter_map(|part| match part {
        Part::Text(token) => Some(token),
        Part::Media { .. } => None,
    });
    texts.next().filter(|_| texts.next().is_none())
}

/// The content of a payload, compared with the texts of its result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PayloadContent {
    /// Only the texts.
    Texts,
    /// Content other than the texts, or the JSON in the only text.
    More,
}

impl PayloadContent {
    /// Returns the content of a payload made from these parts and the JSON in the only text.
    fn of(parts: &[Part], in_text: Option<&RawJson>) -> PayloadContent {
        match parts {
            [Part::Text(_)] if in_text.is_some() => PayloadContent::More,
            parts if parts.iter().all(|part| part.media().is_none()) => PayloadContent::Texts,
            _ => PayloadContent::More,
        }
    }
}

fn classify_payload(payload: Payload) -> Ended {
    match payload {
        Payload::Json(json) => answer::classify_answer(json),
        other @ (Payload::Absent | Payload::Text(_)) => Ended::Done(other),
    }
}

/// Classifies a result with `isError`: the text is the message. A payload with more content than
/// the text is kept as the partial result.
fn classify_error_result(payload: Payload, content: PayloadContent, parts: &[Part]) -> Ended {
    let mut texts = parts.iter().filter_map(Part::text);
    let mut text = texts.next().unwrap_or_default();
    for further in texts {
        text.push('\n');
        text.push_str(&further);
    }
    match (payload, content) {
        (Payload::Json(json), _) if json.kind() == Kind::Object => {
            let failure = answer::failure(&json, Some(&text));
            fail(failure, Payload::Json(wrap_if_marked(json)))
        }
        (payload, PayloadContent::More) => fail(Failure::new(code_from_text(&text), text), payload),
        (_, PayloadContent::Texts) => {
            fail(Failure::new(code_from_text(&text), text), Payload::Absent)
        }
    }
}

/// Returns the payload of a result, even if the result is an envelope or an error.
pub(crate) fn payload_of(result: &McpResult) -> Payload {
    if let Some(structured) = &result.structured {
        return Payload::Json(structured.clone());
    }
    let in_text = only_text(&result.parts).and_then(parse_text);
    payload(&result.parts, in_text.as_ref(), Media::Beside)
}

/// Returns the payload of a result without structured content. Only a single text can be parsed as
/// JSON, which is `in_text`; several parts become an array.
fn payload(parts: &[Part], in_text: Option<&RawJson>, media: Media) -> Payload {
    let render = |part: &Part| match (part, in_text) {
        (Part::Text(_), Some(json)) => json.clone(),
        (Part::Text(_), None) | (Part::Media { .. }, _) => part.render(media),
    };
    match parts {
        [] => Payload::Absent,
        [part] => Payload::Json(render(part)),
        parts => {
            let mut out = Vec::new();
            parts.iter().map(render).collect::<Vec<_>>().emit(&mut out);
            Payload::Json(RawJson::from_compact(out))
        }
    }
}

/// Parses a text that is a JSON object or array.
fn parse_text(token: &RawJson) -> Option<RawJson> {
    // The first character rules out most texts. White space before it may be escaped.
    let inside = token.as_bytes().get(1..).unwrap_or_default().trim_ascii_start();
    if !matches!(inside.first(), Some(b'{' | b'[' | b'\\')) {
        return None;
    }
    let text = token.as_exact_text()?;
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    RawJson::parse_payload(text.into_owned()).ok()
}

fn invalid_result(broken: &BrokenRule) -> Failure {
    let BrokenRule { pointer, rule } = broken;
    let message = format!("The tool's result is not an MCP result: {pointer} {rule}");
    let mut failure = Failure::new(Code::InvalidToolOutput, message);
    failure.details = JsonObject::build(|object| {
        object.member("pointer", pointer);
        object.member("rule", *rule);
    });
    failure
}

impl Part {
    fn text(&self) -> Option<String> {
        match self {
            Part::Text(token) => token.as_text().map(std::borrow::Cow::into_owned),
            Part::Media { .. } => None,
        }
    }

    fn media(&self) -> Option<&RawJson> {
        match self {
            Part::Text(_) => None,
            Part::Media { block, .. } => Some(block),
        }
    }

    /// Returns the part as it appears in a payload.
    fn render(&self, media: Media) -> RawJson {
        match (self, media) {
            (Part::Text(token), _) => token.clone(),
            (Part::Media { block, .. }, Media::Inline) => block.clone(),
            (Part::Media { block, index }, Media::Beside) => {
                media_reference(block, *index).as_raw().clone()
            }
        }
    }
}

/// Returns a reference to a media block: its type, size and index in `content`.
fn media_reference(block: &RawJson, index: u64) -> JsonObject {
    // An embedded resource has these members one level deeper.
    let inner = block.get("resource").unwrap_or_else(|| block.clone());
    JsonObject::build(|object| {
        object.member("type", &block.get("type"));
        object.member("mimeType", &inner.get("mimeType"));
        object.member("uri", &inner.get("uri"));
        object.member("bytes", &size(&inner));
        object.member("content", &index);
    })
}

fn size(block: &RawJson) -> Option<u64> {
    if let Some(base64) = block.get("data").or_else(|| block.get("blob")) {
        let text = base64.as_text()?;
        let n_digits = text.trim_end_matches('=').len() as u64;
        return Some(n_digits * 3 / 4);
    }
    block.get("text")?.as_text().map(|text| text.len() as u64)
}
