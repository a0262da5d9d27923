//! Reading the `meta` of `response-v2` (R4–R6, R10).

use std::collections::BTreeSet;
use std::time::Duration;

use super::meta;
use crate::contract::facts_read;
use crate::outcome::{
    Call, Fidelity, Notes, Receipt, Reduction, Run, Severity, Truncation, UpgradeHint, Warning,
    milliseconds,
};
use crate::raw_json::{JsonObject, Kind, RawJson};
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::report::take::as_number;

/// The facts in `meta`.
#[derive(Default)]
pub(super) struct ParsedMeta {
    pub(super) call: Call,
    pub(super) notes: Notes,
    pub(super) run: Option<Run>,
    pub(super) receipt: Receipt,
}

/// The order of Manila's own members after those of the contract. A member at another position is
/// not Manila's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Contract,
    Metadata,
    UpgradeHints,
    Run,
    Extra,
}

/// Reads `meta`.
pub(super) fn meta(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> ParsedMeta {
    let mut read = ParsedMeta::default();
    let mut fidelity = ParsedFidelity::default();
    let (mut messages, mut details) = (Vec::new(), Vec::new());
    let mut has_version = false;
    let mut last = Rank::Contract;
    let mut extra = BTreeSet::new();
    // One bit for each member that the contract defines.
    let mut present = 0u32;
    let is_object = findings.open_object(value, path, "R4", |findings, name, value, at| {
        let bit = meta::reserved_index(name).map_or(0, |place| 1u32 << place);
        if present & bit != 0 {
            return findings.reject(at, "unique", "R4", "is given twice");
        }
        present |= bit;
        let notes = &mut read.notes;
        match name {
            "version" => {
                has_version = true;
                findings.expect_text(&value, "response-v2", at, "R4");
            }
            "request_id" => read.call.request_id = findings.text(&value, at, "R5"),
            "warnings" => messages = findings.texts(&value, at, "R5").unwrap_or_default(),
            "warning_details" => details = warning_details(&value, at, findings),
            "pagination" => notes.pagination = open_object(value, at, PAGINATION, findings),
            "rate_limit" => notes.rate_limit = open_object(value, at, RATE_LIMIT, findings),
            "telemetry" => notes.telemetry = open_object(value, at, TELEMETRY, findings),
            "content_fidelity" => fidelity.level = findings.text(&value, at, "R6"),
            "content_fidelity_schema_version" => {
                fidelity.version = findings.text(&value, at, "R6");
            }
            "dropped_content_ids" => fidelity.dropped = findings.texts(&value, at, "R5"),
            "content_archive_hashes" => fidelity.archives = findings.pairs(&value, at, "R5"),
            _ => {
                let rank = read_own_member(name, &value, last, &mut read);
                last = last.max(rank);
                if rank == Rank::Extra {
                    extra.insert(name.to_owned());
                }
            }
        }
    });
    findings.require(has_version || !is_object, path, "version", "R4");
    let id_bit = meta::reserved_index("request_id").map_or(0, |place| 1u32 << place);
    if is_object && present & id_bit == 0 {
        let message = "should be present, so that the call can be found in logs";
        findings.advise(&path.name("request_id"), "recommended", "R5", message);
    }
    read.notes.warnings = merge_warnings(messages, details, path, findings);
    take_receipt(&mut read);
    take_duration(&mut read);
    read.notes.fidelity = fidelity.into_fidelity(path, findings);
    if extra.is_empty() {
        return read;
    }
    read.notes.meta = JsonObject::build(|object| {
        for member in value.members().filter(|member| extra.contains(member.key().as_ref())) {
            object.token_member(member.key_token(), &member.value());
        }
    });
    read
}

/// Reads a member that Manila adds to the contract, and returns its rank. A member that Manila
/// would write differently is an extra one.
fn read_own_member(name: &str, value: &RawJson, last: Rank, read: &mut ParsedMeta) -> Rank {
    match name {
        "metadata" if last < Rank::Metadata => {
            let Some(pairs) = plain_pairs(value) else { return Rank::Extra };
            read.notes.metadata = pairs;
            Rank::Metadata
        }
        "upgrade_hints" if last < Rank::UpgradeHints => {
            let Some(hints) = plain_hints(value) else { return Rank::Extra };
            read.notes.upgrade_hints = hints;
            Rank::UpgradeHints
        }
        "run" if last < Rank::Run => {
            let Some(run) = plain_run(value) else { return Rank::Extra };
            read.run = Some(run);
            Rank::Run
        }
        _ => Rank::Extra,
    }
}

fn plain_pairs(value: &RawJson) -> Option<Vec<(String, String)>> {
    let mut seen = BTreeSet::new();
    let pair = |member: crate::raw_json::Member<'_>| {
        let name = facts_read::plain(&member.key_value())?;
        seen.insert(name.clone()).then_some((name, facts_read::plain(&member.value())?))
    };
    let pairs: Vec<_> = value.members().map(pair).collect::<Option<_>>()?;
    (!pairs.is_empty()).then_some(pairs)
}

fn plain_hints(value: &RawJson) -> Option<Vec<UpgradeHint>> {
    let hint = |item: RawJson| match <[_; 3]>::try_from(plain_pairs(&item)?).ok()? {
        [(a, feature), (b, tier), (c, reason)]
            if (a.as_str(), b.as_str(), c.as_str()) == ("feature", "tier", "reason") =>
        {
            Some(UpgradeHint { feature, tier, reason })
        }
        _ => None,
    };
    let hints: Vec<_> = value.items().map(hint).collect::<Option<_>>()?;
    (!hints.is_empty()).then_some(hints)
}

fn plain_run(value: &RawJson) -> Option<Run> {
    let mut run = Run::default();
    let mut names = Vec::new();
    for member in value.members() {
        let (name, value) = (member.key(), member.value());
        match name.as_ref() {
            "command" => run.command = Some(facts_read::plain(&value)?),
            "stderr" => run.stderr = facts_read::plain(&value).filter(|text| !text.is_empty())?,
            "truncated" if value.as_bytes() == b"true" => run.truncation = Truncation::Truncated,
            _ => return None,
        }
        names.push(name);
    }
    let is_ordered = ["command", "stderr", "truncated"]
        .into_iter()
        .filter(|name| names.iter().any(|known| known == name))
        .eq(names.iter().map(AsRef::as_ref));
    (value.kind() == Kind::Object && !names.is_empty() && is_ordered).then_some(run)
}

/// The required type of a member of an open object, if it is present.
#[derive(Clone, Copy)]
enum MemberType {
    Bool,
    Text,
    TextOrNull,
    /// A number that is not negative.
    Number,
    Integer,
    /// An integer that is not negative.
    Count,
}

/// R5: the members that the contract defines in an object that may have others.
type KnownMembers = &'static [(&'static str, MemberType)];

const PAGINATION: KnownMembers = &[
    ("cursor", MemberType::TextOrNull),
    ("has_more", MemberType::Bool),
    ("total_count", MemberType::Count),
    ("page_size", MemberType::Count),
];
const RATE_LIMIT: KnownMembers = &[
    ("limit", MemberType::Integer),
    ("remaining", MemberType::Integer),
    ("reset_at", MemberType::Text),
    ("period", MemberType::Text),
    ("retry_after", MemberType::Number),
];
const TELEMETRY: KnownMembers =
    &[("duration_ms", MemberType::Number), ("downstream_calls", MemberType::Count)];

fn open_object(
    value: RawJson,
    path: &Path<'_>,
    known: KnownMembers,
    findings: &mut Findings,
) -> Option<JsonObject> {
    findings.open_object(&value, path, "R5", |findings, name, value, at| {
        let known = known.iter().find(|(known, _)| *known == name);
        match known.map(|(_, is)| is) {
            None => {}
            Some(MemberType::Bool) => drop(findings.bool(&value, at, "R5")),
            Some(MemberType::TextOrNull) if value.kind() == Kind::Null => {}
            Some(MemberType::Text | MemberType::TextOrNull) => {
                drop(findings.text(&value, at, "R5"));
            }
            Some(MemberType::Number) => drop(findings.number(&value, at, "R5", Some(0.0))),
            Some(MemberType::Integer) => drop(findings.integer(&value, at, "R5", None)),
            Some(MemberType::Count) => drop(findings.integer(&value, at, "R5", Some(0.0))),
        }
    });
    // R5: an empty object is accepted, and treated as absent.
    JsonObject::new(value).filter(|object| !object.is_empty())
}

fn warning_details(value: &RawJson, path: &Path<'_>, findings: &mut Findings) -> Vec<Warning> {
    let mut details = Vec::new();
    findings.array(value, path, "R5", |findings, item, at| {
        let mut warning = Warning::new("");
        let (mut has_message, mut has_code, mut has_severity) = (false, false, false);
        let is_object = findings.object(&item, at, "R5", |findings, name, value, at| {
            has_code |= name == "code";
            has_severity |= name == "severity";
            match name {
                "code" => warning.code = findings.text(&value, at, "R10"),
                "severity" => {
                    let names = Severity::ALL.map(Severity::name);
                    let name = findings.text(&value, at, "R5");
                    let name = name.filter(|name| findings.expect_one_of(name, &names, at, "R5"));
                    warning.severity = name.and_then(|name| Severity::from_name(&name));
                }
                "message" => {
                    has_message = true;
                    warning.message = findings.text(&value, at, "R5").unwrap_or_default();
                }
                "context" => {
                    warning.context = findings.json_object(value, at, "R5").unwrap_or_default();
                }
                _ => {
                    findings
                        .losses
                        .add("warning_details", "a warning has no place for further members");
                }
            }
        });
        findings.require(has_message || !is_object, at, "message", "R5");
        if is_object {
            advise_detail(has_code, has_severity, at, findings);
            details.push(warning);
        }
    });
    details
}

fn advise_detail(has_code: bool, has_severity: bool, at: &Path<'_>, findings: &mut Findings) {
    let recommended = [("code", has_code), ("severity", has_severity)];
    for (name, _) in recommended.into_iter().filter(|(_, is_there)| !is_there) {
        let at = at.name(name);
        let message = "should be present, so that programs can sort it";
        findings.advise(&at, "recommended", "R5", message);
    }
}

/// R10: returns the warnings in their order, each with its details if it has any.
fn merge_warnings(
    messages: Vec<String>,
    details: Vec<Warning>,
    path: &Path<'_>,
    findings: &mut Findings,
) -> Vec<Warning> {
    let mut details = details.into_iter().peekable();
    let mut warnings: Vec<Warning> = Vec::new();
    for message in messages {
        let detail = details.next_if(|detail| detail.message == message);
        warnings.push(detail.map_or_else(|| Warning::new(message), without_default_severity));
    }
    if details.peek().is_some() {
        let message = "should have the message of every warning with details, in their order";
        findings.advise(&path.name("warnings"), "recommended", "R10", message);
    }
    warnings.extend(details.map(without_default_severity));
    warnings
}

/// Removes a severity that is the default of the warning's code.
fn without_default_severity(warning: Warning) -> Warning {
    let without = Warning { severity: None, ..warning.clone() };
    let is_usual = warning.severity == Some(without.effective_severity());
    if is_usual && without.has_details() { without } else { warning }
}

/// Moves the last warning into the receipt, if it is about redacted secrets.
fn take_receipt(read: &mut ParsedMeta) {
    let last = read.notes.warnings.last();
    let Some(warning) = last.filter(|it| it.code.as_deref() == Some(meta::REDACTED)) else {
        return;
    };
    let rules = warning.context.get("rules");
    let finding = |member: crate::raw_json::Member<'_>| {
        let n = member.value().as_str().parse().ok()?;
        facts_read::is_rule(&member.key()).then(|| (member.key().into_owned(), n))
    };
    let findings = rules.map(|rules| rules.members().filter_map(finding).collect());
    let receipt = Receipt { findings: findings.unwrap_or_default() };
    let expected = meta::receipt(&receipt);
    let is_receipt = expected.is_some_and(|expected| {
        expected.code == warning.code
            && expected.message == warning.message
            && expected.context == warning.context
            && expected.effective_severity() == warning.effective_severity()
    });
    if is_receipt {
        read.receipt = receipt;
        read.notes.warnings.pop();
    }
}

/// Reads the duration of the call from the telemetry. If it is the last member and in Manila's
/// form, it is removed from there; otherwise it stays.
fn take_duration(read: &mut ParsedMeta) {
    let Some(telemetry) = &read.notes.telemetry else { return };
    let Some(value) = telemetry.get("duration_ms") else { return };
    let duration = as_number(&value).map(|ms| ms / 1000.0);
    let duration = duration.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    read.call.duration = duration;
    let is_last = telemetry.members().last().is_some_and(|last| last.is("duration_ms"));
    if is_last && duration.is_some_and(|duration| milliseconds(duration) == value) {
        let is_only = telemetry.members().nth(1).is_none();
        read.notes.telemetry = (!is_only).then(|| telemetry.without("duration_ms"));
    }
}

/// R6: the members about the completeness of the result.
#[derive(Default)]
struct ParsedFidelity {
    level: Option<String>,
    version: Option<String>,
    dropped: Option<Vec<String>>,
    archives: Option<Vec<(String, String)>>,
}

impl ParsedFidelity {
    fn into_fidelity(self, path: &Path<'_>, findings: &mut Findings) -> Fidelity {
        let at = &path.name("content_fidelity");
        let dropped = self.dropped.unwrap_or_default();
        let archives = self.archives.unwrap_or_default();
        let level = match self.level.as_deref() {
            None | Some("full") => None,
            Some(name) => {
                let names = ["full", "partial", "summary", "reference_only"];
                findings.expect_one_of(name, &names, at, "R6");
                Reduction::ALL.into_iter().find(|level| level.name() == name)
            }
        };
        let Some(level) = level else {
            if !dropped.is_empty() || !archives.is_empty() || self.version.is_some() {
                let why = "dropped content is recorded only if the fidelity is not full";
                findings.losses.add("fidelity", why);
            }
            return Fidelity::Full;
        };
        let at = &path.name("content_fidelity_schema_version");
        match self.version.as_deref() {
            None => findings.require(false, path, "content_fidelity_schema_version", "R6"),
            Some(version) => drop(findings.expect_one_of(version, &["1.0"], at, "R6")),
        }
        Fidelity::Reduced { level, dropped, archives }
    }
}
