//! MCP results: structured content, text that may be JSON, and media.

use super::{Media, Seen, answer, enveloped, failed};
use crate::catalogue::Code;
use crate::contract::unmarked;
use crate::observed::{Broken, McpResult, Part};
use crate::outcome::{Ended, Failure, Payload};
use crate::raw_json::{Emit, JsonObject, Kind, RawJson};
use crate::stage::classify::code_from_text;
use crate::subject::Contract;

pub(super) fn result(result: McpResult, media: Media, speaks: Option<Contract>) -> Seen {
    let McpResult { structured, is_error, parts, broken, raw, .. } = result;
    if let Some(broken) = broken {
        // What cannot be taken apart is kept whole.
        return Seen::ended(failed(invalid(&broken), Payload::Json(raw)));
    }
    let blocks: Vec<RawJson> = parts.iter().filter_map(Part::media).cloned().collect();
    // A large text is taken for JSON once, whoever asks for it.
    let in_text = if structured.is_none() { only_text(&parts).and_then(parsed) } else { None };
    // An envelope stands alone, or as the only text beside media.
    let answer = structured.as_ref().or(in_text.as_ref());
    if let Some(seen) = answer.and_then(|json| enveloped(json, is_error, speaks)) {
        return Seen { blocks, ..seen };
    }
    let is_structured = structured.is_some();
    let (payload, blocks) = match (structured, media) {
        // Structured content is the payload, and is not touched to name the media beside it.
        (Some(structured), _) => (Payload::Json(structured), blocks),
        (None, Media::Beside) => (payload(&parts, in_text.as_ref(), media), blocks),
        (None, Media::Inline) => (payload(&parts, in_text.as_ref(), media), Vec::new()),
    };
    let ended = match (is_error, is_structured) {
        (false, _) => done(payload),
        (true, true) => said_failed(payload, Says::More, &parts),
        (true, false) => said_failed(payload, Says::of(&parts, in_text.as_ref()), &parts),
    };
    Seen { blocks, ..Seen::ended(ended) }
}

/// What an answer says that already is an envelope. One that speaks of a success where the
/// result speaks of a failure is not believed.
fn enveloped(json: &RawJson, is_error: bool, speaks: Option<Contract>) -> Option<Seen> {
    let seen = enveloped::seen(json, speaks)?;
    let is_done = matches!(seen.ended, Ended::Done(_));
    (!is_error || !is_done).then_some(seen)
}

/// The token of the only text.
fn only_text(parts: &[Part]) -> Option<&RawJson> {
    let mut texts = parts.iter().filter_map(|part| match part {
        Part::Text(token) => Some(token),
        Part::Media { .. } => None,
    });
    texts.next().filter(|_| texts.next().is_none())
}

/// What a payload says, compared with the texts of its result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// The texts, and nothing else.
    Texts,
    /// Something that is not among the texts, or what one of them holds.
    More,
}

impl Says {
    /// What a payload that was made of these parts says, and of the JSON in the only text.
    fn of(parts: &[Part], in_text: Option<&RawJson>) -> Says {
        match parts {
            [Part::Text(_)] if in_text.is_some() => Says::More,
            parts if parts.iter().all(|part| part.media().is_none()) => Says::Texts,
            _ => Says::More,
        }
    }
}

fn done(payload: Payload) -> Ended {
    match payload {
        Payload::Json(json) => answer::answered(json),
        other @ (Payload::Absent | Payload::Text(_)) => Ended::Done(other),
    }
}

/// `isError`: the text is the message; a payload that says more than the text is kept as
/// what was left.
fn said_failed(payload: Payload, says: Says, parts: &[Part]) -> Ended {
    let text = parts.iter().filter_map(Part::text).collect::<Vec<_>>().join("\n");
    match (payload, says) {
        (Payload::Json(json), _) if json.kind() == Kind::Object => {
            let failure = answer::failure(&json, Some(&text));
            failed(failure, Payload::Json(unmarked(json)))
        }
        (payload, Says::More) => failed(Failure::new(code_from_text(&text), text), payload),
        (_, Says::Texts) => failed(Failure::new(code_from_text(&text), text), Payload::Absent),
    }
}

/// The payload of a result without structured content. Only a single text can be the answer
/// itself, as `in_text`; several are a list of texts.
fn payload(parts: &[Part], in_text: Option<&RawJson>, media: Media) -> Payload {
    let shown = |part: &Part| match (part, in_text) {
        (Part::Text(_), Some(json)) => json.clone(),
        (Part::Text(_), None) | (Part::Media { .. }, _) => part.shown(media),
    };
    match parts {
        [] => Payload::Absent,
        [part] => Payload::Json(shown(part)),
        several => {
            let mut out = Vec::new();
            several.iter().map(shown).collect::<Vec<_>>().emit(&mut out);
            Payload::Json(RawJson::written(out))
        }
    }
}

/// The JSON object or array that a text is, if it is one.
fn parsed(token: &RawJson) -> Option<RawJson> {
    // Most texts are no JSON, and their first letter shows it. White space may be escaped.
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

fn invalid(broken: &Broken) -> Failure {
    let Broken { pointer, rule } = broken;
    let message = format!("The tool's answer is no MCP result: {pointer} {rule}");
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

    /// How the part stands in a payload.
    fn shown(&self, media: Media) -> RawJson {
        match (self, media) {
            (Part::Text(token), _) => token.clone(),
            (Part::Media { block, .. }, Media::Inline) => block.clone(),
            (Part::Media { block, index }, Media::Beside) => named(block, *index).as_raw().clone(),
        }
    }
}

/// A media block by name: what it is, how large, and where it stands.
fn named(block: &RawJson, index: u64) -> JsonObject {
    // An embedded resource keeps its facts one level down.
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
