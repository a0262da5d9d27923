//! The one visitor over every text that an outcome holds. It takes everything apart by name, so
//! that a new field is not forgotten: the compiler asks what becomes of it.

use std::borrow::Cow;

use manila_redact::{Edit, Redactor, Tally, apply};

use crate::outcome::{
    Call, Ended, Failure, Fidelity, IdSource, Notes, Outcome, Payload, Provenance, Run, Text,
    Unwrapped, UpgradeHint, Verbatim, Warning,
};
use crate::raw_json::{JsonObject, RawJson};

pub(super) struct Hider<'a> {
    redactor: &'a Redactor,
    tally: Tally,
}

impl<'a> Hider<'a> {
    pub(super) fn new(redactor: &'a Redactor) -> Hider<'a> {
        Hider { redactor, tally: Tally::default() }
    }

    /// Rules and how often each one struck.
    pub(super) fn into_findings(self) -> Vec<(String, u64)> {
        self.tally.iter().map(|(rule, n)| (rule.to_owned(), n)).collect()
    }

    pub(super) fn outcome(&mut self, outcome: &mut Outcome) {
        let Outcome {
            call,
            ended,
            run,
            blocks,
            notes,
            receipt,
            provenance,
            came_in: _,
            verbatim,
            unread: _,
            unwrapped,
        } = outcome;
        self.call(call);
        self.ended(ended);
        if let Some(run) = run {
            self.run(run);
        }
        for block in blocks {
            let edits = self.redactor.mcp(block.as_bytes());
            self.replace_json(block, &edits);
        }
        self.notes(notes);
        match provenance {
            Provenance::NotAsked | Provenance::Unavailable => {}
            Provenance::Record(record) => self.object(record),
        }
        for (rule, _) in &mut receipt.findings {
            self.string(rule);
        }
        self.verbatim(verbatim);
        if let Some(unwrapped) = unwrapped {
            self.unwrapped(unwrapped);
        }
    }

    fn ended(&mut self, ended: &mut Ended) {
        match ended {
            Ended::Done(payload) => self.payload(payload),
            Ended::Failed { failures, partial } => {
                for failure in failures.iter_mut() {
                    self.failure(failure);
                }
                self.payload(partial);
            }
        }
    }

    /// An envelope says again what the outcome says, so it is not counted again; but it may say
    /// more, and then it cannot go out as it is.
    fn verbatim(&self, verbatim: &mut Option<Verbatim>) {
        let Some(Verbatim { contract: _, envelope, request_id: _ }) = verbatim else { return };
        if !self.redactor.json(envelope.as_bytes()).is_empty() {
            *verbatim = None;
        }
    }

    /// Another reading of the same payload, so nothing in it is counted again.
    fn unwrapped(&self, unwrapped: &mut Unwrapped) {
        let Unwrapped { ended, unread: _ } = unwrapped;
        Hider::new(self.redactor).ended(ended);
    }

    fn call(&mut self, call: &mut Call) {
        // A caller finds its call by its own id, so that one stays.
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
            IdSource::Tool => self.option(request_id),
        }
        self.option(tool_id);
        self.option(tool_version);
        self.strings(capabilities.as_deref_mut().unwrap_or_default());
    }

    fn payload(&mut self, payload: &mut Payload) {
        match payload {
            Payload::Absent => {}
            Payload::Json(json) => self.json(json),
            Payload::Text(text) => self.string(text),
        }
    }

    fn failure(&mut self, failure: &mut Failure) {
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
        self.option(origin_code);
        self.text(message);
        for text in [hint, explanation, link].into_iter().flatten() {
            self.text(text);
        }
        for fix in fixes {
            self.text(fix);
        }
        self.strings(alternatives);
        self.object(details);
        self.object(data);
        for anchor in evidence {
            self.json(anchor);
        }
        self.option(line);
    }

    fn run(&mut self, run: &mut Run) {
        let Run { command, exit: _, stdout, stderr, cut: _ } = run;
        self.option(command);
        self.string(stdout);
        self.string(stderr);
    }

    fn notes(&mut self, notes: &mut Notes) {
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
            self.option(code);
            self.string(message);
            self.object(context);
        }
        if let Some(pagination) = pagination {
            // A cursor is the tool's own, and opaque.
            let edits = self.redactor.mcp(pagination.as_raw().as_bytes());
            self.replace_object(pagination, &edits);
        }
        for object in [rate_limit, telemetry].into_iter().flatten() {
            self.object(object);
        }
        for UpgradeHint { feature, tier, reason } in upgrade_hints {
            self.string(feature);
            self.string(tier);
            self.string(reason);
        }
        self.pairs(metadata);
        self.object(meta);
        match fidelity {
            Fidelity::Full => {}
            Fidelity::Reduced { level: _, dropped, archives } => {
                self.strings(dropped);
                self.pairs(archives);
            }
        }
    }

    /// Names and texts: a name says what its text is, as in JSON.
    fn pairs(&mut self, pairs: &mut [(String, String)]) {
        if pairs.is_empty() {
            return;
        }
        for (name, text) in pairs {
            let object = JsonObject::build(|object| object.member(name, text));
            let edits = self.redactor.json(object.as_raw().as_bytes());
            if edits.is_empty() {
                continue;
            }
            let mut hidden = object;
            self.replace_object(&mut hidden, &edits);
            if let Some(member) = hidden.members().next() {
                *name = member.key().into_owned();
                *text = member.value().as_text().map(Cow::into_owned).unwrap_or_default();
            }
        }
    }

    /// A text of ours holds no secret; a text of the tool's may.
    fn text(&mut self, text: &mut Text) {
        if let Cow::Owned(text) = text {
            self.string(text);
        }
    }

    fn option(&mut self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.string(text);
        }
    }

    fn strings(&mut self, texts: &mut [String]) {
        for text in texts {
            self.string(text);
        }
    }

    fn string(&mut self, text: &mut String) {
        let edits = self.redactor.text(text.as_bytes());
        if !edits.is_empty() {
            self.tally.add(&edits);
            let hidden = apply(text.as_bytes(), &edits);
            // Edits are whole characters; should one not be, its rest is no secret either.
            *text = String::from_utf8_lossy(&hidden).into_owned();
        }
    }

    fn json(&mut self, json: &mut RawJson) {
        let edits = self.redactor.json(json.as_bytes());
        self.replace_json(json, &edits);
    }

    fn object(&mut self, object: &mut JsonObject) {
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
