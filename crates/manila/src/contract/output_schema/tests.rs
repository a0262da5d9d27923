use serde_json::{Value, json};

use super::{PayloadSchemaError, output_schema, try_output_schema};
use crate::contract::Contract;
use crate::raw_json::RawJson;

fn wrap_schema(contract: Contract, tool_schema: &str) -> Value {
    let tool_schema = RawJson::parse(tool_schema.to_owned()).unwrap();
    serde_json::from_str(&output_schema(contract, Some(&tool_schema)).to_string()).unwrap()
}

const TOOL_SCHEMA: &str = r##"{
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
    let schema = wrap_schema(Contract::ResponseV2, TOOL_SCHEMA);
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert!(schema.get("$id").is_none());
    let place = "/allOf/0/then/properties/data";
    let relocated = schema.pointer(place).unwrap();
    assert_eq!(relocated["properties"]["tree"]["$ref"], format!("#{place}/definitions/node"));
    let node = &relocated["definitions"]["node"]["properties"];
    assert_eq!(node["next"]["$ref"], format!("#{place}/definitions/node"));
    assert_eq!(node["all"]["$ref"], format!("#{place}"));
    // A property with that name is not a reference, and neither is data.
    let named = &relocated["properties"]["$ref"];
    assert_eq!(
        *named,
        json!({"type": "string", "enum": ["#/definitions/node"],
        "default": {"$ref": "#/x"}})
    );
    assert_eq!(relocated["properties"]["own"]["items"]["$ref"], "#/definitions/kept");
    assert!(relocated.get("x-fastmcp-wrap-result").is_none());
    assert!(relocated.get("$schema").is_none());
    // A pointer may be percent-encoded.
    let tool_schema =
        r##"{"type": "object", "properties": {"a": {"$ref": "#%2Fproperties%2Fb"}, "b": {}}}"##;
    let schema = wrap_schema(Contract::ResponseV2, tool_schema);
    let moved = schema.pointer(&format!("{place}/properties/a/$ref")).unwrap();
    assert_eq!(*moved, format!("#{place}%2Fproperties%2Fb"));
}

#[track_caller]
fn check(contract: Contract, envelope: &Value, is_valid: bool) {
    let schema = wrap_schema(contract, TOOL_SCHEMA);
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert_eq!(validator.is_valid(envelope), is_valid, "{contract}: {envelope}");
}

#[test]
fn the_tools_schema_applies_only_under_its_condition() {
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
fn a_payload_that_is_not_an_object_is_validated_at_its_place() {
    let schema =
        wrap_schema(Contract::ResponseV2, r#"{"type": "array", "items": {"type": "string"}}"#);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let meta = json!({"version": "response-v2"});
    let envelope =
        |data: Value| json!({"success": true, "data": data, "error": null, "meta": meta});
    assert!(validator.is_valid(&envelope(json!({"result": ["a"]}))));
    assert!(!validator.is_valid(&envelope(json!({"result": [1]}))));
}

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

/// Checks that a schema accepts the good payloads and rejects the bad ones, both alone and in an
/// envelope.
#[track_caller]
fn check_same(tool_schema: &Value, good: &[Value], bad: &[Value]) {
    let alone = jsonschema::validator_for(tool_schema).unwrap();
    let p = |result: &Value| json!({"schema_version": "mcp.envelope.v0.1", "result": result});
    let r = |data: &Value| {
        let data = if data.is_object() { data.clone() } else { json!({"result": data}) };
        json!({"success": true, "data": data, "error": null, "meta": {"version": "response-v2"}})
    };
    let tool_schema = RawJson::parse(tool_schema.to_string()).unwrap();
    let validator = |contract| {
        let schema = try_output_schema(contract, &tool_schema).unwrap().to_string();
        jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
    };
    let (in_p, in_r) = (validator(Contract::McpEnvelopeV01), validator(Contract::ResponseV2));
    let all = good.iter().map(|it| (it, true)).chain(bad.iter().map(|it| (it, false)));
    for (payload, is_valid) in all {
        let found =
            [alone.is_valid(payload), in_p.is_valid(&p(payload)), in_r.is_valid(&r(payload))];
        assert_eq!(found, [is_valid; 3], "{payload} in {tool_schema}");
    }
}

#[test]
fn draft_7_has_the_same_meaning_in_an_envelope() {
    check_same(
        &json!({"$schema": DRAFT_7, "type": "object", "definitions": {
                "a/b c": {"type": "integer"}, "list": {"items": [{"$ref": "#/definitions/word"},
                {"$ref": "#/definitions/list/items/0"}], "additionalItems": {"$ref": "#named"}},
                "word": {"$ref": "#/definitions/real", "type": "null"},
                "real": {"type": "string"}, "x": {"$id": "#named", "maximum": 3}},
            "properties": {"n": {"$ref": "#/definitions/a~1b%20c"}, "more": {"$ref": "#"},
                "list": {"$ref": "#/definitions/list"}, "never": false,
                "$ref": {"const": {"$ref": "#/definitions/real"}}},
            "dependencies": {"n": ["list"], "more": {"properties": {"w":
                {"$ref": "#/definitions/word"}}}, "list": {"$ref": "#/dependencies/more"}}}),
        &[
            json!({"n": 1, "list": ["a", "b", 3, 2]}),
            json!({"more": {"n": 1, "list": []}, "w": "x"}),
            json!({"$ref": {"$ref": "#/definitions/real"}}),
        ],
        &[
            json!({"n": 1}),
            json!({"n": "1", "list": []}),
            json!({"list": ["a", 2]}),
            json!({"list": ["a", "b", 4]}),
            json!({"more": {"n": 1}}),
            json!({"more": {}, "w": 7}),
            json!({"list": [], "w": 7}),
            json!({"never": 1}),
            json!({"$ref": "x"}),
        ],
    );
    // Keywords beside a reference have no effect, including the type and the id.
    check_same(
        &json!({"$schema": DRAFT_7, "$id": "https://example.com/s", "$ref": "#/definitions/a",
            "type": "object", "definitions": {"a": {"$ref": "#/definitions/b", "minLength": 9},
            "b": {"type": "string", "maxLength": 1}}}),
        &[json!("a"), json!("")],
        &[json!("ab"), json!(["a"])],
    );
}

#[test]
fn draft_2020_has_the_same_meaning_in_an_envelope() {
    check_same(
        &json!({"$schema": DRAFT_2020, "$dynamicAnchor": "node", "type": "object",
            "$defs": {"%": {"$anchor": "name", "type": "string"},
                "own": {"$id": "urn:own", "items": {"$ref": "#/$defs/kept"},
                    "$defs": {"kept": {"type": "string"}}}},
            "properties": {"next": {"$dynamicRef": "#node"}, "name": {"$ref": "#name"},
                "pair": {"prefixItems": [{"$ref": "#/$defs/%25"}, true],
                    "items": {"$ref": "#/properties/pair/prefixItems/0", "minLength": 1}},
                "own": {"$ref": "#/$defs/own"}, "named": {"$ref": "urn:own"},
                "kind": {"enum": [{"$ref": "#"}], "default": {"$ref": "#/nowhere"},
                    "examples": [{"$ref": "#/nowhere"}]}},
            "dependentSchemas": {"name": {"required": ["pair"]}},
            "unevaluatedProperties": {"not": {"$ref": "#/$defs/%25"}}}),
        &[
            json!({"next": {"next": {"name": "a", "pair": ["a", 7, "c"]}}, "more": 7}),
            json!({"own": ["a"], "named": ["b"], "kind": {"$ref": "#"}}),
        ],
        &[
            json!({"next": {"next": {"name": "a"}}}),
            json!({"name": 7, "pair": []}),
            json!({"pair": [7]}),
            json!({"pair": ["a", 7, ""]}),
            json!({"own": [7]}),
            json!({"named": [7]}),
            json!({"kind": {"$ref": "#/x"}}),
            json!({"more": "text"}),
        ],
    );
    for id in ["https://example.com/own", "own.json"] {
        check_same(
            &json!({"$id": id, "$ref": "#/$defs/a", "$defs": {"a": {"type": "array",
                "items": {"$ref": "#/$defs/a"}}}}),
            &[json!([]), json!([[[]]])],
            &[json!("a"), json!([[[7]]])],
        );
    }
    check_same(
        &json!({"$schema": DRAFT_2019, "$ref": "#/$defs/a", "type": ["array"],
            "$defs": {"a": {"items": [{"$ref": "#/$defs/b"}]}, "b": {"type": "null"}}}),
        &[json!([null, 7])],
        &[json!([7]), json!("a")],
    );
}

#[track_caller]
fn check_unusable(tool_schema: &Value, expected: &str) {
    let tool_schema = RawJson::parse(tool_schema.to_string()).unwrap();
    let error = try_output_schema(Contract::ResponseV2, &tool_schema).unwrap_err();
    assert_eq!(error.to_string(), expected);
    for contract in Contract::ALL {
        let schema = output_schema(contract, Some(&tool_schema));
        if error != PayloadSchemaError::TypeUnspecified {
            assert_eq!(schema, output_schema(contract, None), "{contract}: {tool_schema}");
        }
    }
}

#[test]
fn a_schema_that_cannot_be_relocated_is_not_used() {
    for (dialect, named) in [
        (
            json!("http://json-schema.org/draft-06/schema#"),
            "http://json-schema.org/draft-06/schema#",
        ),
        (json!("http://json-schema.org/draft-04/schema"), "http://json-schema.org/draft-04/schema"),
        (json!("https://example.com/mine"), "https://example.com/mine"),
        (json!(7), "not a string"),
    ] {
        check_unusable(
            &json!({"$schema": dialect, "type": "object"}),
            &format!("its `$schema` must name draft-07, 2019-09 or 2020-12, but names `{named}`"),
        );
    }
    let elsewhere = |at: &str| format!("it refers to `{at}`, which is not a schema");
    for reference in [
        "#/components/schemas/a",
        "#/const",
        "#/properties",
        "#/required/0",
        "#/nowhere",
        "#/",
        "",
        "#/$defs/own/$defs/a",
    ] {
        check_unusable(
            &json!({"type": "object", "properties": {"a": {"$ref": reference}}, "const": {},
                "components": {"schemas": {"a": {"$ref": "#/components/schemas/b"}, "b": {}}},
                "required": ["a"], "$defs": {"own": {"$id": "urn:a", "$defs": {"a": {}}}}}),
            &elsewhere(reference),
        );
    }
    check_unusable(
        &json!({"$schema": DRAFT_2019, "type": "array", "items": {"$recursiveRef": "#"}}),
        &elsewhere("$recursiveRef"),
    );
    for (not_a_schema, kind) in
        [(json!(7), "a number"), (json!([]), "an array"), (json!(null), "null")]
    {
        let expected = format!("a schema must be an object, true or false, but it is {kind}");
        check_unusable(&not_a_schema, &expected);
    }
}

#[test]
fn the_type_is_at_the_root_or_behind_its_references() {
    const UNTYPED: &str = "its root must have a `type` that tells whether the payload is an object";
    check_unusable(&json!({}), UNTYPED);
    check_unusable(&json!(true), UNTYPED);
    check_unusable(&json!({"type": ["object", "null"]}), UNTYPED);
    check_unusable(&json!({"type": ["array", "null"]}), UNTYPED);
    check_unusable(&json!({"type": []}), UNTYPED);
    check_unusable(&json!({"$ref": "#"}), UNTYPED);
    check_unusable(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}), UNTYPED);
    check_unusable(&json!({"anyOf": [{"type": "object"}, {"type": "null"}]}), UNTYPED);
    check_same(
        &json!({"$ref": "#/$defs/a~1", "$defs": {"a/": {"$ref": "#/$defs/b/anyOf/0"},
            "b": {"anyOf": [{"type": "object", "required": ["n"]}]}}}),
        &[json!({"n": 1})],
        &[json!({}), json!([])],
    );
    check_same(&json!({"type": ["string", "array"]}), &[json!("a"), json!([])], &[json!(1)]);
    let never = RawJson::parse("false").unwrap();
    let schema = try_output_schema(Contract::McpEnvelopeV01, &never).unwrap().to_string();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    assert!(!validator.is_valid(&json!({"schema_version": "mcp.envelope.v0.1", "result": 1})));
}
