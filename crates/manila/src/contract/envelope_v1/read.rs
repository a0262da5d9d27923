//! Reading `envelope-v1`.

use std::time::Duration;

use super::code::WORDS;
use super::{CAPABILITY, MEMBERS, message};
use crate::catalogue::Code;
use crate::contract::code_lines::plain_lines;
use crate::contract::read::double_wrapped;
use crate::contract::told::{self, Told};
use crate::contract::{Contract, code_from_spelling};
use crate::outcome::{
    Call, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Tier, UpgradeHint, said,
};
use crate::raw_json::{JsonObject, Kind, Opened, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;

/// E1: nine members.
pub(super) fn read(envelope: Opened<'_>, look: &mut Look) -> Outcome {
    let root = &Path::ROOT;
    let (mut call, mut notes) = (Call::default(), Notes::default());
    let (mut error, mut data, mut duration) = (None, None, None);
    let mut seen = Vec::with_capacity(MEMBERS.len());
    let is_object = look.document(envelope, "E1", |look, name, value, at| {
        seen.extend(MEMBERS.iter().find(|known| **known == name));
        match name {
            "tier" => call.tier = tier(&value, at, look),
            "tool_version" => call.tool_version = known(&value, at, "0.0.0", look),
            "tool_id" => call.tool_id = known(&value, at, "unknown", look),
            "request_id" => call.request_id = look.text(&value, at, "E3"),
            "capabilities" => call.capabilities = capabilities(&value, at, look),
            "duration_ms" => duration = Some(value),
            "error" => error = fault(&value, at, look),
            "upgrade_hints" => notes.upgrade_hints = hints(&value, at, look),
            "data" => data = Some(value),
            _ => look.unknown(at, "E1"),
        }
    });
    for name in MEMBERS.iter().filter(|name| is_object && !seen.contains(name)) {
        // E5: community may leave it out.
        look.need(*name == "duration_ms", root, name, "E1");
    }
    call.duration = duration_ms(duration.as_ref(), call.tier, look);
    let data = data.filter(|data| !data.is_null());
    if let Some(data) = &data {
        double_wrapped(data, Contract::EnvelopeV1, &root.name("data"), "E8", look);
    }
    let payload = data.map_or(Payload::Absent, Payload::Json);
    let ended = match error {
        None => {
            if matches!(&payload, Payload::Json(data) if data.says_failed()) {
                let message = "must not be null where the payload says `success: false`";
                look.refuse(&root.name("error"), "error-on-failure", "E8", message);
            }
            Ended::Done(payload)
        }
        Some(failures) => Ended::Failed { failures, partial: payload },
    };
    Outcome { call, notes, ..Outcome::new(ended) }
}

/// E2: the names as they are written, and no others.
fn tier(value: &RawJson, at: &Path<'_>, look: &mut Look) -> Tier {
    let name = look.text(value, at, "E2").unwrap_or_default();
    if value.kind() == Kind::String {
        look.one_of(&name, &Tier::ALL.map(Tier::name), at, "E2");
    }
    Tier::from_name(&name)
}

/// E2: a text, unless it is the one that stands for nothing known.
fn known(value: &RawJson, at: &Path<'_>, unknown: &str, look: &mut Look) -> Option<String> {
    look.text(value, at, "E2").filter(|text| text != unknown && said(Some(text)).is_some())
}

/// E4: `None` for the contract and nothing else.
fn capabilities(value: &RawJson, at: &Path<'_>, look: &mut Look) -> Option<Vec<String>> {
    let list = look.texts(value, at, "E4")?;
    if !list.iter().any(|it| it == CAPABILITY) {
        look.advise(at, "recommended", "E4", "should name `envelope-v1`");
    }
    (list != [CAPABILITY]).then_some(list)
}

/// E5: a number for the paid tiers.
fn duration_ms(value: Option<&RawJson>, tier: Tier, look: &mut Look) -> Option<Duration> {
    let at = &Path::ROOT.name("duration_ms");
    let is_paid = match tier {
        Tier::Community => false,
        Tier::Pro | Tier::Enterprise => true,
    };
    let Some(value) = value.filter(|value| is_paid || !value.is_null()) else {
        look.need(!is_paid, &Path::ROOT, "duration_ms", "E5");
        return None;
    };
    let ms = look.number(value, at, "E5", Some(0.0))?;
    if ms.fract() != 0.0 {
        look.advise(at, "whole-milliseconds", "E5", "should be whole milliseconds");
    }
    let whole = value.as_str().parse().ok().map(Duration::from_millis);
    let duration = whole.or_else(|| Duration::try_from_secs_f64(ms / 1000.0).ok());
    look.losses.add_if(duration.is_none(), "duration_ms");
    duration
}

/// E6: `null`, or the error model.
fn fault(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Option<NonEmpty<Failure>> {
    if value.is_null() {
        return None;
    }
    let (mut text, mut word, mut details) = (None, None, None);
    let is_object = look.object(value, path, "E6", |look, name, value, at| match name {
        "error" => {
            let said = look.text(&value, at, "E6");
            if let Some(said) = &said {
                judge_message(said, at, look);
            }
            text = Some(said.unwrap_or_default());
        }
        "error_code" => {
            let text = look.text(&value, at, "E7");
            if let Some(text) = &text {
                look.one_of(text, &WORDS, at, "E7");
            }
            word = Some(text.unwrap_or_default());
        }
        "error_details" if value.is_null() => details = Some(None),
        "error_details" => details = Some(look.json_object(value, at, "E6")),
        _ => look.losses.add("error", "an error has no place for further members"),
    });
    if is_object {
        look.need(text.is_some(), path, "error", "E6");
        look.need(word.is_some(), path, "error_code", "E6");
        look.need(details.is_some(), path, "error_details", "E6");
    }
    let (text, word) = (text.unwrap_or_default(), word.unwrap_or_default());
    let code = code_from_spelling(&word).unwrap_or(Code::ToolFailed);
    Some(failures(code, text, details.flatten(), look))
}

/// E6: one line about what happened, and nobody's code.
fn judge_message(text: &str, at: &Path<'_>, look: &mut Look) {
    if text.is_empty() {
        look.refuse(at, "minLength", "E6", "must not be empty");
        return;
    }
    let n_lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if plain_lines(text).count() < n_lines {
        look.refuse(at, "no-code", "E6", "must not show lines of code");
    } else if message::first_line(text).as_deref() != Some(text.trim()) {
        look.advise(at, "one-line", "E6", "should be one line of at most 500 characters");
    }
}

fn failures(
    code: Code,
    text: String,
    details: Option<JsonObject>,
    look: &Look,
) -> NonEmpty<Failure> {
    let mut told = Told::of(details, look);
    let others = told.take("errors", told::others).unwrap_or_default();
    let mut failure = Failure::new(code, text);
    failure.alternatives = told.find("alternatives", told::texts).unwrap_or_default();
    failure.hint = told.find("remediation", told::text).map(Into::into);
    failure.origin_code = told.find("origin_code", told::text);
    failure.retry_after = told.find("retry_after_seconds", told::delay);
    failure.details = told.into_details();
    NonEmpty::new(failure, others)
}

/// E9
fn hints(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Vec<UpgradeHint> {
    let mut hints = Vec::new();
    look.array(value, path, "E9", |look, item, at| {
        let (mut feature, mut tier, mut reason) = (None, None, None);
        let is_object = look.object(&item, at, "E9", |look, name, value, at| {
            let place = match name {
                "feature" => &mut feature,
                "tier" => &mut tier,
                "reason" => &mut reason,
                _ => return look.losses.add("upgrade_hints", "a hint has three members"),
            };
            *place = Some(look.text(&value, at, "E9").unwrap_or_default());
        });
        if is_object {
            look.need(feature.is_some(), at, "feature", "E9");
            look.need(tier.is_some(), at, "tier", "E9");
            look.need(reason.is_some(), at, "reason", "E9");
        }
        if let (Some(feature), Some(tier), Some(reason)) = (feature, tier, reason) {
            hints.push(UpgradeHint { feature, tier, reason });
        }
    });
    hints
}
