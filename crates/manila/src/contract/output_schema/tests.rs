use serde_json::{Value, json};

use super::{Unbound, output_schema, schema_around};
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
    // A pointer is one, too, when all of it is written with percent signs.
    let own =
        r##"{"type": "object", "properties": {"a": {"$ref": "#%2Fproperties%2Fb"}, "b": {}}}"##;
    let whole = wrapped(Contract::ResponseV2, own);
    let moved = whole.pointer(&format!("{place}/properties/a/$ref")).unwrap();
    assert_eq!(*moved, format!("#{place}%2Fproperties%2Fb"));
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
    let meta = json!({"version": "response-v2"});
    let envelope =
        |data: Value| json!({"success": true, "data": data, "error": null, "meta": meta});
    assert!(validator.is_valid(&envelope(json!({"result": ["a"]}))));
    assert!(!validator.is_valid(&envelope(json!({"result": [1]}))));
}

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";

/// Checks that a schema says the same of a payload in an envelope as on its own, and that it
/// takes the good ones and no others.
#[track_caller]
fn check_same(own: &Value, good: &[Value], bad: &[Value]) {
    let alone = jsonschema::validator_for(own).unwrap();
    let p = |result: &Value| json!({"schema_version": "mcp.envelope.v0.1", "result": result});
    let r = |data: &Value| {
        let data = if data.is_object() { data.clone() } else { json!({"result": data}) };
        json!({"success": true, "data": data, "error": null, "meta": {"version": "response-v2"}})
    };
    let own = RawJson::parse(own.to_string()).unwrap();
    let around = |contract| {
        let whole = schema_around(contract, &own).unwrap().to_string();
        jsonschema::validator_for(&serde_json::from_str(&whole).unwrap()).unwrap()
    };
    let (in_p, in_r) = (around(Contract::McpEnvelopeV01), around(Contract::ResponseV2));
    let all = good.iter().map(|it| (it, true)).chain(bad.iter().map(|it| (it, false)));
    for (payload, fits) in all {
        let found =
            [alone.is_valid(payload), in_p.is_valid(&p(payload)), in_r.is_valid(&r(payload))];
        assert_eq!(found, [fits; 3], "{payload} in {own}");
    }
}

#[test]
fn draft_7_means_the_same_inside() {
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
    // Beside a reference nothing counts: no type, and no id.
    check_same(
        &json!({"$schema": DRAFT_7, "$id": "https://example.com/s", "$ref": "#/definitions/a",
            "type": "object", "definitions": {"a": {"$ref": "#/definitions/b", "minLength": 9},
            "b": {"type": "string", "maxLength": 1}}}),
        &[json!("a"), json!("")],
        &[json!("ab"), json!(["a"])],
    );
}

#[test]
fn draft_2020_means_the_same_inside() {
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
fn check_unbound(own: &Value, expected: &str) {
    let own = RawJson::parse(own.to_string()).unwrap();
    let unbound = schema_around(Contract::ResponseV2, &own).unwrap_err();
    assert_eq!(unbound.to_string(), expected);
    for contract in Contract::ALL {
        let whole = output_schema(contract, Some(&own));
        if unbound != Unbound::TypeUnsaid {
            assert_eq!(whole, output_schema(contract, None), "{contract}: {own}");
        }
    }
}

#[test]
fn what_cannot_be_moved_does_not_bind() {
    for (dialect, named) in [
        (
            json!("http://json-schema.org/draft-06/schema#"),
            "http://json-schema.org/draft-06/schema#",
        ),
        (json!("http://json-schema.org/draft-04/schema"), "http://json-schema.org/draft-04/schema"),
        (json!("https://example.com/mine"), "https://example.com/mine"),
        (json!(7), "no text"),
    ] {
        check_unbound(
            &json!({"$schema": dialect, "type": "object"}),
            &format!("its `$schema` must name draft-07, 2019-09 or 2020-12, but names `{named}`"),
        );
    }
    let elsewhere = |at: &str| format!("it refers to `{at}`, where JSON Schema knows of no schema");
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
        check_unbound(
            &json!({"type": "object", "properties": {"a": {"$ref": reference}}, "const": {},
                "components": {"schemas": {"a": {"$ref": "#/components/schemas/b"}, "b": {}}},
                "required": ["a"], "$defs": {"own": {"$id": "urn:a", "$defs": {"a": {}}}}}),
            &elsewhere(reference),
        );
    }
    check_unbound(
        &json!({"$schema": DRAFT_2019, "type": "array", "items": {"$recursiveRef": "#"}}),
        &elsewhere("$recursiveRef"),
    );
    for (no_schema, kind) in
        [(json!(7), "a number"), (json!([]), "an array"), (json!(null), "null")]
    {
        let expected = format!("a schema must be an object, true or false, but it is {kind}");
        check_unbound(&no_schema, &expected);
    }
}

#[test]
fn a_type_is_said_at_the_root_or_where_it_refers_to() {
    const UNSAID: &str = "its root does not say by `type` whether the payload is an object";
    check_unbound(&json!({}), UNSAID);
    check_unbound(&json!(true), UNSAID);
    check_unbound(&json!({"type": ["object", "null"]}), UNSAID);
    check_unbound(&json!({"type": ["array", "null"]}), UNSAID);
    check_unbound(&json!({"type": []}), UNSAID);
    check_unbound(&json!({"$ref": "#"}), UNSAID);
    check_unbound(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}), UNSAID);
    check_unbound(&json!({"anyOf": [{"type": "object"}, {"type": "null"}]}), UNSAID);
    check_same(
        &json!({"$ref": "#/$defs/a~1", "$defs": {"a/": {"$ref": "#/$defs/b/anyOf/0"},
            "b": {"anyOf": [{"type": "object", "required": ["n"]}]}}}),
        &[json!({"n": 1})],
        &[json!({}), json!([])],
    );
    check_same(&json!({"type": ["string", "array"]}), &[json!("a"), json!([])], &[json!(1)]);
    let never = RawJson::parse("false").unwrap();
    let whole = schema_around(Contract::McpEnvelopeV01, &never).unwrap().to_string();
    let whole = jsonschema::validator_for(&serde_json::from_str(&whole).unwrap()).unwrap();
    assert!(!whole.is_valid(&json!({"schema_version": "mcp.envelope.v0.1", "result": 1})));
}
