//! Redaction of every text in an outcome.
//!
//! Each struct is destructured without `..`, so the compiler reports a new field that is not
//! handled here.

use std::borrow::Cow;

use manila_redact::{Edit, Redactor, Tally, apply};

use crate::outcome::{
    Call, Ended, Failure, Fidelity, IdSource, Notes, Outcome, Payload, Provenance, Run, Text,
    Unwrapped, UpgradeHint, Verbatim, Warning,
};
use crate::raw_json::{JsonObject, RawJson};

/// Redacts the fields of an outcome and counts the matches.
pub(super) struct FieldRedactor<'a> {
    redactor: &'a Redactor,
    tally: Tally,
}

impl<'a> FieldRedactor<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> FieldRedactor<'a> {
        FieldRedactor { redactor, tally: Tally::default() }
    }

    /// Returns the rules that matched, each with its number of matches.
    pub(super) fn into_findings(self) -> Vec<(String, u64)> {
        self.tally.iter().map(|(rule, n)| (rule.to_owned(), n)).collect()
    }

    pub(super) fn redact_outcome(&mut self, outcome: &mut Outcome) {
        let Outcome {
            call,
            ended,
            run,
            blocks,
            notes,
            receipt,
            provenance,
            source_contract: _,
            verbatim,
            unread: _,
            unwrapped,
        } = outcome;
        self.redact_call(call);
        self.redact_ended(ended);
        if let Some(run) = run {
            self.redact_run(run);
        }
        for block in blocks {
            let edits = self.redactor.mcp(block.as_bytes());
            self.replace_json(block, &edits);
        }
        self.redact_notes(notes);
        match provenance {
            Provenance::NotRequested | Provenance::Unavailable => {}
            Provenance::Record(record) => self.redact_object(record),
        }
        for (rule, _) in &mut receipt.findings {
            self.redact_string(rule);
        }
        self.redact_verbatim(verbatim);
        if let Some(unwrapped) = unwrapped {
            self.redact_unwrapped(unwrapped);
        }
    }

    fn redact_ended(&mut self, ended: &mut Ended) {
        match ended {
            Ended::Done(payload) => self.redact_payload(payload),
            Ended::Failed { failures, partial } => {
                for failure in failures.iter_mut() {
                    self.redact_failure(failure);
                }
                self.redact_payload(partial);
            }
        }
    }

    /// Drops the original envelope if it contains a secret.
    ///
    /// Its matches are not counted, because it repeats the facts of the outcome. It is checked
    /// because it may contain further facts.
    fn redact_verbatim(&self, verbatim: &mut Option<Verbatim>) {
        let Some(Verbatim { contract: _, envelope, request_id: _ }) = verbatim else { return };
        if !self.redactor.json(envelope.as_bytes()).is_empty() {
            *verbatim = None;
        }
    }

    /// Redacts the second reading of the payload. Its matches are already counted.
    fn redact_unwrapped(&self, unwrapped: &mut Unwrapped) {
        let Unwrapped { ended, unread: _ } = unwrapped;
        FieldRedactor::new(self.redactor).redact_ended(ended);
    }

    fn redact_call(&mut self, call: &mut Call) {
        // The caller's request id stays, because the caller matches responses by it.
        let Call {
            tool_id,
            tool_version,
            request_id,
            tier: _,
            duration: _,
            deterministic: _,
            capabilities,
            id_source,
        } = call;
        match id_source {
            IdSource::Caller => {}
            IdSource::Tool => self.redact_option(request_id),
        }
        self.redact_option(tool_id);
        self.redact_option(tool_version);
        self.redact_strings(capabilities.as_deref_mut().unwrap_or_default());
    }

    fn redact_payload(&mut self, payload: &mut Payload) {
        match payload {
            Payload::Absent => {}
            Payload::Json(json) => self.redact_json(json),
            Payload::Text(text) => self.redact_string(text),
        }
    }

    fn redact_failure(&mut self, failure: &mut Failure) {
        let Failure {
            code: _,
            origin_code,
            message,
            category: _,
            hint,
            explanation,
            link,
            fixes,
            alternatives,
            details,
            data,
            evidence,
            retry_after: _,
            retryable: _,
            line,
        } = failure;
        self.redact_option(origin_code);
        self.redact_text(message);
        for text in [hint, explanation, link].into_iter().flatten() {
            self.redact_text(text);
        }
        for fix in fixes {
            self.redact_text(fix);
        }
        self.redact_strings(alternatives);
        self.redact_object(details);
        self.redact_object(data);
        for anchor in evidence {
            self.redact_json(anchor);
        }
        self.redact_option(line);
    }

    fn redact_run(&mut self, run: &mut Run) {
        let Run { command, exit: _, stdout, stderr, truncation: _ } = run;
        self.redact_option(command);
        self.redact_string(stdout);
        self.redact_string(stderr);
    }

    fn redact_notes(&mut self, notes: &mut Notes) {
        let Notes {
            warnings,
            pagination,
            rate_limit,
            telemetry,
            upgrade_hints,
            metadata,
            meta,
            fidelity,
        } = notes;
        for Warning { code, severity: _, message, context } in warnings {
            self.redact_option(code);
            self.redact_string(message);
            self.redact_object(context);
        }
        if let Some(pagination) = pagination {
            // A cursor is opaque and must reach the tool unchanged.
            let edits = self.redactor.mcp(pagination.as_raw().as_bytes());
            self.replace_object(pagination, &edits);
        }
        for object in [rate_limit, telemetry].into_iter().flatten() {
            self.redact_object(object);
        }
        for UpgradeHint { feature, tier, reason } in upgrade_hints {
            self.redact_string(feature);
            self.redact_string(tier);
            self.redact_string(reason);
        }
        self.redact_pairs(metadata);
        self.redact_object(meta);
        match fidelity {
            Fidelity::Full => {}
            Fidelity::Reduced { level: _, dropped, archives } => {
                self.redact_strings(dropped);
                self.redact_pairs(archives);
            }
        }
    }

    /// Redacts names and texts as JSON members, so that a name can mark its text as secret.
    fn redact_pairs(&mut self, pairs: &mut [(String, String)]) {
        if pairs.is_empty() {
            return;
        }
        for (name, text) in pairs {
            let object = JsonObject::build(|object| object.member(name, text));
            let edits = self.redactor.json(object.as_raw().as_bytes());
            if edits.is_empty() {
                continue;
            }
            let mut redacted = object;
            self.replace_object(&mut redacted, &edits);
            if let Some(member) = redacted.members().next() {
                *name = member.key().into_owned();
                *text = member.value().as_text().map(Cow::into_owned).unwrap_or_default();
            }
        }
    }

    /// Redacts an owned text. A borrowed one is a constant of this crate and has no secrets.
    fn redact_text(&mut self, text: &mut Text) {
        if let Cow::Owned(text) = text {
            self.redact_string(text);
        }
    }

    fn redact_option(&mut self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.redact_string(text);
        }
    }

    fn redact_strings(&mut self, texts: &mut [String]) {
        for text in texts {
            self.redact_string(text);
        }
    }

    fn redact_string(&mut self, text: &mut String) {
        let edits = self.redactor.text(text.as_bytes());
        if !edits.is_empty() {
            self.tally.add(&edits);
            let redacted = apply(text.as_bytes(), &edits);
            // Edits cover complete characters. If one did not, its rest would reveal nothing.
            *text = String::from_utf8_lossy(&redacted).into_owned();
        }
    }

    fn redact_json(&mut self, json: &mut RawJson) {
        let edits = self.redactor.json(json.as_bytes());
        self.replace_json(json, &edits);
    }

    fn redact_object(&mut self, object: &mut JsonObject) {
        let edits = self.redactor.json(object.as_raw().as_bytes());
        self.replace_object(object, &edits);
    }

    fn replace_object(&mut self, object: &mut JsonObject, edits: &[Edit]) {
        let mut raw = object.as_raw().clone();
        self.replace_json(&mut raw, edits);
        *object = JsonObject::new(raw).unwrap_or_default();
    }

    fn replace_json(&mut self, json: &mut RawJson, edits: &[Edit]) {
        if !edits.is_empty() {
            self.tally.add(edits);
            *json = json.with_strings_edited(apply(json.as_bytes(), edits));
        }
    }
}
