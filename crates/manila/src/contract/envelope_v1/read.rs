//! Reading `envelope-v1`.

use std::time::Duration;

use super::code::ERROR_CODES;
use super::{CAPABILITY, MEMBERS, message};
use crate::catalogue::Code;
use crate::contract::code_lines::plain_lines;
use crate::contract::facts_read::{self, FactsRead};
use crate::contract::read::check_double_wrapping;
use crate::contract::{Contract, code_from_spelling};
use crate::outcome::{
    Call, Ended, Failure, NonEmpty, Notes, Outcome, Payload, Tier, UpgradeHint, non_blank,
};
use crate::raw_json::{JsonObject, Kind, RawJson, TopLevel};
use crate::report::collect::Findings;
use crate::report::path::Path;

/// E1: reads the nine members.
pub(super) fn read(envelope: TopLevel<'_>, findings: &mut Findings) -> Outcome {
    let root = &Path::ROOT;
    let (mut call, mut notes) = (Call::default(), Notes::default());
    let (mut error, mut data, mut duration) = (None, None, None);
    let mut seen = Vec::with_capacity(MEMBERS.len());
    let is_object = findings.document(envelope, "E1", |findings, name, value, at| {
        seen.extend(MEMBERS.iter().find(|known| **known == name));
        match name {
            "tier" => call.tier = tier(&value, at, findings),
            "tool_version" => call.tool_version = read_known_text(&value, at, "0.0.0", findings),
            "tool_id" => call.tool_id = read_known_text(&value, at, "unknown", findings),
            "request_id" => call.request_id = findings.text(&value, at, "E3"),
            "capabilities" => call.capabilities = capabilities(&value, at, findings),
            "duration_ms" => duration = Some(value),
            "error" => error = fault(&value, at, findings),
            "upgrade_hints" => notes.upgrade_hints = hints(&value, at, findings),
            "data" => data = Some(value),
            _ => findings.reject_unknown(at, "E1"),
        }
    });
    for name in MEMBERS.iter().filter(|name| is_object && !seen.contains(name)) {
        // E5: the community tier may omit the duration.
        findings.require(*name == "duration_ms", root, name, "E1");
    }
    call.duration = duration_ms(duration.as_ref(), call.tier, findings);
    let data = data.filter(|data| !data.is_null());
    if let Some(data) = &data {
        check_double_wrapping(data, Contract::EnvelopeV1, &root.name("data"), "E8", findings);
    }
    let payload = data.map_or(Payload::Absent, Payload::Json);
    let ended = match error {
        None => {
            if matches!(&payload, Payload::Json(data) if data.reports_failure()) {
                let message = "must not be null if the payload reports `success: false`";
                findings.reject(&root.name("error"), "error-on-failure", "E8", message);
            }
            Ended::Done(payload)
        }
        Some(failures) => Ended::Failed { failures, partial: payload },
    };
    Outcome { call, notes, ..Outcome::new(ended) }
}

/// E2: reads a tier, which must be spelled exactly.
fn tier(value: &RawJson, at: &Path<'_>, findings: &mut Findings) -> Tier {
    let name = findings.text(value, at, "E2").unwrap_or_default();
    if value.kind() == Kind::String {
        findings.expect_one_of(&name, &Tier::ALL.map(Tier::name), at, "E2");
    }
    Tier::from_name(&name)
}

/// E2: reads a text, unless it is the placeholder for an unknown value.
fn read_known_text(
    value: &RawJson,
    at: &Path<'_>,
    unknown: &str,
    findings: &mut Findings,
) -> Option<String> {
    findings.text(value, at, "E2").filter(|text| text != unknown && non_blank(Some(text)).is_some())
}

/// E4: reads the capabilities; `None` if they are only the contract's own.
fn capabilities(value: &RawJson, at: &Path<'_>, findings: &mut Findings) -> Option<Vec<String>> {
    let list = findings.texts(value, at, "E4")?;
    if !list.iter().any(|it| it == CAPABILITY) {
        findings.advise(at, "recommended", "E4", "should name `envelope-v1`");
    }
    (list != [CAPABILITY]).then_some(list)
}

/// E5: reads the duration, which paid tiers require.
fn duration_ms(value: Option<&RawJson>, tier: Tier, findings: &mut Findings) -> Option<Duration> {
    let at = &Path::ROOT.name("duration_ms");
    let is_paid = match tier {
        Tier::Community => false,
        Tier::Pro | Tier::Enterprise => true,
    };
    let Some(value) = value.filter(|value| is_paid || !value.is_null()) else {
        findings.require(!is_paid, &Path::ROOT, "duration_ms", "E5");
        return None;
    };
    let ms = findings.number(value, at, "E5", Some(0.0))?;
    if ms.fract() != 0.0 {
        findings.advise(at, "whole-milliseconds", "E5", "should be whole milliseconds");
    }
    let exact = value.as_str().parse().ok().map(Duration::from_millis);
    let duration = exact.or_else(|| Duration::try_from_secs_f64(ms / 1000.0).ok());
    findings.losses.add_if(duration.is_none(), "duration_ms");
    duration
}

/// E6: reads the error, which is `null` or an object.
fn fault(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Option<NonEmpty<Failure>> {
    if value.is_null() {
        return None;
    }
    let (mut text, mut word, mut details) = (None, None, None);
    let is_object = findings.object(value, path, "E6", |findings, name, value, at| match name {
        "error" => {
            let message = findings.text(&value, at, "E6");
            if let Some(message) = &message {
                check_message(message, at, findings);
            }
            text = Some(message.unwrap_or_default());
        }
        "error_code" => {
            let text = findings.text(&value, at, "E7");
            if let Some(text) = &text {
                findings.expect_one_of(text, &ERROR_CODES, at, "E7");
            }
            word = Some(text.unwrap_or_default());
        }
        "error_details" if value.is_null() => details = Some(None),
        "error_details" => details = Some(findings.json_object(value, at, "E6")),
        _ => findings.losses.add("error", "an error has no place for further members"),
    });
    if is_object {
        findings.require(text.is_some(), path, "error", "E6");
        findings.require(word.is_some(), path, "error_code", "E6");
        findings.require(details.is_some(), path, "error_details", "E6");
    }
    let (text, word) = (text.unwrap_or_default(), word.unwrap_or_default());
    let code = code_from_spelling(&word).unwrap_or(Code::ToolFailed);
    Some(failures(code, text, details.flatten(), findings))
}

/// E6: checks that a message is one line without source code.
fn check_message(text: &str, at: &Path<'_>, findings: &mut Findings) {
    if text.is_empty() {
        findings.reject(at, "minLength", "E6", "must not be empty");
        return;
    }
    let n_lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if plain_lines(text).count() < n_lines {
        findings.reject(at, "no-code", "E6", "must not show lines of code");
    } else if message::first_line(text).as_deref() != Some(text.trim()) {
        findings.advise(at, "one-line", "E6", "should be one line of at most 500 characters");
    }
}

fn failures(
    code: Code,
    text: String,
    details: Option<JsonObject>,
    findings: &Findings,
) -> NonEmpty<Failure> {
    let mut facts = FactsRead::of(details, findings);
    let others = facts.take("errors", facts_read::others).unwrap_or_default();
    let mut failure = Failure::new(code, text);
    failure.alternatives = facts.find("alternatives", facts_read::texts).unwrap_or_default();
    failure.hint = facts.find("remediation", facts_read::text).map(Into::into);
    failure.origin_code = facts.find("origin_code", facts_read::text);
    failure.retry_after = facts.find("retry_after_seconds", facts_read::delay);
    failure.details = facts.into_details();
    NonEmpty::new(failure, others)
}

/// E9: reads the upgrade hints.
fn hints(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Vec<UpgradeHint> {
    let mut hints = Vec::new();
    findings.array(value, path, "E9", |findings, item, at| {
        let (mut feature, mut tier, mut reason) = (None, None, None);
        let is_object = findings.object(&item, at, "E9", |findings, name, value, at| {
            let place = match name {
                "feature" => &mut feature,
                "tier" => &mut tier,
                "reason" => &mut reason,
                _ => return findings.losses.add("upgrade_hints", "a hint has three members"),
            };
            *place = Some(findings.text(&value, at, "E9").unwrap_or_default());
        });
        if is_object {
            findings.require(feature.is_some(), at, "feature", "E9");
            findings.require(tier.is_some(), at, "tier", "E9");
            findings.require(reason.is_some(), at, "reason", "E9");
        }
        if let (Some(feature), Some(tier), Some(reason)) = (feature, tier, reason) {
            hints.push(UpgradeHint { feature, tier, reason });
        }
    });
    hints
}
