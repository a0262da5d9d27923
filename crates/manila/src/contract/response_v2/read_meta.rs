//! Reading the `meta` of `response-v2` (R4–R6, R10).

use std::collections::BTreeSet;
use std::time::Duration;

use super::meta;
use crate::contract::told;
use crate::outcome::{
    Call, Cut, Fidelity, Notes, Receipt, Reduction, Run, Severity, UpgradeHint, Warning,
    milliseconds,
};
use crate::raw_json::{JsonObject, Kind, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;
use crate::report::take::as_number;

/// What `meta` says.
#[derive(Default)]
pub(super) struct MetaRead {
    pub(super) call: Call,
    pub(super) notes: Notes,
    pub(super) run: Option<Run>,
    pub(super) receipt: Receipt,
}

/// The order in which our own members stand behind the contract's. One that stands elsewhere is
/// somebody else's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Contract,
    Metadata,
    UpgradeHints,
    Run,
    Extra,
}

pub(super) fn meta(value: &RawJson, path: &Path<'_>, look: &mut Look) -> MetaRead {
    let mut read = MetaRead::default();
    let mut fidelity = FidelityRead::default();
    let (mut messages, mut details) = (Vec::new(), Vec::new());
    let mut has_version = false;
    let mut last = Rank::Contract;
    let mut extra = BTreeSet::new();
    // One bit for each member that the contract names.
    let mut given = 0u32;
    let is_object = look.open_object(value, path, "R4", |look, name, value, at| {
        let bit = meta::reserved_place(name).map_or(0, |place| 1u32 << place);
        if given & bit != 0 {
            return look.refuse(at, "unique", "R4", "is given twice");
        }
        given |= bit;
        let notes = &mut read.notes;
        match name {
            "version" => {
                has_version = true;
                look.this_text(&value, "response-v2", at, "R4");
            }
            "request_id" => read.call.request_id = look.text(&value, at, "R5"),
            "warnings" => messages = look.texts(&value, at, "R5").unwrap_or_default(),
            "warning_details" => details = warning_details(&value, at, look),
            "pagination" => notes.pagination = open_object(value, at, PAGINATION, look),
            "rate_limit" => notes.rate_limit = open_object(value, at, RATE_LIMIT, look),
            "telemetry" => notes.telemetry = open_object(value, at, TELEMETRY, look),
            "content_fidelity" => fidelity.level = look.text(&value, at, "R6"),
            "content_fidelity_schema_version" => {
                fidelity.version = look.text(&value, at, "R6");
            }
            "dropped_content_ids" => fidelity.dropped = look.texts(&value, at, "R5"),
            "content_archive_hashes" => fidelity.archives = look.pairs(&value, at, "R5"),
            _ => {
                let rank = ours(name, &value, last, &mut read);
                last = last.max(rank);
                if rank == Rank::Extra {
                    extra.insert(name.to_owned());
                }
            }
        }
    });
    look.need(has_version || !is_object, path, "version", "R4");
    let id_bit = meta::reserved_place("request_id").map_or(0, |place| 1u32 << place);
    if is_object && given & id_bit == 0 {
        let message = "should be there, so that the call can be found in logs";
        look.advise(&path.name("request_id"), "recommended", "R5", message);
    }
    read.notes.warnings = merged(messages, details, path, look);
    take_receipt(&mut read);
    take_duration(&mut read);
    read.notes.fidelity = fidelity.settle(path, look);
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

/// Reads a member that is ours and not the contract's, and gives where it stands; what does not
/// look exactly as it would be written is an extra one.
fn ours(name: &str, value: &RawJson, last: Rank, read: &mut MetaRead) -> Rank {
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
        let name = told::plain(&member.key_value())?;
        seen.insert(name.clone()).then_some((name, told::plain(&member.value())?))
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
            "command" => run.command = Some(told::plain(&value)?),
            "stderr" => run.stderr = told::plain(&value).filter(|text| !text.is_empty())?,
            "truncated" if value.as_bytes() == b"true" => run.cut = Cut::Truncated,
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

/// What a member of an open object must be, if it is there.
#[derive(Clone, Copy)]
enum Is {
    Bool,
    Text,
    TextOrNull,
    /// A number that is not negative.
    Number,
    Integer,
    /// An integer that is not negative.
    Count,
}

/// R5: the members that the contract names in an object that may have more.
type Known = &'static [(&'static str, Is)];

const PAGINATION: Known = &[
    ("cursor", Is::TextOrNull),
    ("has_more", Is::Bool),
    ("total_count", Is::Count),
    ("page_size", Is::Count),
];
const RATE_LIMIT: Known = &[
    ("limit", Is::Integer),
    ("remaining", Is::Integer),
    ("reset_at", Is::Text),
    ("period", Is::Text),
    ("retry_after", Is::Number),
];
const TELEMETRY: Known = &[("duration_ms", Is::Number), ("downstream_calls", Is::Count)];

fn open_object(
    value: RawJson,
    path: &Path<'_>,
    known: Known,
    look: &mut Look,
) -> Option<JsonObject> {
    look.open_object(&value, path, "R5", |look, name, value, at| {
        let known = known.iter().find(|(known, _)| *known == name);
        match known.map(|(_, is)| is) {
            None => {}
            Some(Is::Bool) => drop(look.bool(&value, at, "R5")),
            Some(Is::TextOrNull) if value.kind() == Kind::Null => {}
            Some(Is::Text | Is::TextOrNull) => drop(look.text(&value, at, "R5")),
            Some(Is::Number) => drop(look.number(&value, at, "R5", Some(0.0))),
            Some(Is::Integer) => drop(look.integer(&value, at, "R5", None)),
            Some(Is::Count) => drop(look.integer(&value, at, "R5", Some(0.0))),
        }
    });
    // R5: empty ones are accepted, and say nothing.
    JsonObject::new(value).filter(|object| !object.is_empty())
}

fn warning_details(value: &RawJson, path: &Path<'_>, look: &mut Look) -> Vec<Warning> {
    let mut details = Vec::new();
    look.array(value, path, "R5", |look, item, at| {
        let mut warning = Warning::new("");
        let (mut has_message, mut has_code, mut has_severity) = (false, false, false);
        let is_object = look.object(&item, at, "R5", |look, name, value, at| {
            has_code |= name == "code";
            has_severity |= name == "severity";
            match name {
                "code" => warning.code = look.text(&value, at, "R10"),
                "severity" => {
                    let names = Severity::ALL.map(Severity::name);
                    let name = look.text(&value, at, "R5");
                    let name = name.filter(|name| look.one_of(name, &names, at, "R5"));
                    warning.severity = name.and_then(|name| Severity::from_name(&name));
                }
                "message" => {
                    has_message = true;
                    warning.message = look.text(&value, at, "R5").unwrap_or_default();
                }
                "context" => {
                    warning.context = look.json_object(value, at, "R5").unwrap_or_default();
                }
                _ => {
                    look.losses
                        .add("warning_details", "a warning has no place for further members");
                }
            }
        });
        look.need(has_message || !is_object, at, "message", "R5");
        if is_object {
            advise_detail(has_code, has_severity, at, look);
            details.push(warning);
        }
    });
    details
}

fn advise_detail(has_code: bool, has_severity: bool, at: &Path<'_>, look: &mut Look) {
    let shoulds = [("code", has_code), ("severity", has_severity)];
    for (name, _) in shoulds.into_iter().filter(|(_, is_there)| !is_there) {
        let at = at.name(name);
        look.advise(&at, "recommended", "R5", "should be there, so that programs can sort it");
    }
}

/// R10: warnings in their order, each with its details where it has some.
fn merged(
    messages: Vec<String>,
    details: Vec<Warning>,
    path: &Path<'_>,
    look: &mut Look,
) -> Vec<Warning> {
    let mut details = details.into_iter().peekable();
    let mut warnings: Vec<Warning> = Vec::new();
    for message in messages {
        let detail = details.next_if(|detail| detail.message == message);
        warnings.push(detail.map_or_else(|| Warning::new(message), as_given));
    }
    if details.peek().is_some() {
        let message = "should have the message of every warning with details, in their order";
        look.advise(&path.name("warnings"), "recommended", "R10", message);
    }
    warnings.extend(details.map(as_given));
    warnings
}

/// A severity that its code has anyway was not given.
fn as_given(warning: Warning) -> Warning {
    let without = Warning { severity: None, ..warning.clone() };
    let is_usual = warning.severity == Some(without.effective_severity());
    if is_usual && without.has_details() { without } else { warning }
}

/// The last warning, if it tells what was hidden.
fn take_receipt(read: &mut MetaRead) {
    let last = read.notes.warnings.last();
    let Some(warning) = last.filter(|it| it.code.as_deref() == Some(meta::REDACTED)) else {
        return;
    };
    let rules = warning.context.get("rules");
    let finding = |member: crate::raw_json::Member<'_>| {
        let n = member.value().as_str().parse().ok()?;
        told::is_rule(&member.key()).then(|| (member.key().into_owned(), n))
    };
    let findings = rules.map(|rules| rules.members().filter_map(finding).collect());
    let receipt = Receipt { findings: findings.unwrap_or_default() };
    let again = meta::receipt(&receipt);
    let is_one = again.is_some_and(|again| {
        again.code == warning.code
            && again.message == warning.message
            && again.context == warning.context
            && again.effective_severity() == warning.effective_severity()
    });
    if is_one {
        read.receipt = receipt;
        read.notes.warnings.pop();
    }
}

/// The call's duration stands in telemetry: at its end, where we would put it, or elsewhere, and
/// then it stays there, too.
fn take_duration(read: &mut MetaRead) {
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

/// R6: the members about how complete an answer is.
#[derive(Default)]
struct FidelityRead {
    level: Option<String>,
    version: Option<String>,
    dropped: Option<Vec<String>>,
    archives: Option<Vec<(String, String)>>,
}

impl FidelityRead {
    fn settle(self, path: &Path<'_>, look: &mut Look) -> Fidelity {
        let at = &path.name("content_fidelity");
        let dropped = self.dropped.unwrap_or_default();
        let archives = self.archives.unwrap_or_default();
        let level = match self.level.as_deref() {
            None | Some("full") => None,
            Some(name) => {
                let names = ["full", "partial", "summary", "reference_only"];
                look.one_of(name, &names, at, "R6");
                Reduction::ALL.into_iter().find(|level| level.name() == name)
            }
        };
        let Some(level) = level else {
            if !dropped.is_empty() || !archives.is_empty() || self.version.is_some() {
                look.losses.add("fidelity", "what was dropped is told only of what is not full");
            }
            return Fidelity::Full;
        };
        let at = &path.name("content_fidelity_schema_version");
        match self.version.as_deref() {
            None => look.need(false, path, "content_fidelity_schema_version", "R6"),
            Some(version) => drop(look.one_of(version, &["1.0"], at, "R6")),
        }
        Fidelity::Reduced { level, dropped, archives }
    }
}
