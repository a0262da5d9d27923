//! The schemas of all documents that can be checked, tested rule by rule.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test must fail on an unexpected value"
)]

use jsonschema::Validator;
use manila::check::{Checker, Grade};
use manila::{Contract, DocumentKind};
use serde_json::{Value, json};

fn validator(kind: DocumentKind) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(kind.schema()).unwrap()).unwrap()
}

/// Checks whether a valid document stays valid after each edit. `None` removes the member.
#[track_caller]
fn check(kind: DocumentKind, good: &Value, edits: &[(&str, Option<Value>, bool)]) {
    let validator = validator(kind);
    assert!(validator.is_valid(good), "{kind}: {good}");
    for (pointer, value, is_valid) in edits {
        let mut edited = good.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match (edited.pointer_mut(parent).unwrap(), value) {
            (Value::Object(members), Some(value)) => {
                members.insert(name.to_owned(), value.clone());
            }
            (Value::Object(members), None) => drop(members.remove(name).unwrap()),
            (items, value) => items[name.parse::<usize>().unwrap()] = value.clone().unwrap(),
        }
        assert_eq!(validator.is_valid(&edited), *is_valid, "{kind}: {pointer} in {edited}");
    }
}

fn long(n_chars: usize) -> Value {
    json!("é".repeat(n_chars))
}

#[test]
fn a_request_envelope_follows_the_strict_profile() {
    let good = json!({"id": "1", "jsonrpc": "2.0", "method": "tools/call", "params": {}});
    let check = |edits: &[_]| check(DocumentKind::RequestEnvelope, &good, edits);
    check(&[("/id", None, false), ("/jsonrpc", None, false)]);
    check(&[("/method", None, false), ("/params", None, false)]);
    for id in [json!(""), json!(1), json!(null)] {
        check(&[("/id", Some(id), false)]);
    }
    check(&[("/jsonrpc", Some(json!("1.0")), false), ("/jsonrpc", Some(json!(2.0)), false)]);
    check(&[("/method", Some(json!("")), false), ("/method", Some(json!(7)), false)]);
    check(&[("/params", Some(json!([])), false), ("/params", Some(json!(null)), false)]);
    check(&[("/extra", Some(json!(1)), true), ("/params/x", Some(json!(1)), true)]);
}

#[test]
fn tool_io_is_an_input_or_an_output_or_both() {
    let good = json!({"tool": "t", "input": {}, "output": {"n": 1}});
    let check = |edits: &[_]| check(DocumentKind::ToolIo, &good, edits);
    check(&[("/tool", None, false), ("/tool", Some(json!("")), false)]);
    check(&[("/tool", Some(json!(1)), false)]);
    check(&[("/input", None, true), ("/output", None, true)]);
    for other in [json!(null), json!([]), json!("{}")] {
        check(&[("/input", Some(other.clone()), false), ("/output", Some(other), false)]);
    }
    check(&[("/extra", Some(json!(1)), true)]);
    let validator = validator(DocumentKind::ToolIo);
    assert!(!validator.is_valid(&json!({"tool": "t"})));
    assert!(!validator.is_valid(&json!({"tool": "t", "inputs": {}})));
}

fn record() -> Value {
    json!({
        "schema_version": "prov.record.v0.1",
        "run_id": "0b6f5a1e",
        "tool": {"name": "scan", "version": "1.0.0", "adapter": "mcp"},
        "time": "2026-01-02T03:04:05Z",
        "inputs": [{
            "schema_version": "artifact.v0.1", "artifact_id": "a1", "media_type": "text/plain",
            "locator": "in.txt", "size_bytes": 12,
            "digest": {"alg": "sha256", "value": "00112233445566aF"}, "labels": {"role": "x"},
        }],
        "outputs": [{
            "schema_version": "artifact.v0.1", "artifact_id": "a2", "media_type": "text/plain",
        }],
        "methods": ["adapter.wrap_v1_0"],
        "evidence": [{
            "schema_version": "evidence.v0.1", "field": "summary", "source": "artifact:a1#json:/x",
            "method": "engine.extract", "note": "n",
        }],
        "parents": ["run-0"],
        "integrity": {
            "record_digest": {"alg": "blake3", "value": "00112233445566af"},
            "signature": {"alg": "ed25519", "key_id": "k", "value": "AAAAAAAAAAAAAAAA"},
        },
    })
}

#[test]
fn a_record_has_limits() {
    let good = record();
    let check = |edits: &[_]| check(DocumentKind::ProvRecord, &good, edits);
    let required = [
        "/schema_version",
        "/run_id",
        "/tool",
        "/inputs",
        "/outputs",
        "/methods",
        "/evidence",
        "/parents",
    ];
    for pointer in required {
        check(&[(pointer, None, false)]);
    }
    check(&[("/time", None, true), ("/integrity", None, true), ("/x", Some(json!(1)), false)]);
    check(&[("/tool/name", Some(long(200)), true), ("/tool/name", Some(long(201)), false)]);
    check(&[("/tool/version", Some(long(101)), false), ("/tool/adapter", Some(long(101)), false)]);
    check(&[
        ("/methods/0", Some(json!("Upper.case")), false),
        ("/methods/0", Some(long(1)), false),
    ]);
    check(&[("/parents/0", Some(long(200)), true), ("/parents/0", Some(long(201)), false)]);
    check(&[("/inputs/0/size_bytes", Some(json!(-1)), false)]);
    check(&[("/inputs/0/labels/role", Some(long(201)), false)]);
    check(&[("/inputs/0/digest/alg", Some(json!("md5")), false)]);
    check(&[("/inputs/0/digest/value", Some(json!("001122334455667")), false)]);
    check(&[
        ("/evidence/0/field", Some(long(201)), false),
        ("/evidence/0/source", Some(long(1001)), false),
    ]);
    check(&[
        ("/evidence/0/note", Some(long(400)), true),
        ("/evidence/0/note", Some(long(401)), false),
    ]);
    check(&[("/integrity/signature/value", Some(long(15)), false)]);
    check(&[("/integrity/signature/value", Some(long(5000)), true)]);
    check(&[("/integrity/signature/value", Some(long(5001)), false)]);
}

fn request() -> Value {
    json!({
        "schema_version": "mcp.request.v0.1",
        "request_id": "r",
        "tool": {"name": "scan", "version": "1"},
        "params": {"path": "."},
        "artifacts": [
            {
                "schema_version": "artifact.ref.v0.1", "artifact_id": "a", "locator": "in.txt",
                "media_type": "text/plain",
                "digest": {"alg": "sha512", "value": "00112233445566af"}, "labels": {"role": "x"},
            },
            {"schema_version": "artifact.ref.v0.1", "locator": "out.txt"},
            {"schema_version": "artifact.ref.v0.1", "artifact_id": "b"},
        ],
        "preferences": {"deterministic": true, "max_output_bytes": 0, "locale": "en-US"},
        "time": "2026-01-02T03:04:05Z",
    })
}

#[test]
fn a_request_has_limits() {
    let good = request();
    let check = |edits: &[_]| check(DocumentKind::McpRequest, &good, edits);
    for pointer in ["/schema_version", "/tool", "/params", "/artifacts", "/tool/name"] {
        check(&[(pointer, None, false)]);
    }
    for pointer in ["/request_id", "/preferences", "/time", "/tool/version"] {
        check(&[(pointer, None, true)]);
    }
    for params in [json!(null), json!([]), json!("x"), json!(1.5), json!(false)] {
        check(&[("/params", Some(params), true)]);
    }
    check(&[("/artifacts/0/artifact_id", None, true), ("/artifacts/0/locator", None, true)]);
    check(&[("/artifacts/1/locator", None, false), ("/artifacts/2/artifact_id", None, false)]);
    check(&[("/artifacts/1/schema_version", Some(json!("artifact.v0.1")), false)]);
    check(&[("/request_id", Some(long(200)), true), ("/request_id", Some(long(201)), false)]);
    check(&[("/tool/version", Some(long(0)), true), ("/tool/version", Some(long(101)), false)]);
    check(&[
        ("/preferences/locale", Some(long(50)), true),
        ("/preferences/locale", Some(long(51)), false),
    ]);
    check(&[("/preferences/max_output_bytes", Some(json!(-1)), false)]);
    check(&[("/x", Some(json!(1)), false), ("/artifacts/0/x", Some(json!(1)), false)]);
}

fn envelope() -> Value {
    let evidence = record()["evidence"].clone();
    json!({
        "schema_version": "mcp.envelope.v0.1",
        "result": {"n": 1},
        "provenance": record(),
        "errors": [{
            "code": "A.B", "message": "m", "details": {"n": 1.5}, "retryable": false,
            "evidence": evidence,
        }],
        "warnings": [
            {"code": "A.B", "message": "m", "details": {"n": null}, "evidence": evidence},
        ],
        "meta": {"adapter": "mcp", "request_id": "r", "duration_ms": 1, "schema_hints": {"a": "b"}},
    })
}

/// Returns copies of the document with one value changed, in every way that a rule may concern.
fn mutations(good: &Value) -> Vec<Value> {
    const LENGTHS: [usize; 18] =
        [0, 1, 15, 16, 50, 51, 100, 101, 200, 201, 400, 401, 1000, 1001, 2000, 2001, 5000, 5001];
    let mut found = Vec::new();
    let mut pending = vec![String::new()];
    while let Some(pointer) = pending.pop() {
        let mut set = |value: Value| {
            let mut edited = good.clone();
            *edited.pointer_mut(&pointer).unwrap() = value;
            found.push(edited);
        };
        let old = good.pointer(&pointer).unwrap();
        for other in [json!(null), json!(true), json!(7), json!(-1), json!(1.5), json!("A b")] {
            set(other);
        }
        for other in [json!([]), json!([{}]), json!({}), json!({"x": 201})] {
            set(other);
        }
        match old {
            Value::Object(members) => {
                for name in members.keys() {
                    pending.push(format!("{pointer}/{name}"));
                    let mut fewer = members.clone();
                    fewer.remove(name);
                    set(Value::Object(fewer));
                }
                for extra in [json!("x"), json!(1)] {
                    let mut more = members.clone();
                    more.insert("extra".to_owned(), extra);
                    set(Value::Object(more));
                }
            }
            Value::Array(items) => {
                pending.extend((0..items.len()).map(|index| format!("{pointer}/{index}")));
                set(items.iter().chain(items).cloned().collect());
            }
            Value::String(_) => {
                for n_chars in LENGTHS {
                    set(json!("a".repeat(n_chars)));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

#[track_caller]
fn check_agree(one: impl Fn(&Value) -> bool, other: impl Fn(&Value) -> bool, good: &Value) {
    let all = mutations(good);
    for document in &all {
        assert_eq!(one(document), other(document), "{document}");
    }
    let n_good = all.iter().filter(|document| one(document)).count();
    assert!(one(good) && n_good > 0 && n_good < all.len() / 2, "{n_good} of {}", all.len());
}

#[test]
fn a_record_gets_the_same_verdict_in_an_envelope() {
    let (alone, inside) =
        (validator(DocumentKind::ProvRecord), validator(Contract::McpEnvelopeV01.into()));
    let wrap = |record: &Value| {
        json!({"schema_version": "mcp.envelope.v0.1", "result": 1,
            "provenance": record})
    };
    // An envelope may also contain `null` for the record.
    let inside = |record: &Value| !record.is_null() && inside.is_valid(&wrap(record));
    check_agree(|record| alone.is_valid(record), inside, &record());
}

/// Returns a valid document for each form of a contract.
fn envelopes(contract: Contract) -> Vec<Value> {
    match contract {
        Contract::ResponseV2 => vec![
            json!({"success": true, "data": {"n": 1}, "error": null, "meta": {
                "version": "response-v2", "warnings": ["w"], "warning_details": [
                    {"message": "w", "severity": "info", "context": {}}],
                "content_fidelity": "partial", "content_fidelity_schema_version": "1.0",
                "telemetry": {"duration_ms": 1.5}, "content_archive_hashes": {"a": "b"}}}),
            json!({"success": false, "data": {"error_code": "NOT_FOUND", "details": {}},
                "error": "no", "meta": {"version": "response-v2", "pagination": {"cursor": null}}}),
        ],
        Contract::EnvelopeV1 => vec![json!({
            "tier": "pro", "tool_version": "1", "tool_id": "t", "request_id": "r",
            "capabilities": ["envelope-v1"], "duration_ms": 1, "error": {"error": "no",
                "error_code": "not_found", "error_details": {"a": 1}},
            "upgrade_hints": [{"feature": "f", "tier": "pro", "reason": "r"}], "data": null})],
        Contract::MachineReadableV1 => vec![
            json!({"success": true, "command": "c", "output": "", "exitCode": 0,
                "metadata": {"a": "b"}}),
            json!({"success": false, "errors": [{"code": "EXIT_1", "message": "m",
                "category": "Unknown", "rawOutput": "", "mcpErrorCode": -32603, "data":
                {"exitCode": 1, "additionalData": {"a": "b"}}}], "exitCode": 1}),
        ],
        Contract::McpEnvelopeV01 => vec![envelope()],
    }
}

#[test]
fn advertised_schemas_are_equivalent_in_every_dialect() {
    for contract in Contract::ALL {
        let ours = validator(contract.into());
        let advertised = manila::output_schema(contract, None).to_string();
        for dialect in ["-07", "/2019-09", "/2020-12"] {
            let mut schema: Value = serde_json::from_str(&advertised).unwrap();
            let protocol = if dialect == "-07" { "http" } else { "https" };
            schema["$schema"] =
                format!("{protocol}://json-schema.org/draft{dialect}/schema").into();
            let inside = jsonschema::validator_for(&schema).unwrap();
            for good in envelopes(contract) {
                check_agree(|it| ours.is_valid(it), |it| inside.is_valid(it), &good);
            }
        }
    }
}

/// The rules that a schema can express. A document that breaks another rule may match its schema.
const SCHEMA_RULES: [&str; 13] = [
    "type",
    "required",
    "additionalProperties",
    "enum",
    "const",
    "minLength",
    "maxLength",
    "minimum",
    "minItems",
    "pattern",
    "flat",
    "null-on-success",
    "sentence-on-failure",
];

#[test]
fn the_checker_and_the_schemas_agree() {
    let others = [
        (DocumentKind::ProvRecord, vec![record()]),
        (DocumentKind::McpRequest, vec![request()]),
        (
            DocumentKind::RequestEnvelope,
            vec![json!({"id": "1", "jsonrpc": "2.0", "method": "tools/call", "params": {}})],
        ),
        (DocumentKind::ToolIo, vec![json!({"tool": "t", "input": {}, "output": {"n": 1}})]),
    ];
    let contracts = Contract::ALL.map(|contract| (contract.into(), envelopes(contract)));
    for (kind, documents) in contracts.into_iter().chain(others) {
        let schema = validator(kind);
        let checker = Checker::new(kind);
        for document in documents.iter().flat_map(mutations).chain(documents.clone()) {
            let verdict = checker.check(&document.to_string().into());
            if !schema.is_valid(&document) {
                assert!(!verdict.is_valid(), "{kind} accepts {document}");
                continue;
            }
            let violation = verdict.findings.iter().find(|finding| {
                finding.grade == Grade::Violation && SCHEMA_RULES.contains(&finding.rule)
            });
            assert!(violation.is_none(), "{kind}: {violation:?} in {document}");
        }
    }
}
