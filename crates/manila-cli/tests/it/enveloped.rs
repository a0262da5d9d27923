//! Results that already are envelopes: read, forwarded or converted, and never wrapped again.

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::program::Scratch;
use crate::scripted::connect;

/// Calls the sample server's tool that returns an envelope of `contract`. Returns the result.
#[track_caller]
fn call(options: &[&str], contract: &str) -> Value {
    let mut client = Client::sample(options);
    client.call("enveloped", &json!({"contract": contract}))
}

/// Connects to a server with one tool, which returns `result` once.
fn connect_with_result(options: &[&str], result: &str) -> Client {
    let list = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{result}}}'; cat >/dev/null"
    );
    connect(options, &script)
}

#[test]
fn an_envelope_of_the_same_contract_is_forwarded_unchanged() {
    for contract in ["envelope-v1", "response-v2", "mcp.envelope.v0.1"] {
        let original = call(&["--contract", "none"], contract);
        let sealed = call(&["--contract", contract], contract);
        assert_eq!(sealed["content"][0]["text"], original["content"][0]["text"], "{contract}");
        assert_eq!(sealed["structuredContent"], original["structuredContent"]);
        assert_eq!(sealed["isError"], json!(false));
    }
}

#[test]
fn an_envelope_of_another_contract_is_converted() {
    let sealed = call(&["--contract", "response-v2"], "envelope-v1");
    let envelope = &sealed["structuredContent"];
    assert_eq!(envelope["data"], json!({"high_m": 4.20}));
    assert_eq!(envelope["meta"]["request_id"], "tide-7");

    let sealed = call(&["--contract", "envelope-v1"], "mcp.envelope.v0.1");
    let envelope = &sealed["structuredContent"];
    assert_eq!(
        (&envelope["data"], &envelope["tool_id"]),
        (&json!({"high_m": 4.20}), &json!("enveloped"))
    );

    let sealed = call(&["--contract", "mcp.envelope.v0.1"], "response-v2");
    assert_eq!(sealed["structuredContent"]["result"], json!({"high_m": 4.20}));
    assert_eq!(sealed["structuredContent"]["warnings"][0]["message"], "gauge was silent");
}

#[test]
fn a_contract_without_a_mark_is_read_if_configured() {
    let as_payload = call(&[], "machine-readable-v1");
    assert_eq!(as_payload["structuredContent"]["data"]["success"], false);
    let options = ["--speaks", "machine-readable-v1"];
    let sealed = call(&options, "machine-readable-v1");
    let data = &sealed["structuredContent"]["data"];
    assert_eq!((&data["error_code"], &data["details"]["exit_code"]), (&json!("NU1101"), &json!(1)));
    let same = call(
        &[&options[..], &["--contract", "machine-readable-v1"]].concat(),
        "machine-readable-v1",
    );
    assert_eq!(same["structuredContent"]["errors"][0]["category"], "Package");

    let scratch = Scratch::new("speaks");
    let config = scratch.file("manila.toml", "speaks = \"machine-readable-v1\"\n");
    let sealed = call(&["--config", &config], "machine-readable-v1");
    assert_eq!(sealed["structuredContent"]["data"]["error_code"], "NU1101");
}

/// A forwarded envelope is a failure if the envelope reports one, regardless of its payload.
#[test]
fn a_forwarded_envelope_determines_whether_the_result_is_an_error() {
    let envelope = concat!(
        r#"{"success":true,"data":{"success":false,"error":"inner"},"error":null,"#,
        r#""meta":{"version":"response-v2","request_id":"r"}}"#,
    );
    let result_with = |is_error: &str| {
        format!(r#"{{"content":[],"structuredContent":{envelope},"isError":{is_error}}}"#)
    };
    let original: Value = serde_json::from_str(envelope).unwrap();
    let result = connect_with_result(&[], &result_with("false")).call("t", &json!({}));
    assert_eq!((&result["structuredContent"], &result["isError"]), (&original, &json!(false)));
    assert_eq!(result["_meta"].get("dev.manila/code"), None);
    // `isError: true` in the result takes precedence.
    let result = connect_with_result(&[], &result_with("true")).call("t", &json!({}));
    let sealed = &result["structuredContent"];
    assert_eq!((&sealed["success"], &result["isError"]), (&json!(false), &json!(true)));
    // Another contract must report either a success or a failure (E8).
    let contract = ["--contract", "envelope-v1"];
    let result = connect_with_result(&contract, &result_with("false")).call("t", &json!({}));
    let error = &result["structuredContent"]["error"]["error"];
    assert_eq!((error, &result["isError"]), (&json!("inner"), &json!(true)));
}

/// An envelope of one contract around one of another is unwrapped for the inner contract, and
/// forwarded unchanged in its own.
#[test]
fn a_nested_envelope_is_not_wrapped_again() {
    let tree = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let good = concat!(
        r#"{"success":true,"data":{"n":1},"error":null,"meta":{"version":"response-v2","#,
        r#""request_id":"r"}}"#,
    );
    let failed = concat!(
        r#"{"success":false,"data":{"error_code":"RATE_LIMIT_EXCEEDED","error_type":"rate_limit","#,
        r#""retry_after_seconds":5},"error":"slow down","meta":{"version":"response-v2","#,
        r#""request_id":"r"}}"#,
    );
    // A broken envelope is a payload, and must not look like an envelope.
    let broken = good.replace("null", "7");
    for (inner, data) in [
        (good, tree(good)["data"].clone()),
        (failed, tree(failed)["data"].clone()),
        (&broken, json!({"answer": tree(&broken)})),
    ] {
        let outer = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{inner}}}"#);
        let result_text = format!(r#"{{"content":[],"structuredContent":{outer}}}"#);
        let result = connect_with_result(&[], &result_text).call("t", &json!({}));
        let found = &result["structuredContent"]["data"];
        for (name, value) in data.as_object().unwrap() {
            assert_eq!(found[name], *value, "{name} of {inner}");
        }
        assert_eq!(result["isError"], json!(inner == failed));
        let contract = ["--contract", "mcp.envelope.v0.1"];
        let result = connect_with_result(&contract, &result_text).call("t", &json!({}));
        assert_eq!(result["structuredContent"], tree(&outer));
        assert_eq!(result["isError"], json!(false));
        // Redaction changes nothing else.
        let secret = outer.replace(r#"{"n":1}"#, r#"{"password":"hunter2secret"}"#);
        let result_text = format!(r#"{{"content":[],"structuredContent":{secret}}}"#);
        let result = connect_with_result(&contract, &result_text).call("t", &json!({}));
        let redacted = &result["structuredContent"]["result"];
        assert_eq!(*redacted, tree(&inner.replace(r#"{"n":1}"#, r#"{"password":"[REDACTED]"}"#)));
    }
}

/// An envelope that reports success for a failed payload is checked against the advertised schema.
#[test]
fn a_forwarded_envelope_is_checked_against_the_output_schema() {
    let list = concat!(
        r#"{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","#,
        r#""required":["n"]}}]}"#,
    );
    let envelope = concat!(
        r#"{"success":true,"data":{"success":false,"error":"inner"},"error":null,"#,
        r#""meta":{"version":"response-v2","request_id":"r"}}"#,
    );
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"content\":[],\
         \"structuredContent\":{envelope}}}}}'; cat >/dev/null"
    );
    let result = connect(&[], &script).call("t", &json!({}));
    let details = &result["structuredContent"]["meta"]["warning_details"];
    assert_eq!(details[0]["code"], "OUTPUT_SCHEMA_MISMATCH", "{result}");
}

/// A JSON pointer escapes slashes, which must not keep a secret from being redacted.
#[test]
fn secret_names_are_redacted_in_pointers() {
    let name = "postgres://me:hunter2secret@host/x";
    let list = concat!(
        r#"{"tools":[{"name":"t","inputSchema":{"type":"object","additionalProperties":false},"#,
        r#""outputSchema":{"type":"object","additionalProperties":{"type":"string"}}}]}"#,
    );
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{{\"content\":[],\
         \"structuredContent\":{{\"{name}\":1}}}}}}'; cat >/dev/null"
    );
    let mut client = connect(&[], &script);
    for arguments in [json!({name: 1}), json!({})] {
        let result = client.call("t", &arguments).to_string();
        assert!(!result.contains("hunter2") && result.contains("/postgres:~1~1me:"), "{result}");
    }
}

#[test]
fn an_envelope_that_breaks_its_contract_is_invalid_output() {
    for (kind, rule) in [("broken", "additionalProperties"), ("nested", "double-wrapped")] {
        for contract in ["response-v2", "mcp.envelope.v0.1"] {
            let sealed = call(&["--contract", contract], kind);
            assert_eq!(sealed["isError"], true, "{kind} in {contract}");
            let text = sealed["structuredContent"].to_string();
            assert!(text.contains(rule) && text.contains("high_m") == (kind == "broken"), "{text}");
        }
    }
}

#[test]
fn a_secret_in_an_envelope_is_redacted_unless_passthrough_is_verbatim() {
    let envelope =
        r#"{"schema_version":"mcp.envelope.v0.1","result":{"password":"correct-horse-battery-9"}}"#;
    let result = format!(r#"{{"content":[],"structuredContent":{envelope}}}"#);
    let params = json!({"name": "t", "arguments": {}});
    let call_with = |options: &[&str]| {
        let mut client = connect_with_result(options, &result);
        client.request(1, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    let redacted = call_with(&["--contract", "mcp.envelope.v0.1"]);
    assert_eq!(redacted["result"]["password"], "[REDACTED]");
    assert_eq!(redacted["warnings"][0]["code"], "ADAPTER.REDACTED");
    assert_eq!(redacted["warnings"][0]["details"]["count"], 1);

    let scratch = Scratch::new("passthrough");
    let config = scratch.file("manila.toml", "[redact]\npassthrough = \"verbatim\"\n");
    let verbatim = call_with(&["--contract", "mcp.envelope.v0.1", "--config", &config]);
    assert_eq!(verbatim.to_string(), serde_json::from_str::<Value>(envelope).unwrap().to_string());
    let converted = call_with(&["--contract", "response-v2", "--config", &config]);
    assert_eq!(converted["data"]["password"], "[REDACTED]");
}

#[test]
fn an_output_schema_of_an_envelope_is_not_applied_to_its_payload() {
    let output = concat!(
        r#"{"type":"object","properties":{"schema_version":{"const":"mcp.envelope.v0.1"},"#,
        r#""result":{"type":"object"}},"required":["result"]}"#,
    );
    let list = format!(
        r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{output}}}]}}"#
    );
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         cat >/dev/null"
    );
    let mut client = connect(&["--contract", "mcp.envelope.v0.1"], &script);
    let tools = client.request(1, "tools/list", &json!({}));
    let schema = &tools["result"]["tools"][0]["outputSchema"];
    let envelope = json!({"schema_version": "mcp.envelope.v0.1", "result": {"n": 1}});
    assert!(jsonschema::is_valid(schema, &envelope), "{schema}");
}
