//! Work that one caller or server could make long: others must be served meanwhile.

use serde_json::{Value, json};

use crate::mcp::{Client, signal};
use crate::scripted::connect;

/// Patterns that keep a backtracking engine busy for seconds to hours.
const SLOW_PATTERNS: [&str; 3] =
    ["(?!.*--)[a-z0-9-]+$", r"(?=.*\\d)(?=.*[a-z]).{8,}", "^(?=(a+)+$)(?=(a|a)*b)"];

/// Starts a server with one tool. It answers the list, and then each call with `structured`.
fn server(schemas: &str, structured: &str) -> Client {
    let answer =
        |n: &str, result: &str| format!(r#"{{"jsonrpc":"2.0","id":{n},"result":{result}}}"#);
    let list = answer("%s", &format!(r#"{{"tools":[{{"name":"t",{schemas}}}]}}"#));
    let result =
        answer("%s", &format!(r#"{{"content":[],"structuredContent":{{"s":"{structured}"}}}}"#));
    let script = format!(
        r#"filler() {{ head -c "$1" /dev/zero | tr '\0' a; }}
        while read -r line; do
            id=$(printf %s "$line" | head -c 200 | sed 's/.*"id":\([0-9]*\).*/\1/')
            case $line in
            *notifications*) ;;
            *tools/list*) printf '{list}\n' "$id" ;;
            *) printf '{result}\n' "$id" "$(filler 200000)" ;;
            esac
        done"#
    );
    connect(&[], &script)
}

#[test]
fn a_slow_pattern_delays_neither_others_nor_signals() {
    for pattern in SLOW_PATTERNS {
        let schema = format!(
            r#""inputSchema":{{"type":"object","properties":{{"s":{{"pattern":"{pattern}"}}}}}}"#
        );
        let mut client = server(&schema.replace('\\', r"\\"), "short%.0s");
        let long = "a".repeat(1_000_000) + "--!";
        client.start_request(1, "tools/call", &json!({"name": "t", "arguments": {"s": long}}));
        assert_eq!(client.request(2, "ping", &json!({}))["result"], json!({}));
        let refused = client.answer(&json!(1))["result"].to_string();
        assert!(refused.contains("/s must match the pattern"), "{pattern}: {refused:.500}");
        client.start_request(3, "tools/call", &json!({"name": "t", "arguments": {"s": long}}));
        signal("TERM", client.pid());
        assert_eq!(client.end().code, 0, "{pattern}");
    }
}

/// A schema with many patterns for one text.
fn slow_schema(name: &str) -> String {
    let pattern = r#"{"properties":{"s":{"pattern":"^a+$"}}}"#;
    format!(r#""{name}":{{"type":"object","allOf":[{}]}}"#, [pattern; 600].join(","))
}

#[test]
fn arguments_that_take_too_many_steps_are_refused() {
    let mut client = server(&slow_schema("inputSchema"), "short%.0s");
    let refused = client.call("t", &json!({"s": "a".repeat(200_000)}));
    let error = refused["structuredContent"]["data"]["details"]["violations"][0].clone();
    let expected = "cannot be checked: checking it takes more than 100000000 steps; send less or \
        shorter text";
    assert_eq!(error, json!({"pointer": "", "rule": "maxSteps", "message": expected}), "{refused}");
    assert_eq!(client.call("t", &json!({"s": "aaa"}))["isError"], false);
}

#[test]
fn a_result_that_takes_too_many_steps_has_a_warning() {
    let schemas = format!(r#""inputSchema":{{"type":"object"}},{}"#, slow_schema("outputSchema"));
    let mut client = server(&schemas, "%s");
    let result = client.call("t", &json!({}));
    let warnings = &result["structuredContent"]["meta"]["warnings"];
    let expected = "The result was not checked against the tool's output \
        schema: checking it takes more than 100000000 steps";
    assert_eq!(warnings[0], expected, "{warnings}");
    assert!(result.to_string().contains("OUTPUT_SCHEMA_UNCHECKED"), "{result:.1000}");
    let data: &Value = &result["structuredContent"]["data"]["s"];
    assert_eq!(data.as_str().map(str::len), Some(200_000));
}
