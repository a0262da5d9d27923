//! R4–R6, R10: the member `meta`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::contract::Losses;
use crate::contract::content::{Hint, Pairs};
use crate::ids;
use crate::outcome::{
    Call, Fidelity, Notes, Receipt, Run, Severity, Tier, Truncation, Warning, milliseconds,
};
use crate::raw_json::{Emit, JsonObject, ObjectWriter, shape};

shape! {
    /// R5: members without a value are omitted.
    struct Reserved<'a> {
        /// R4: cannot be overridden.
        version: &'static str,
        request_id: Cow<'a, str>,
        warnings: Option<Vec<&'a str>>,
        warning_details: Option<Vec<Detail<'a>>>,
        pagination: Option<&'a JsonObject>,
        rate_limit: Option<&'a JsonObject>,
        telemetry: Option<JsonObject>,
        content_fidelity: Option<&'static str>,
        /// R6: always present if the fidelity is not full.
        content_fidelity_schema_version: Option<&'static str>,
        dropped_content_ids: Option<&'a [String]>,
        content_archive_hashes: Pairs<'a>,
        metadata: Pairs<'a>,
        upgrade_hints: Option<Vec<Hint<'a>>>,
        run: Option<RunSummary<'a>>,
    }
}

shape! {
    struct Detail<'a> {
        code: Option<&'a str>,
        severity: &'static str,
        message: &'a str,
        context: Option<&'a JsonObject>,
    }
}

shape! {
    /// The program that produced the result; its stdout is the payload.
    struct RunSummary<'a> {
        command: Option<&'a str>,
        stderr: Option<&'a str>,
        truncated: Option<bool>,
    }
}

/// The reserved members, then the caller's extra ones.
pub(super) struct Meta<'a> {
    reserved: Reserved<'a>,
    extra: &'a JsonObject,
}

impl Emit for Meta<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        self.reserved.emit_members(&mut object);
        for member in self.extra.members().filter(|member| self.has_room_for(&member.key())) {
            object.token_member(member.key_token(), &member.value());
        }
        object.end();
    }
}

impl Meta<'_> {
    pub(super) fn into_request_id(self) -> String {
        self.reserved.request_id.into_owned()
    }

    /// R4: returns whether an extra member may be written. It cannot have the name of a reserved
    /// member; Manila's own additions to the contract are reserved only if they are present.
    fn has_room_for(&self, name: &str) -> bool {
        match name {
            "metadata" => self.reserved.metadata.is_absent(),
            "upgrade_hints" => self.reserved.upgrade_hints.is_absent(),
            "run" => self.reserved.run.is_absent(),
            name => !Reserved::MEMBERS.contains(&name),
        }
    }
}

/// Returns the reserved and extra members of `meta`.
pub(super) fn meta<'a>(
    call: &'a Call,
    run: Option<&'a Run>,
    notes: &'a Notes,
    receipt: Option<&'a Warning>,
    context: &Context,
    losses: &mut Losses,
) -> Meta<'a> {
    let Call {
        tool_id,
        tool_version,
        request_id,
        tier,
        duration: _,
        deterministic: _,
        capabilities,
        id_source: _,
    } = call;
    let Notes {
        warnings: _,
        pagination,
        rate_limit,
        telemetry: _,
        upgrade_hints,
        metadata,
        meta: extra,
        fidelity,
    } = notes;
    losses.add_if(tool_id.is_some() || tool_version.is_some(), "tool");
    losses.add_if(capabilities.is_some(), "capabilities");
    losses.add_if(*tier != Tier::default(), "tier");
    let warnings: Vec<&Warning> = notes.warnings.iter().chain(receipt).collect();
    let with_details = warnings.iter().filter(|warning| warning.has_details());
    let details: Vec<Detail<'_>> = with_details.map(|warning| Detail::of(warning)).collect();
    let (level, dropped, archives) = match fidelity {
        Fidelity::Full => (None, None, Pairs(&[])),
        Fidelity::Reduced { level, dropped, archives } => (
            Some(level.name()),
            (!dropped.is_empty()).then_some(dropped.as_slice()),
            Pairs(archives),
        ),
    };
    let meta = Meta {
        reserved: Reserved {
            version: "response-v2",
            request_id: format_request_id(request_id.as_deref(), context, losses),
            // R10: the message of every warning.
            warnings: (!warnings.is_empty())
                .then(|| warnings.iter().map(|warning| warning.message.as_str()).collect()),
            warning_details: (!details.is_empty()).then_some(details),
            pagination: pagination.as_ref().filter(|it| !it.is_empty()),
            rate_limit: rate_limit.as_ref().filter(|it| !it.is_empty()),
            telemetry: telemetry(call, notes, losses),
            content_fidelity: level,
            content_fidelity_schema_version: level.map(|_| "1.0"),
            dropped_content_ids: dropped,
            content_archive_hashes: archives,
            metadata: Pairs(metadata),
            upgrade_hints: (!upgrade_hints.is_empty())
                .then(|| upgrade_hints.iter().map(Hint).collect()),
            run: run.and_then(RunSummary::of),
        },
        extra,
    };
    let is_ours = |name: &str| matches!(name, "metadata" | "upgrade_hints" | "run");
    if extra.members().any(|it| is_ours(&it.key()) || !meta.has_room_for(&it.key())) {
        losses.add("meta", "an extra key cannot have the name of a reserved one");
    }
    // The exit code of a failure is written among its details.
    let is_written = |run: &Run| meta.reserved.run.is_some() || run.exit.is_some();
    losses.add_if(run.is_some_and(|run| !is_written(run)), "run");
    if has_duplicate_messages(&warnings) {
        losses.add("warnings", "of two with the same message, it is unclear which one has details");
    }
    meta
}

/// Returns whether a warning with details has the same message as one without.
fn has_duplicate_messages(warnings: &[&Warning]) -> bool {
    let (with, without): (Vec<&Warning>, Vec<&Warning>) =
        warnings.iter().partition(|warning| warning.has_details());
    let plain: BTreeSet<&str> = without.iter().map(|warning| warning.message.as_str()).collect();
    with.iter().any(|warning| plain.contains(warning.message.as_str()))
}

/// The code of the warning about redacted secrets.
pub(super) const REDACTED: &str = "CONTENT_REDACTED";

/// Returns the index of a member that the contract defines, among all reserved members.
pub(super) fn reserved_index(name: &str) -> Option<usize> {
    let is_ours = matches!(name, "metadata" | "upgrade_hints" | "run");
    Reserved::MEMBERS.iter().position(|known| *known == name).filter(|_| !is_ours)
}

/// Returns the warning about redacted secrets, with their number by rule.
pub(super) fn receipt(receipt: &Receipt) -> Option<Warning> {
    let sentence = receipt.sentence()?;
    let context = JsonObject::build(|object| {
        object.member("count", &receipt.count());
        let rules = JsonObject::build(|rules| {
            for (rule, n) in &receipt.findings {
                rules.member(rule, n);
            }
        });
        object.member("rules", &rules);
    });
    let warning = Warning::with_code(REDACTED, sentence);
    Some(warning.severity(Severity::Info).context(context))
}

/// R5: returns the caller's id if it matches the contract's pattern, else `req_` and 12 hex digits.
/// The digits come from the digest of the caller's id, or from a fresh id.
pub(in crate::contract) fn format_request_id<'a>(
    id: Option<&'a str>,
    context: &Context,
    losses: &mut Losses,
) -> Cow<'a, str> {
    let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else {
        losses.add_generated_id();
        return short_id(&context.fresh);
    };
    if id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        return id.into();
    }
    losses.add("request_id", "it does not match the contract's pattern, so its digest is written");
    replacement_request_id(id)
}

/// R5: returns the replacement for an id that does not match the contract's pattern.
pub(in crate::contract) fn replacement_request_id(id: &str) -> Cow<'static, str> {
    short_id(&Sha256::digest(id.as_bytes()))
}

fn short_id(bytes: &[u8]) -> Cow<'static, str> {
    format!("req_{}", ids::hex(bytes.get(..6).unwrap_or(bytes))).into()
}

/// Returns the tool's telemetry. Adds the duration of the call, unless the tool reports one or the
/// response must be deterministic.
fn telemetry(call: &Call, notes: &Notes, losses: &mut Losses) -> Option<JsonObject> {
    let own = notes.telemetry.as_ref().filter(|it| !it.is_empty());
    let has_own = own.is_some_and(|own| own.get("duration_ms").is_some());
    let added = call.duration.filter(|_| call.deterministic != Some(true) && !has_own);
    if call.duration != added || has_own {
        let why = "the tool's own takes precedence; absent from deterministic responses";
        losses.add("duration_ms", why);
    }
    let Some(duration) = added else { return own.cloned() };
    let measured = JsonObject::build(|object| {
        object.member("duration_ms", &milliseconds(duration));
    });
    Some(match own {
        Some(own) => own.with_defaults(&measured),
        None => measured,
    })
}

impl Detail<'_> {
    fn of(warning: &Warning) -> Detail<'_> {
        Detail {
            code: warning.code.as_deref(),
            severity: warning.effective_severity().name(),
            message: &warning.message,
            context: Some(&warning.context).filter(|context| !context.is_empty()),
        }
    }
}

impl RunSummary<'_> {
    fn of(run: &Run) -> Option<RunSummary<'_>> {
        let Run { command, exit: _, stdout: _, stderr, truncation } = run;
        let summary = RunSummary {
            command: command.as_deref(),
            stderr: Some(stderr.as_str()).filter(|text| !text.is_empty()),
            truncated: (*truncation == Truncation::Truncated).then_some(true),
        };
        let has_member =
            summary.command.is_some() || summary.stderr.is_some() || summary.truncated.is_some();
        has_member.then_some(summary)
    }
}
