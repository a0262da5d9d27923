use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::check::Checker;
use crate::check::table::{Table, check_agreement, mutations, schema_of};
use crate::document_kind::DocumentKind;

fn table() -> Table {
    let checker = Checker::new(DocumentKind::McpRequest);
    let good = json!({
        "schema_version": "mcp.request.v0.1", "request_id": "r1", "time": "2026-01-02T03:04:05Z",
        "tool": {"name": "scan", "version": "v1"}, "params": {"deep": [1, {"x": null}]},
        "artifacts": [{
            "schema_version": "artifact.ref.v0.1", "artifact_id": "a1", "locator": "in.txt",
            "media_type": "text/plain", "labels": {"role": "x"},
            "digest": {"alg": "sha256", "value": "0".repeat(64)},
        }],
        "preferences": {"deterministic": true, "max_output_bytes": 1000, "locale": "en"},
    });
    Table { checker, good }
}

#[test]
fn checks_the_members_of_a_request() {
    let check = |pointer: &str, value: Option<Value>, expected: &str| {
        table().check(pointer, value, expected);
    };
    check("/params", Some(json!(null)), "");
    check("/params", None, "/params required P1");
    check("/tool", None, "/tool required P1");
    check("/artifacts", None, "/artifacts required P1");
    check("/artifacts", Some(json!([])), "");
    check("/schema_version", None, "/schema_version required P1");
    check("/schema_version", Some(json!("mcp.request.v0.2")), "/schema_version const P1");
    check("/method", Some(json!("x")), "/method additionalProperties P1");
    check("/request_id", Some(json!("é".repeat(201))), "/request_id maxLength P1");
    check("/tool/name", Some(json!("")), "/tool/name minLength P1");
    check("/tool/name", None, "/tool/name required P1");
    check("/tool/version", Some(json!("")), "");
    check("/tool/adapter", Some(json!("mcp")), "/tool/adapter additionalProperties P1");
    check("/time", Some(json!("2026-02-30T00:00:00Z")), "/time date-time P9");
    check("/time", Some(json!(7)), "/time type P9");
    check("/preferences/deterministic", Some(json!(1)), "/preferences/deterministic type P6");
    check(
        "/preferences/max_output_bytes",
        Some(json!(-1)),
        "/preferences/max_output_bytes minimum P1",
    );
    check(
        "/preferences/max_output_bytes",
        Some(json!(1.5)),
        "/preferences/max_output_bytes type P1",
    );
    check("/preferences/max_output_bytes", Some(json!(2.0)), "");
    check("/preferences", Some(json!(null)), "/preferences type P1");
    check("", Some(json!([])), " type P1");
}

#[test]
fn an_artifact_has_an_id_or_a_locator() {
    let at = "/artifacts/0";
    let check = |name: &str, value: Option<Value>, expected: &str| {
        table().check(&format!("{at}/{name}"), value, expected);
    };
    check("artifact_id", None, "");
    check("locator", None, "");
    check("locator", Some(json!("")), "/artifacts/0/locator minLength P1");
    check("size_bytes", Some(json!(1)), "/artifacts/0/size_bytes additionalProperties P1");
    check("digest/alg", Some(json!("md5")), "/artifacts/0/digest/alg enum P8");
    check(
        "digest/value",
        Some(json!("xyz")),
        concat!("/artifacts/0/digest/value minLength P8; ", "/artifacts/0/digest/value pattern P8"),
    );
    check(
        "digest/value",
        Some(json!("A".repeat(64))),
        "/artifacts/0/digest/value digest-form P8 advice",
    );
    let neither = json!({"schema_version": "artifact.ref.v0.1"});
    table().check(at, Some(neither), "/artifacts/0 anyOf P1");
}

static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| schema_of(DocumentKind::McpRequest));

proptest! {
    #[test]
    fn the_verdict_agrees_with_the_schema(document in mutations(&table().good)) {
        check_agreement(&table(), &SCHEMA, &document)?;
    }
}
