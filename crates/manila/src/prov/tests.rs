use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::REQUIRED;
use crate::check::table::{Table, check_agreement, mutations, render_findings, schema_of};
use crate::check::{Checker, Verdict};
use crate::contract::{Contract, read};
use crate::document_kind::DocumentKind;
use crate::raw_json::RawJson;

fn record() -> Value {
    json!({
        "schema_version": "prov.record.v0.1", "run_id": "run-1", "time": "2026-01-02T03:04:05Z",
        "tool": {"name": "scan", "version": "1.0.0", "adapter": "mcp"},
        "inputs": [{
            "schema_version": "artifact.v0.1", "artifact_id": "a1", "media_type": "text/plain",
            "locator": "in.txt", "size_bytes": 12, "labels": {"role": "x"},
            "digest": {"alg": "sha256", "value": "0".repeat(64)},
        }],
        "outputs": [{
            "schema_version": "artifact.v0.1", "artifact_id": "a2", "media_type": "text/plain",
        }],
        "methods": ["adapter.wrap.envelope_v0_1", "integrity.digest.sha256"],
        "evidence": [{
            "schema_version": "evidence.v0.1", "field": "summary", "note": "é",
            "source": "artifact:a1#json:/x", "method": "engine.extract.evidence.json_pointer",
        }],
        "parents": ["run-0"],
    })
}

fn table() -> Table {
    Table { checker: Checker::new(DocumentKind::ProvRecord), good: record() }
}

#[track_caller]
fn check(pointer: &str, value: Option<Value>, expected: &str) {
    table().check(pointer, value, expected);
}

#[test]
fn checks_the_members_of_a_record() {
    assert_eq!(render_findings(&table().verdict(&record())), "");
    for name in REQUIRED {
        check(
            &format!("/{name}"),
            None,
            &match name {
                // The claimed digest of an input is missing too.
                "inputs" => "/inputs required P1; /methods/1 method-condition P7".to_owned(),
                _ => format!("/{name} required P1"),
            },
        );
    }
    check("/time", None, "");
    check("/x", Some(json!(1)), "/x additionalProperties P1");
    check("/schema_version", Some(json!("prov.record.v0.2")), "/schema_version const P1");
    check("/run_id", Some(json!("")), "/run_id minLength P6");
    check("/tool/version", None, "/tool/version required P1");
    check("/tool/name", Some(json!("é".repeat(201))), "/tool/name maxLength P1");
    check("/tool/adapter", Some(json!("")), "");
    check("/tool/x", Some(json!(1)), "/tool/x additionalProperties P1");
    check("/outputs/0/media_type", None, "/outputs/0/media_type required P1");
    check("/outputs/0/x", Some(json!(1)), "/outputs/0/x additionalProperties P1");
    check("/inputs/0/size_bytes", Some(json!(-1)), "/inputs/0/size_bytes minimum P1");
    check("/inputs/0/labels/role", Some(json!(1)), "/inputs/0/labels/role type P1");
    check("/evidence/0/field", None, "/evidence/0/field required P1");
    check("/evidence/0/note", Some(json!("n".repeat(401))), "/evidence/0/note maxLength P1");
    check("/parents/0", Some(json!("")), "/parents/0 minLength P9");
    check("", Some(json!(7)), " type P1");
}

#[test]
fn a_time_must_exist() {
    check("/time", Some(json!("2026-02-28T23:59:59.5+01:00")), "");
    check("/time", Some(json!("2026-02-30T00:00:00Z")), "/time date-time P9");
    check("/time", Some(json!("yesterday")), "/time date-time P9");
    check("/time", Some(json!(1_700_000_000)), "/time type P9");
}

#[test]
fn method_ids_have_a_form_and_a_namespace() {
    for (id, rule) in [
        ("adapter.x", ""),
        ("engine.capture.dom_snapshot_v0_1", ""),
        ("lineage.a1.b_2", ""),
        ("", "minLength"),
        ("Adapter.wrap", "pattern"),
        ("adapter..x", "pattern"),
        ("adapter.x ", "pattern"),
        ("adapter._x", "pattern"),
        ("adapter.x__y", "pattern"),
        ("adapter.é", "pattern"),
        ("adapter.x-y", "method-id"),
        ("adapter.wrap.v0.1", "method-id"),
        ("1.x", "method-id"),
        ("adapter", "method-id"),
        ("adapter_v0_1", "namespace"),
        ("policy.x", "namespace"),
        ("attestation.x.y", "namespace"),
        ("execution.x", "namespace"),
        ("audit", "namespace"),
        ("other.x", "namespace"),
        ("adapterx.y", "namespace"),
    ] {
        let expected =
            if rule.is_empty() { String::new() } else { format!("/methods/0 {rule} P7") };
        check("/methods/0", Some(json!(id)), &expected);
        // The method of evidence is an id too; its schema has no pattern.
        let rule = if rule == "pattern" { "method-id" } else { rule };
        let at = "/evidence/0/method";
        let expected = if rule.is_empty() { String::new() } else { format!("{at} {rule} P7") };
        check(at, Some(json!(id)), &expected);
    }
    check("/methods/0", Some(json!(7)), "/methods/0 type P7");
    let duplicate = "integrity.digest.sha256";
    check("/methods/-", Some(json!(duplicate)), "/methods/2 repeated P7 advice");
}

/// Returns an empty record that claims one method.
fn record_claiming(method: &str) -> Value {
    let mut record = record();
    for name in ["inputs", "outputs", "evidence", "parents"] {
        record[name] = json!([]);
    }
    record["methods"] = json!([method]);
    record
}

#[test]
fn methods_have_conditions() {
    let artifact = |alg: &str, n: usize| {
        json!([{"schema_version": "artifact.v0.1", "artifact_id": "a", "media_type": "m",
            "digest": {"alg": alg, "value": "a".repeat(n)}}])
    };
    let evidence =
        |source: &str| json!([{"schema_version": "evidence.v0.1", "field": "f", "source": source}]);
    for (method, member, evidence) in [
        ("engine.prov.artifact.register_input", "inputs", artifact("sha256", 64)),
        ("engine.prov.artifact.register_output", "outputs", artifact("sha256", 64)),
        ("engine.extract.evidence.json_pointer", "evidence", evidence("artifact:a#json:/x")),
        ("engine.extract.evidence.json_pointer", "evidence", evidence("file:a#json:/x")),
        ("engine.extract.evidence.text_lines", "evidence", evidence("artifact:a#text:line:1-2")),
        ("engine.coerce.evidence.v0_1", "evidence", evidence("anything")),
        ("integrity.digest.sha256", "inputs", artifact("sha256", 64)),
        ("integrity.digest.sha512", "outputs", artifact("sha512", 128)),
        ("integrity.digest.blake3", "outputs", artifact("blake3", 64)),
        ("lineage.parent.link", "parents", json!(["run-0"])),
    ] {
        let mut record = record_claiming(method);
        let expected = "/methods/0 method-condition P7";
        assert_eq!(render_findings(&table().verdict(&record)), expected, "{method}");
        record[member] = evidence;
        assert_eq!(render_findings(&table().verdict(&record)), "", "{method}");
    }
    for method in ["adapter.errors.capture", "adapter.pass_through.envelope_v0_1"] {
        assert_eq!(render_findings(&table().verdict(&record_claiming(method))), "", "{method}");
    }
    let lines = Some(json!("artifact:a1#text:line:1"));
    check("/evidence/0/source", lines, "/evidence/0/source method-condition P7");
    check("/evidence/0/source", Some(json!("elsewhere")), "/evidence/0/source method-condition P7");
}

#[test]
fn some_conditions_concern_the_envelope() {
    let envelope = |method: &str, more: Value| -> Verdict {
        let mut envelope = json!({"schema_version": "mcp.envelope.v0.1", "result": 1,
            "provenance": record_claiming(method)});
        envelope.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Checker::auto().check(&envelope.to_string().into())
    };
    let entry = json!([{"code": "X", "message": "m"}]);
    for (method, member) in
        [("adapter.errors.capture", "errors"), ("adapter.warnings.capture", "warnings")]
    {
        let expected = "/provenance/methods/0 method-condition P7";
        assert_eq!(render_findings(&envelope(method, json!({}))), expected);
        assert_eq!(render_findings(&envelope(method, json!({member: []}))), expected);
        assert_eq!(render_findings(&envelope(method, json!({member: entry}))), "");
    }
}

#[test]
fn claimed_digests_are_complete_and_lower_case() {
    let at = "/inputs/0/digest/value";
    check(at, Some(json!("A".repeat(64))), &format!("{at} digest-form P7"));
    check(at, Some(json!("a".repeat(63))), &format!("{at} digest-form P7"));
    check(at, Some(json!("a".repeat(15))), &format!("{at} minLength P8"));
    check(at, Some(json!("g".repeat(64))), &format!("{at} pattern P8"));
    let other = json!({"alg": "sha512", "value": "a".repeat(64)});
    let expected = format!("{at} digest-form P8 advice; /methods/1 method-condition P7");
    check("/inputs/0/digest", Some(other), &expected);
    let digest = json!({"alg": "md5", "value": "a".repeat(64), "x": 1});
    check(
        "/outputs/0/digest",
        Some(digest),
        concat!("/outputs/0/digest/alg enum P8; ", "/outputs/0/digest/x additionalProperties P8"),
    );
    check(
        "/outputs/0/digest",
        Some(json!({})),
        concat!("/outputs/0/digest/alg required P8; ", "/outputs/0/digest/value required P8"),
    );
}

#[test]
fn checks_the_sources_of_anchors() {
    let lines = "engine.extract.evidence.text_lines";
    for (source, method, rule) in [
        ("artifact:a", "engine.x", ""),
        ("artifact:a#page:1", "engine.x", ""),
        ("https://example.com/#json:x", "engine.x", ""),
        ("artifact:", "engine.x", "anchor"),
        ("artifact:#json:/a", "engine.x", "anchor"),
        ("artifact:a#json:x", "engine.x", "anchor"),
        ("artifact:a#text:line:2-1", "engine.x", "anchor"),
        ("artifact:a#text:line:", lines, "anchor"),
        ("artifact:a#text:line:1-2", lines, ""),
        ("artifact:a#json:/x", lines, "method-condition"),
        ("", lines, "minLength"),
    ] {
        let evidence = json!({"schema_version": "evidence.v0.1", "field": "f", "source": source,
            "method": method});
        let at = "/evidence/0/source";
        let expected = if rule.is_empty() { String::new() } else { format!("{at} {rule} P7") };
        check("/evidence/0", Some(evidence), &expected);
    }
    let envelope = json!({"schema_version": "mcp.envelope.v0.1", "result": null, "errors": [
        {"code": "X", "message": "m", "evidence": [{"schema_version": "evidence.v0.1",
            "field": "f", "source": "artifact:a#json:x"}]}]});
    let verdict = Checker::auto().check(&envelope.to_string().into());
    assert_eq!(render_findings(&verdict), "/errors/0/evidence/0/source anchor P7");
}

#[test]
fn no_run_is_its_own_parent() {
    check("/parents/-", Some(json!("run-2")), "");
    check("/parents/-", Some(json!("run-1")), "/parents/1 own-parent P9");
    check("/parents/-", Some(json!("run-0")), "/parents/1 repeated P9 advice");
}

#[test]
fn advice_does_not_hide_a_broken_rule() {
    let mut record = record();
    record["parents"] = json!(vec!["run-0"; 500]);
    record["time"] = json!("never");
    record["parents"].as_array_mut().unwrap().push(json!("run-1"));
    let verdict = table().verdict(&record);
    assert!(!verdict.is_valid());
    assert!(render_findings(&verdict).contains("/parents/500 own-parent P9"));
}

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| schema_of(DocumentKind::ProvRecord));

/// Returns a record with every possible member.
fn full() -> Value {
    let mut record = record();
    record["integrity"] = json!({
        "record_digest": {"alg": "sha256", "value": "0".repeat(64)},
        "signature": {"alg": "ed25519", "key_id": "0".repeat(16), "value": "A".repeat(86) + "=="},
    });
    record
}

proptest! {
    #[test]
    fn the_verdict_agrees_with_the_schema(document in mutations(&full())) {
        check_agreement(&table(), &SCHEMA, &document)?;
    }

    /// P3: reading an envelope requires no more than its schema does. The claims of a record are
    /// checked separately.
    #[test]
    fn reading_an_envelope_follows_its_schema(document in mutations(&full())) {
        let envelope =
            json!({"schema_version": "mcp.envelope.v0.1", "result": 1, "provenance": document});
        let envelope = RawJson::parse(envelope.to_string()).unwrap();
        let is_read = read(Contract::McpEnvelopeV01, &envelope).is_ok();
        prop_assert_eq!(is_read, SCHEMA.is_valid(&document), "{}", document);
    }
}
