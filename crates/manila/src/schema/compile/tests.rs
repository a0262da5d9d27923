use std::sync::Arc;

use super::Schema;
use crate::raw_json::RawJson;
use crate::schema::{Registry, cost};

#[track_caller]
fn check(schema: &str, value: &str, expected: &str) {
    let schema = Schema::compile(&RawJson::parse(schema.to_owned()).unwrap()).unwrap();
    let found = schema.check(&RawJson::parse(value.to_owned()).unwrap()).unwrap();
    let found: Vec<String> = found.iter().map(|it| format!("{} ({})", it, it.rule)).collect();
    assert_eq!(found.join("; "), expected, "{value}");
}

#[test]
fn a_violation_contains_pointer_and_rule_but_no_value() {
    let schema = r#"{"type": "object", "properties": {
        "n": {"type": "integer", "maximum": 3}, "s": {"type": ["string", "null"], "maxLength": 2},
        "e": {"enum": ["a", "b"]}}, "required": ["n"], "additionalProperties": false}"#;
    check(schema, r#"{"n": 1}"#, "");
    check(schema, "{}", "/n is required (required)");
    check(schema, r#"{"n": "hunter2"}"#, "/n must be of type integer (type)");
    check(
        schema,
        r#"{"n": 4, "x/y": 1}"#,
        "/n must be at most 3 (maximum); /x~1y is not a known member (additionalProperties)",
    );
    check(schema, r#"{"n": 1, "s": "hunter2"}"#, "/s must have at most 2 characters (maxLength)");
    check(schema, r#"{"n": 1, "e": "c"}"#, r#"/e must be one of ["a","b"] (enum)"#);
    check(schema, "7", "must be of type object (type)");
    let names = r#"{"propertyNames": {"maxLength": 3, "not": {"const": "abc"}}}"#;
    check(
        names,
        r#"{"hunter2": 1, "abc": 2}"#,
        "/abc has a name that must not match the schema in `not` (propertyNames); \
         /hunter2 has a name that must have at most 3 characters (propertyNames)",
    );
    check(r#"{"contains": {"const": "hunter2"}}"#, r#"["x"]"#, CONTAINS);
    check(
        r#"{"properties": {"a": false}}"#,
        r#"{"a": "hunter2"}"#,
        "/a must be absent (falseSchema)",
    );
}

const CONTAINS: &str = "must have an item that matches `contains` (contains)";

/// The usual schema of a tool without arguments.
#[test]
fn members_of_a_closed_schema_are_reported_one_by_one() {
    let none = r#"{"type": "object", "additionalProperties": false}"#;
    let expected = "/a is not a known member (additionalProperties); \
                /b~1c is not a known member (additionalProperties)";
    check(none, r#"{"a": 1, "b/c": 2}"#, expected);
    check(
        &format!(r#"{{"properties": {{"n": {none}}}}}"#),
        r#"{"n": {"a": 1}}"#,
        "/n/a is not a known member (additionalProperties)",
    );
    let named = format!(r#"{{"properties": {{"properties": {none}}}}}"#);
    check(
        &named,
        r#"{"properties": {"a": 1}}"#,
        "/properties/a is not a known member (additionalProperties)",
    );
    let many: Vec<String> = (0..1000).map(|n| format!("\"{n}\": 1")).collect();
    let schema = Schema::compile(&RawJson::parse(none.to_owned()).unwrap()).unwrap();
    let many = RawJson::parse(format!("{{{}}}", many.join(","))).unwrap();
    assert_eq!(schema.check(&many).unwrap().len(), super::VIOLATIONS_MAX);
    let named = r#"{"properties": {"additionalProperties": false}}"#;
    check(
        named,
        r#"{"additionalProperties": {"a": 1}}"#,
        "/additionalProperties must be absent (falseSchema)",
    );
}

#[test]
fn a_duplicate_argument_is_a_violation() {
    let schema = Schema::compile(&RawJson::literal(r#"{"type": "object"}"#)).unwrap();
    for (arguments, expected) in [
        (r#"{"a": 1, "b": {"a": 1}, "c": "\",\"a\":", "d": [{"a": ":"}, {"a": 2}]}"#, None),
        (r#"{"a": 1, "b": 2, "a": 1}"#, Some("/a")),
        (r#"{"a": 1, "\u0061": 2}"#, Some("/a")),
        (r#"{"x/y": [1, {"n": {"m": 1, "k": [], "m": 2}}]}"#, Some("/x~1y/1/n/m")),
    ] {
        let arguments = RawJson::parse(arguments).unwrap();
        let found = schema.check_arguments(Some(&arguments));
        let pointers: Vec<&str> = found.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!(pointers, Vec::from_iter(expected), "{arguments}");
    }
}

#[test]
fn values_that_no_tree_can_hold_are_checked() {
    check(r#"{"type": "object"}"#, r#"{"n": 1e999, "s": "\ud800"}"#, "");
    check(
        r#"{"properties": {"s": {"type": "integer"}}}"#,
        r#"{"n": 1e999, "s": "\ud800"}"#,
        "/s must be of type integer (type)",
    );
}

#[track_caller]
fn check_unusable(schema: &str, expected: &str) {
    let error = Schema::compile(&RawJson::parse(schema.to_owned()).unwrap()).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn schemas_are_bounded_and_never_fetched() {
    check_unusable(r#"{"$ref": "http://example.com/schema.json"}"#, "example.com");
    check_unusable(r#"{"type": "strange"}"#, "cannot be used: /type must be array, boolean,");
    check_unusable(r#"{"not": {"pattern": "["}}"#, "cannot be used: /not/pattern must be a valid");
    check_unusable(r##"{"$ref": "#nowhere"}"##, "cannot be used: Anchor 'nowhere' does not exist");
    check_unusable(&format!(r#"{{"description": "{}"}}"#, "x".repeat(300_000)), "at most 262144");
    check(
        r##"{"properties": {"a": {"$ref": "#"}}, "type": "object"}"##,
        r#"{"a": {"a": 7}}"#,
        "/a/a must be of type object (type)",
    );
}

/// Returns definitions `a0` to `a{n}`, each a reference to the next.
fn definitions(at: &str, n: usize, link: impl Fn(&str) -> String) -> String {
    let linked = (0..n).map(|n| {
        let next = format!(r##"{{"$ref": "#{at}/a{}"}}"##, n + 1);
        format!(r#""a{n}": {}, "#, link(&next))
    });
    linked.collect::<String>() + &format!(r#""a{n}": {{"type": "null"}}"#)
}

#[test]
fn references_that_multiply_the_work_are_unusable() {
    let twice = |next: &str| format!(r#"{{"anyOf": [{next}, {next}]}}"#);
    let bomb = definitions("/$defs", 30, twice);
    let bomb = format!(r##"{{"$ref": "#/$defs/a0", "$defs": {{{bomb}}}}}"##);
    check_unusable(&bomb, "references expand it");
    let bomb = definitions("/properties/definitions/$defs", 30, twice);
    let below = format!(
        r##"{{"properties": {{"definitions": {{"$defs": {{{bomb}}},
            "$ref": "#/properties/definitions/$defs/a0"}}}}}}"##
    );
    check_unusable(&below, "references expand it");
    let at_children = |next: &str| format!(r#"{{"properties": {{"a": {next}, "b": {next}}}}}"#);
    let bomb = definitions("/$defs", 30, at_children);
    let bomb = format!(r##"{{"items": {{"$ref": "#/$defs/a0"}}, "$defs": {{{bomb}}}}}"##);
    check_unusable(&bomb, "references expand it");
    // Unreferenced schemas and data cost nothing.
    let bomb = definitions("/const/$defs", 30, twice);
    let harmless = format!(r##"{{"const": {{"$ref": "#/const/$defs/a0", "$defs": {{{bomb}}}}}}}"##);
    check(&harmless.replace("const", "default"), "7", "");
    check(
        r#"{"properties": {"$ref": {"type": "string"}, "$defs": {"type": "null"}}}"#,
        r#"{"$ref": 1, "$defs": 1}"#,
        "/$defs must be of type null (type); /$ref must be of type string (type)",
    );
}

#[test]
fn endless_references_are_unusable() {
    // Longer than a schema may be, so that the count itself is tested.
    let chain = definitions("/$defs", 20_000, str::to_owned);
    let chain = format!(r##"{{"$ref": "#/$defs/a0", "$defs": {{{chain}}}}}"##);
    let error = cost::check(&serde_json::from_str(&chain).unwrap()).unwrap_err();
    assert!(error.contains("within one another"), "{error}");
    let chain = definitions("/$defs", 100, str::to_owned);
    let chain = format!(r##"{{"$ref": "#/$defs/a0", "$defs": {{{chain}}}}}"##);
    check(&chain, "7", "must be of type null (type)");
    check_unusable(r##"{"$ref": "#"}"##, "refers to itself endlessly");
    check_unusable(r##"{"$recursiveRef": "#"}"##, "refers to itself endlessly");
    check_unusable(
        r##"{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}"##,
        "refers to itself endlessly",
    );
    check_unusable(
        r##"{"$defs": {"a": {"$anchor": "it", "not": {"$ref": "#it"}}},
            "items": {"$ref": "#it"}}"##,
        "refers to itself endlessly",
    );
    check_unusable(
        r##"{"$defs": {"a/~ b": {"not": {"$ref": "#/%24defs/a~1~0%20b"}}},
            "items": {"$ref": "#/$defs/a~1~0%20b"}}"##,
        "refers to itself endlessly",
    );
}

#[test]
fn the_deepest_value_fits_the_stack() {
    // The maximum number of schemas per level, of the kinds that take most of the stack.
    let schema = |n: usize| {
        let link = |next: &str| format!(r#"{{"oneOf": [{next}, {{"type": "string"}}]}}"#);
        let last = r##"{"type": ["array", "null"], "items": {"$ref": "#/$defs/a0"}}"##;
        let chain = definitions("/$defs", n, link).replace(r#"{"type": "null"}"#, last);
        format!(r##"{{"$ref": "#/$defs/a0", "$defs": {{{chain}}}}}"##)
    };
    let value = format!("{}7{}", "[".repeat(127), "]".repeat(127));
    let value = RawJson::parse(value).unwrap();
    let usable = Schema::compile(&RawJson::parse(schema(4)).unwrap()).unwrap();
    assert_eq!(usable.check(&value).unwrap().len(), 1);
    check_unusable(&schema(5), "within one another");
}

#[test]
fn recursion_that_visits_a_value_twice_is_unusable() {
    const TWICE: &str = "visits the same value several times";
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let bomb = r##"{"$defs": {"a": {"KEYWORD": [{"properties": {"x": {"$ref": "#/$defs/a"}}},
            {"properties": {"x": {"$ref": "#/$defs/a"}}}]}}, "$ref": "#/$defs/a"}"##;
        check_unusable(&bomb.replace("KEYWORD", keyword), TWICE);
    }
    for schema in [
        // Two paths to the same step down.
        r##"{"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}],
            "$defs": {"b": {"properties": {"x": {"$ref": "#"}}}}}"##,
        r##"{"if": {"$ref": "#/$defs/b"}, "then": {"$ref": "#/$defs/b"},
            "$defs": {"b": {"items": {"$ref": "#"}}}}"##,
        r##"{"properties": {"x": {"$ref": "#"}}, "patternProperties": {"^x": {"$ref": "#"}}}"##,
        r##"{"patternProperties": {"^x": {"$ref": "#"}, "x$": {"$ref": "#"}}}"##,
        r##"{"properties": {"x": {"$ref": "#"}}, "not": {"additionalProperties": {"$ref": "#"}}}"##,
        r##"{"items": {"$ref": "#"}, "contains": {"$ref": "#"}}"##,
        r##"{"items": {"$ref": "#"}, "anyOf": [{"prefixItems": [{"$ref": "#"}]}]}"##,
        r##"{"items": {"$dynamicRef": "#n"}, "contains": {"$ref": "#"}, "$dynamicAnchor": "n"}"##,
        // Two keywords lead to two schemas that lead back.
        r##"{"properties": {"x": {"$ref": "#/$defs/b"}}, "allOf": [{"$ref": "#/$defs/c"}],
            "$defs": {"b": {"items": {"$ref": "#"}},
                "c": {"properties": {"x": {"items": {"$ref": "#"}}}}}}"##,
        // Unevaluated members are found by a second check.
        r##"{"anyOf": [{"properties": {"x": {"$ref": "#"}}}], "unevaluatedProperties": false}"##,
        r##"{"unevaluatedProperties": {"$ref": "#"}}"##,
    ] {
        check_unusable(schema, TWICE);
    }
}

#[test]
fn recursion_that_descends_is_usable() {
    for (schema, good, bad, expected) in [
        (
            r##"{"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}},
                "additionalProperties": false}"##,
            r#"{"left": {"right": {}}, "right": {}}"#,
            r#"{"left": {"middle": {}}}"#,
            "/left/middle is not a known member (additionalProperties)",
        ),
        (
            r##"{"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties":
                {"value": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/Node"},
                {"type": "null"}], "default": null}}, "required": ["value"]}}}"##,
            r#"{"value": 1, "next": {"value": 2, "next": null}}"#,
            r#"{"value": 1, "next": {"next": null}}"#,
            "/next must match at least one of the alternatives (anyOf)",
        ),
        (
            r##"{"anyOf": [{"type": ["string", "number", "boolean", "null"]}, {"type": "array",
                "items": {"$ref": "#"}}, {"type": "object", "additionalProperties": {"$ref": "#"},
                "propertyNames": {"$ref": "#/$defs/name"}}],
                "$defs": {"name": {"minLength": 1}}}"##,
            r#"{"a": [1, {"b": null}]}"#,
            r#"{"a": [1, {"": null}]}"#,
            "must match at least one of the alternatives (anyOf)",
        ),
        (
            r##"{"anyOf": [{"properties": {"and": {"items": {"$ref": "#"}}}, "required": ["and"]},
                {"properties": {"or": {"items": {"$ref": "#"}}}, "required": ["or"]},
                {"properties": {"field": {"type": "string"}}, "required": ["field"]}]}"##,
            r#"{"and": [{"field": "a"}, {"or": [{"field": "b"}]}]}"#,
            r#"{"and": [{"field": "a"}, {"or": [{}]}]}"#,
            "must match at least one of the alternatives (anyOf)",
        ),
        (
            r##"{"type": "array", "prefixItems": [{"type": "string"}, {"$ref": "#"}],
                "items": {"$ref": "#"}}"##,
            r#"["a", ["b"], ["c"]]"#,
            r#"["a", ["b"], [1]]"#,
            "/2/0 must be of type string (type)",
        ),
        // Names of members have no children.
        (
            r##"{"propertyNames": {"$ref": "#"}, "maxLength": 1}"##,
            r#"{"a": 1}"#,
            r#""ab""#,
            "must have at most 1 characters (maxLength)",
        ),
        (
            r#"{"properties":
                {"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}"#,
            r#"{"schema": {"type": "string"}}"#,
            r#"{"schema": {"minLength": "1"}}"#,
            "/schema/minLength must be of type integer (type)",
        ),
    ] {
        check(schema, good, "");
        check(schema, bad, expected);
    }
}

#[test]
fn references_by_address_are_resolved_or_refused() {
    let recursive = r#"{"$id": "http://example.com/a", "allOf": [{"items": {"$ref": "ADDRESS"}},
        {"items": {"$ref": "ADDRESS"}}]}"#;
    check_unusable(&recursive.replace("ADDRESS", "http://example.com/a#"), "same value several");
    check_unusable(&recursive.replace("ADDRESS", "a"), "refers to a, but");
    check_unusable(r#"{"$ref": "json-schema:///#"}"#, "refers to json-schema:///, but");
    check_unusable(
        r##"{"properties": {"a": {"$id": "http://example.com/b", "items": {"$ref": "#"}}}}"##,
        "below the `$id`",
    );
    check_unusable(
        r#"{"$dynamicAnchor": "meta", "$ref": "https://json-schema.org/draft/2020-12/schema"}"#,
        "refers to https://json-schema.org",
    );
}

#[test]
fn large_values_have_few_violations() {
    let many = format!("[{}7]", "7, ".repeat(999_999));
    check(r#"{"items": {"type": "null"}}"#, &many, "/0 must be of type null (type)");
    let too_large = "must match its schema, but is too large to report where it does not (schema)";
    check(r#"{"anyOf": [{"items": {"type": "null"}}, {"type": "null"}]}"#, &many, too_large);
    // Fewer values, but each violation holds a copy of all options.
    let few = format!("[{}7]", "7, ".repeat(9_999));
    let names: Vec<String> = (0..20_000).map(|n| format!("{n}")).collect();
    let options = format!(r#"{{"items": {{"enum": ["{}"]}}}}"#, names.join("\",\""));
    let schema = Schema::compile(&RawJson::parse(options).unwrap()).unwrap();
    assert_eq!(schema.check(&RawJson::parse(few).unwrap()).unwrap().len(), 1);
    let some = "[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]";
    let schema = RawJson::parse(r#"{"items": {"type": "null"}}"#).unwrap();
    let schema = Schema::compile(&schema).unwrap();
    assert_eq!(schema.check(&RawJson::parse(some).unwrap()).unwrap().len(), 20);
}

#[test]
fn equal_schemas_share_one_object() {
    let registry = Registry::default();
    let get = |text: &str| registry.schema(&RawJson::parse(text.to_owned()).unwrap()).unwrap();
    let first = get(r#"{"type": "object", "required": ["a"]}"#);
    assert!(Arc::ptr_eq(&first, &get(r#"{ "required":["a"], "type":"object" }"#)));
    assert!(!Arc::ptr_eq(&first, &get(r#"{"type": "object", "required": ["b"]}"#)));
}

#[test]
fn the_patterns_of_names_count_towards_the_memory_of_a_schema() {
    let names = (0..200).map(|n| format!(r#""N\\p{{L}}{{14}}x{n}":{{}}"#)).collect::<Vec<_>>();
    let schema = format!(r#"{{"patternProperties":{{{}}}}}"#, names.join(","));
    let unusable = Schema::compile(&RawJson::parse(schema).unwrap()).unwrap_err().to_string();
    assert!(unusable.contains("/patternProperties: ") && unusable.contains("not too large"));
}
