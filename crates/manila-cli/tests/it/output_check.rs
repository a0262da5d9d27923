//! `output_check`: what becomes of an answer that its tool's own schema does not allow.

use manila::Contract;
use serde_json::{Value, json};

use crate::program::{Scratch, manila};
use crate::scripted::greeted;
use crate::serve::{sample, served};

/// The advertised schema of a tool.
fn advertised<'a>(listed: &'a Value, tool: &str) -> &'a Value {
    let tools = listed["result"]["tools"].as_array().unwrap();
    &tools.iter().find(|it| it["name"] == tool).unwrap()["outputSchema"]
}

#[test]
fn the_most_specific_word_counts_and_what_is_advertised_is_true() {
    for contract in Contract::ALL {
        let scratch = Scratch::new("output-check");
        let text = format!("contract = \"{contract}\"\noutput_check = \"strict\"\n")
            + &sample("one", &[], "")
            + &sample("two", &[], "output_check = \"off\"")
            + &sample("three", &[], "output_check = \"off\"")
            + "[tool.two_wrong_output]\noutput_check = \"warn\"\n";
        let served = served(&scratch.file("manila.toml", text));
        let client = served.greeted("2025-11-25");
        let listed = client.ask(1, "tools/list", &json!({}));
        let has_warnings = matches!(contract, Contract::ResponseV2 | Contract::McpEnvelopeV01);
        let has_place = contract != Contract::MachineReadableV1;
        for (server, is_refused, is_told, is_bound) in [
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
            let said = result.to_string();
            assert_eq!(said.contains("seven"), !is_refused, "{contract}: {said}");
            assert_eq!(said.contains("OUTPUT_SCHEMA_MISMATCH"), is_told, "{contract}: {said}");
            assert_eq!(said.contains("/n must be of type integer"), is_refused || is_told);
            let schema = advertised(&listed, &tool);
            let is_inside = schema.to_string().contains(r#""n":{"type":"integer"}"#);
            assert_eq!(is_inside, is_bound, "{contract}: {schema}");
            // M11: where plain text comes, nothing else is promised.
            if contract == Contract::MachineReadableV1 {
                assert_eq!((schema, &result["structuredContent"]), (&Value::Null, &Value::Null));
            } else {
                assert!(jsonschema::is_valid(schema, &result["structuredContent"]), "{result}");
            }
            let plain = served.call(&tool, &json!({}));
            assert_eq!(plain.status, if is_refused { 502 } else { 200 }, "{plain:?}");
            // What keeps its word goes on in every mode.
            let good = client.call(&format!("{server}_structured"), &json!({}));
            assert_eq!(good["isError"], false, "{contract}: {good}");
        }
    }
}

#[test]
fn a_refused_answer_says_what_it_breaks() {
    let scratch = Scratch::new("output-check-call");
    let config = scratch.file("manila.toml", "[tool.wrong_output]\noutput_check = \"strict\"\n");
    let server = ["--", "manila", "sample-server"];
    let ran = manila(&[&["call", "wrong_output", "--config", &config], &server[..]].concat(), b"");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    let words = "The answer does not fit the tool's own output schema: /n must be of type integer";
    assert_eq!(envelope["error"], words);
    let violation = json!({"pointer": "/n", "rule": "type", "message": "must be of type integer"});
    assert_eq!(envelope["data"]["details"], json!({"violations": [violation]}));
    // Nothing else is said of the answer.
    let members: Vec<&String> = envelope["data"].as_object().unwrap().keys().collect();
    assert_eq!(members, ["details", "error_code", "error_type", "remediation"]);
    // Whoever says nothing gets the answer, with a warning.
    let ran = manila(&[&["call", "wrong_output"], &server[..]].concat(), b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("seven") && ran.stdout.contains("OUTPUT_SCHEMA_MISMATCH"));
    // `none` passes on what comes, and promises only what the server does.
    let none = ["call", "wrong_output", "--contract", "none", "--config", &config];
    let ran = manila(&[&none, &server[..]].concat(), b"");
    assert!(ran.code == 0 && ran.stdout.contains("seven"), "{}{}", ran.stdout, ran.stderr);
}

/// A server with one tool that promises a key, and answers with a fake one.
fn with_key(config: &str) -> Value {
    let own = r#"{"type":"object","properties":{"key":{"type":"string","pattern":"^AKIA"}}}"#;
    let list = format!(
        r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{own}}}]}}"#
    );
    let answer = r#"{"content":[],"structuredContent":{"key":"AKIAIOSFODNN7REDACTE","n":4711}}"#;
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{answer}}}'; cat >/dev/null"
    );
    let scratch = Scratch::new("output-check-key");
    let config = scratch.file("manila.toml", config);
    greeted(&["--config", &config], &script).call("t", &json!({}))
}

#[test]
fn a_secret_that_was_promised_and_is_hidden_is_refused_too() {
    let result = with_key("output_check = \"strict\"\n");
    let said = result.to_string();
    assert_eq!(result["_meta"]["dev.manila/code"], "INVALID_TOOL_OUTPUT", "{said}");
    assert!(said.contains("With its secrets hidden, the answer does not fit"), "{said}");
    assert!(!said.contains("4711") && !said.contains("AKIAIOSFODNN7"), "{said}");
    let result = with_key("output_check = \"warn\"\n");
    let details = &result["structuredContent"]["meta"]["warning_details"];
    assert!(details.to_string().contains("OUTPUT_SCHEMA_MISMATCH"), "{result}");
    assert_eq!(result["structuredContent"]["data"]["key"], "[REDACTED]");
    // Where nothing is hidden, nothing is broken.
    let result = with_key("[tool.t]\nredact = false\noutput_check = \"strict\"\n");
    assert_eq!(result["isError"], false, "{result}");
}

#[test]
fn a_wrong_word_is_refused_with_those_that_there_are() {
    let scratch = Scratch::new("output-check-word");
    for place in ["", "[tool.t]\n", "[upstream.a]\nurl = \"http://127.0.0.1:1/mcp\"\n"] {
        let config = scratch.file("manila.toml", format!("{place}output_check = \"stric\"\n"));
        let ran = manila(&["serve", "--check", "--config", &config], b"");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("`strict`, `warn`, `off`"), "{}", ran.stderr);
        assert!(ran.stderr.contains("did you mean `strict`?"), "{}", ran.stderr);
    }
}
