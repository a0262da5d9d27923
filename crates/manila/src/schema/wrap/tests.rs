use serde_json::{Value, json};

use super::output_schema;
use crate::contract::Contract;
use crate::raw_json::RawJson;

fn wrapped(contract: Contract, own: &str) -> Value {
    let own = RawJson::parse(own.to_owned()).unwrap();
    serde_json::from_str(&output_schema(contract, Some(&own)).to_string()).unwrap()
}

const OWN: &str = r##"{
    "$schema": "http://json-schema.org/draft-07/schema#", "x-fastmcp-wrap-result": true,
    "type": "object", "required": ["tree"],
    "properties": {
        "tree": {"$ref": "#/definitions/node"},
        "$ref": {"type": "string", "enum": ["#/definitions/node"], "default": {"$ref": "#/x"}},
        "own": {"$id": "urn:own", "items": {"$ref": "#/definitions/kept"},
            "definitions": {"kept": {"type": "string"}}}
    },
    "definitions": {"node": {"type": "object", "properties": {
        "next": {"$ref": "#/definitions/node"}, "all": {"$ref": "#"}}}}
}"##;

#[test]
fn references_move_with_the_schema() {
    let whole = wrapped(Contract::ResponseV2, OWN);
    assert_eq!(whole["type"], "object");
    assert_eq!(whole["$schema"], "http://json-schema.org/draft-07/schema#");
    assert!(whole.get("$id").is_none());
    let place = "/allOf/0/then/properties/data";
    let own = whole.pointer(place).unwrap();
    assert_eq!(own["properties"]["tree"]["$ref"], format!("#{place}/definitions/node"));
    let node = &own["definitions"]["node"]["properties"];
    assert_eq!(node["next"]["$ref"], format!("#{place}/definitions/node"));
    assert_eq!(node["all"]["$ref"], format!("#{place}"));
    // A property of that name is no reference, and neither is data.
    let named = &own["properties"]["$ref"];
    assert_eq!(
        *named,
        json!({"type": "string", "enum": ["#/definitions/node"],
        "default": {"$ref": "#/x"}})
    );
    assert_eq!(own["properties"]["own"]["items"]["$ref"], "#/definitions/kept");
    assert!(own.get("x-fastmcp-wrap-result").is_none());
    assert!(own.get("$schema").is_none());
}

#[track_caller]
fn check(contract: Contract, envelope: &Value, fits: bool) {
    let whole = wrapped(contract, OWN);
    let validator = jsonschema::validator_for(&whole).unwrap();
    assert_eq!(validator.is_valid(envelope), fits, "{contract}: {envelope}");
}

#[test]
fn the_tools_schema_binds_while_nothing_says_otherwise() {
    let meta = json!({"version": "response-v2"});
    let warned = json!({"version": "response-v2",
        "warnings": ["w"], "warning_details": [{"message": "w"}]});
    let r = |success: bool, data: Value, meta: &Value| {
        let error = if success { Value::Null } else { json!("it failed") };
        json!({"success": success, "data": data, "error": error, "meta": meta})
    };
    check(Contract::ResponseV2, &r(true, json!({"tree": {"next": {}}}), &meta), true);
    check(Contract::ResponseV2, &r(true, json!({"tree": 7}), &meta), false);
    check(Contract::ResponseV2, &r(true, json!({"tree": {"next": {"next": 7}}}), &meta), false);
    check(Contract::ResponseV2, &r(true, json!({"tree": 7}), &warned), true);
    check(Contract::ResponseV2, &r(false, json!({"error_code": "NOT_FOUND"}), &meta), true);
    check(Contract::ResponseV2, &json!({"tree": {}}), false);

    let p = |result: Value| json!({"schema_version": "mcp.envelope.v0.1", "result": result});
    check(Contract::McpEnvelopeV01, &p(json!({"tree": {}})), true);
    check(Contract::McpEnvelopeV01, &p(json!({"tree": 7})), false);
    let mut failed = p(Value::Null);
    failed["errors"] = json!([{"code": "X", "message": "y"}]);
    check(Contract::McpEnvelopeV01, &failed, true);

    let e = json!({"tier": "community", "tool_version": "1", "tool_id": "t", "request_id": "r",
        "capabilities": [], "duration_ms": null, "error": null, "upgrade_hints": [], "data": 7});
    check(Contract::EnvelopeV1, &e, true);
    check(Contract::EnvelopeV1, &json!({"data": {"tree": {}}}), false);
    let m = json!({"success": true, "output": "x", "exitCode": 0});
    check(Contract::MachineReadableV1, &m, true);
}

#[test]
fn a_payload_that_is_no_object_stands_where_the_contract_puts_it() {
    let whole = wrapped(Contract::ResponseV2, r#"{"type": "array", "items": {"type": "string"}}"#);
    let validator = jsonschema::validator_for(&whole).unwrap();
    let envelope = |data: Value| json!({"success": true, "data": data, "error": null, "meta": {"version": "response-v2"}});
    assert!(validator.is_valid(&envelope(json!({"result": ["a"]}))));
    assert!(!validator.is_valid(&envelope(json!({"result": [1]}))));
}
