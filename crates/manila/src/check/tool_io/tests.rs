use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::KEYWORDS;
use crate::check::Checker;
use crate::check::table::{Table, check_agreement, mutations, render_findings, schema_of};
use crate::document_kind::DocumentKind;
use crate::raw_json::RawJson;

const TOOL: &str = r#"{"name": "sum", "title": "Sum", "inputSchema": {"type": "object",
    "properties": {"a": {"type": "integer", "maximum": 9}, "b/c": {"items": {"type": "string"}}},
    "required": ["a"], "additionalProperties": false},
    "outputSchema": {"properties": {"n": {"type": "number"}}, "required": ["n"]}}"#;

fn checker(tool: &str) -> Checker {
    let tool = RawJson::parse(tool.to_owned()).unwrap();
    Checker::new(DocumentKind::ToolIo).tool(&tool).unwrap()
}

#[test]
fn checks_input_and_output_against_the_tools_schemas() {
    let checker = checker(TOOL);
    let check = |json: &str, expected: &str| {
        assert_eq!(render_findings(&checker.check(&json.to_owned().into())), expected, "{json}");
    };
    check(r#"{"tool": "sum", "input": {"a": 1}}"#, "");
    check(r#"{"tool": "sum", "output": {"n": 1.5, "more": 1}}"#, "");
    check(r#"{"tool": "sum", "input": {"a": 1}, "output": {"n": 1}, "more": 1}"#, "");
    check(r#"{"tool": "sun", "input": {"a": 1}}"#, "/tool const Q3");
    check(r#"{"input": {"a": 1}}"#, "/tool required Q3");
    check(r#"{"tool": "sum", "input": {}}"#, "/input/a required Q3");
    check(r#"{"tool": "sum", "input": {"a": "hunter2"}}"#, "/input/a type Q3");
    check(
        r#"{"tool": "sum", "input": {"a": 10, "b/c": ["", 7], "d": 1}}"#,
        "/input/a maximum Q3; /input/b~1c/1 type Q3; /input/d additionalProperties Q3",
    );
    check(r#"{"tool": "sum", "output": {}}"#, "/output/n required Q3");
    check(r#"{"tool": "sum", "output": [1]}"#, "/output type Q3");
    check(r#"{"tool": "sum", "input": {"a": 1, "a": 2}}"#, "/input/a unique -");
    let verdict = checker.check(&r#"{"tool": "sum", "input": {"a": "hunter2"}}"#.into());
    assert_eq!(verdict.findings[0].message, "must be of type integer");
}

#[test]
fn checks_only_the_structure_without_a_tool() {
    let table = table();
    table.check("/input", None, "");
    table.check("/output", None, "");
    table.check("/tool", None, "/tool required Q3");
    table.check("/tool", Some(json!("")), "/tool minLength Q3");
    table.check("/tool", Some(json!(7)), "/tool type Q3");
    table.check("/input", Some(json!("{}")), "/input type Q3");
    table.check("/output", Some(json!(null)), "/output type Q3");
    table.check("", Some(json!({"tool": "t"})), " anyOf Q3");
    table.check("", Some(json!(7)), " type Q3");
}

#[test]
fn without_an_output_schema_any_object_is_valid() {
    let checker = checker(r#"{"name": "any", "inputSchema": {"type": "object"}}"#);
    let verdict = checker.check(&r#"{"tool": "any", "output": {"x": [1]}}"#.into());
    assert_eq!(render_findings(&verdict), "");
    let verdict = checker.check(&r#"{"tool": "any", "output": 7}"#.into());
    assert_eq!(render_findings(&verdict), "/output type Q3");
}

#[test]
fn explains_why_a_tool_is_unusable() {
    for (tool, expected) in [
        ("[]", "the tool must be an object, but is an array"),
        (r#"{"inputSchema": {}}"#, "the tool must have a `name`"),
        (r#"{"name": "", "inputSchema": {}}"#, "the tool must have a `name`"),
        (r#"{"name": "t"}"#, "the tool must have an `inputSchema`"),
        (r#"{"name": "t", "inputSchema": true}"#, "`inputSchema` must be an object"),
        (r#"{"name": "t", "inputSchema": {}, "outputSchema": 7}"#, "`outputSchema` must be"),
        (r#"{"name": "t", "inputSchema": {"type": "odd"}}"#, "`inputSchema`: the schema cannot"),
        (
            r#"{"name": "t", "inputSchema": {"$ref": "http://example.com/x.json"}}"#,
            "`inputSchema`: the schema cannot be used",
        ),
    ] {
        let tool = RawJson::parse(tool).unwrap();
        let refused = Checker::new(DocumentKind::ToolIo).tool(&tool).unwrap_err();
        assert!(refused.to_string().contains(expected), "{refused}");
    }
}

#[test]
fn rules_have_the_names_of_schema_keywords() {
    assert!(KEYWORDS.is_sorted());
    let tool = r#"{"name": "t", "inputSchema": {"uniqueItems": true, "properties": {
        "u": {"uniqueItems": true}, "n": {"not": {}}, "f": false, "m": {"multipleOf": 2}}}}"#;
    let input = r#"{"tool": "t", "input": {"u": [1, 1], "n": 1, "f": 1, "m": 3}}"#;
    assert_eq!(
        render_findings(&checker(tool).check(&input.into())),
        "/input/u uniqueItems Q3; /input/n not Q3; /input/f falseSchema Q3; /input/m multipleOf Q3"
    );
}

fn table() -> Table {
    let good: Value = json!({"tool": "t", "input": {"x": 1}, "output": {}, "more": 1});
    Table { checker: Checker::new(DocumentKind::ToolIo), good }
}

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| schema_of(DocumentKind::ToolIo));

proptest! {
    #[test]
    fn the_verdict_agrees_with_the_schema(document in mutations(&table().good)) {
        check_agreement(&table(), &SCHEMA, &document)?;
    }
}
