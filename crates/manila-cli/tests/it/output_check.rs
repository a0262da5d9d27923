//! `output_check`: results that do not match their tool's output schema.

use manila::Contract;
use serde_json::{Value, json};

use crate::program::{Scratch, manila};
use crate::scripted::connect;
use crate::serve::{sample, serve};

/// The advertised schema of a tool.
fn advertised_schema<'a>(listed: &'a Value, tool: &str) -> &'a Value {
    let tools = listed["result"]["tools"].as_array().unwrap();
    &tools.iter().find(|it| it["name"] == tool).unwrap()["outputSchema"]
}

#[test]
fn the_most_specific_setting_applies_and_results_match_advertised_schemas() {
    for contract in Contract::ALL {
        let scratch = Scratch::new("output-check");
        let text = format!("contract = \"{contract}\"\noutput_check = \"strict\"\n")
            + &sample("one", &[], "")
            + &sample("two", &[], "output_check = \"off\"")
            + &sample("three", &[], "output_check = \"off\"")
            + "[tool.two_wrong_output]\noutput_check = \"warn\"\n";
        let served = serve(&scratch.file("manila.toml", text));
        let client = served.connect("2025-11-25");
        let listed = client.request(1, "tools/list", &json!({}));
        let has_warnings = matches!(contract, Contract::ResponseV2 | Contract::McpEnvelopeV01);
        let has_place = contract != Contract::MachineReadableV1;
        for (server, is_refused, is_warned, is_bound) in [
            ("one", true, false, has_place),
            ("two", false, has_warnings, has_place),
            ("three", false, false, false),
        ] {
            let tool = format!("{server}_wrong_output");
            let result = client.call(&tool, &json!({}));
            assert_eq!(result["isError"], is_refused, "{contract}: {result}");
            let code = &result["_meta"]["dev.manila/code"];
            let expected = if is_refused { json!("INVALID_TOOL_OUTPUT") } else { Value::Null };
            assert_eq!(*code, expected, "{contract}: {result}");
            let text = result.to_string();
            assert_eq!(text.contains("seven"), !is_refused, "{contract}: {text}");
            assert_eq!(text.contains("OUTPUT_SCHEMA_MISMATCH"), is_warned, "{contract}: {text}");
            assert_eq!(text.contains("/n must be of type integer"), is_refused || is_warned);
            let schema = advertised_schema(&listed, &tool);
            let is_inside = schema.to_string().contains(r#""n":{"type":"integer"}"#);
            assert_eq!(is_inside, is_bound, "{contract}: {schema}");
            // M11: a tool that returns plain text advertises no schema.
            if contract == Contract::MachineReadableV1 {
                assert_eq!((schema, &result["structuredContent"]), (&Value::Null, &Value::Null));
            } else {
                assert!(jsonschema::is_valid(schema, &result["structuredContent"]), "{result}");
            }
            let plain = served.call(&tool, &json!({}));
            assert_eq!(plain.status, if is_refused { 502 } else { 200 }, "{plain:?}");
            // Valid results are accepted in every mode.
            let good = client.call(&format!("{server}_structured"), &json!({}));
            assert_eq!(good["isError"], false, "{contract}: {good}");
        }
    }
}

#[test]
fn a_refused_result_reports_the_violations() {
    let scratch = Scratch::new("output-check-call");
    let config = scratch.file("manila.toml", "[tool.wrong_output]\noutput_check = \"strict\"\n");
    let server = ["--", "manila", "sample-server"];
    let ran = manila(&[&["call", "wrong_output", "--config", &config], &server[..]].concat(), b"");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    let message = "The result does not match the tool's output schema: /n must be of type integer";
    assert_eq!(envelope["error"], message);
    let violation = json!({"pointer": "/n", "rule": "type", "message": "must be of type integer"});
    assert_eq!(envelope["data"]["details"], json!({"violations": [violation]}));
    // The envelope contains nothing else of the result.
    let members: Vec<&String> = envelope["data"].as_object().unwrap().keys().collect();
    assert_eq!(members, ["details", "error_code", "error_type", "remediation"]);
    // By default, the caller gets the result with a warning.
    let ran = manila(&[&["call", "wrong_output"], &server[..]].concat(), b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("seven") && ran.stdout.contains("OUTPUT_SCHEMA_MISMATCH"));
    // `none` forwards results without an envelope, and checks them, too.
    let none = ["call", "wrong_output", "--contract", "none", "--config", &config];
    let ran = manila(&[&none, &server[..]].concat(), b"");
    assert!(ran.code == 1 && ran.stdout.contains(message), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("seven"), "{}", ran.stdout);
}

/// Calls a tool whose schema requires a key, and whose result contains a fake one.
fn call_for_key(config: &str) -> Value {
    let schema = r#"{"type":"object","properties":{"key":{"type":"string","pattern":"^AKIA"}}}"#;
    let list = format!(
        r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}]}}"#
    );
    let answer = r#"{"content":[],"structuredContent":{"key":"AKIAIOSFODNN7REDACTE","n":4711}}"#;
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{answer}}}'; cat >/dev/null"
    );
    let scratch = Scratch::new("output-check-key");
    let config = scratch.file("manila.toml", config);
    connect(&["--config", &config], &script).call("t", &json!({}))
}

#[test]
fn refuses_a_result_that_redaction_makes_invalid() {
    let result = call_for_key("output_check = \"strict\"\n");
    let text = result.to_string();
    assert_eq!(result["_meta"]["dev.manila/code"], "INVALID_TOOL_OUTPUT", "{text}");
    assert!(text.contains("With its secrets redacted, the result does not match"), "{text}");
    assert!(!text.contains("4711") && !text.contains("AKIAIOSFODNN7"), "{text}");
    let result = call_for_key("output_check = \"warn\"\n");
    let details = &result["structuredContent"]["meta"]["warning_details"];
    assert!(details.to_string().contains("OUTPUT_SCHEMA_MISMATCH"), "{result}");
    assert_eq!(result["structuredContent"]["data"]["key"], "[REDACTED]");
    // Without redaction, the result is valid.
    let result = call_for_key("[tool.t]\nredact = false\noutput_check = \"strict\"\n");
    assert_eq!(result["isError"], false, "{result}");
}

#[test]
fn refuses_an_unknown_value_and_lists_the_known_ones() {
    let scratch = Scratch::new("output-check-value");
    for place in ["", "[tool.t]\n", "[upstream.a]\nurl = \"http://127.0.0.1:1/mcp\"\n"] {
        let config = scratch.file("manila.toml", format!("{place}output_check = \"stric\"\n"));
        let ran = manila(&["serve", "--check", "--config", &config], b"");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("`strict`, `warn`, `off`"), "{}", ran.stderr);
        assert!(ran.stderr.contains("did you mean `strict`?"), "{}", ran.stderr);
    }
}
