//! Answers that already are envelopes: read, passed on or converted, and never wrapped again.

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::program::Scratch;
use crate::scripted::greeted;

/// Calls the sample server's tool that answers in `own`, and gives the result.
#[track_caller]
fn call(options: &[&str], own: &str) -> Value {
    let mut client = Client::sample(options);
    client.call("enveloped", &json!({"contract": own}))
}

/// A server with one tool that answers `result` once.
fn answering(options: &[&str], result: &str) -> Client {
    let list = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{result}}}'; cat >/dev/null"
    );
    greeted(options, &script)
}

#[test]
fn an_envelope_of_the_same_contract_goes_on_unchanged() {
    for contract in ["envelope-v1", "response-v2", "mcp.envelope.v0.1"] {
        let own = call(&["--contract", "none"], contract);
        let sealed = call(&["--contract", contract], contract);
        assert_eq!(sealed["content"][0]["text"], own["content"][0]["text"], "{contract}");
        assert_eq!(sealed["structuredContent"], own["structuredContent"]);
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
fn a_contract_without_a_mark_is_read_where_somebody_says_so() {
    let taken_for_payload = call(&[], "machine-readable-v1");
    assert_eq!(taken_for_payload["structuredContent"]["data"]["success"], false);
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

/// What goes on unchanged is a failure where the envelope says so, whatever its payload says.
#[test]
fn a_result_says_of_an_envelope_what_the_envelope_says() {
    let envelope = concat!(
        r#"{"success":true,"data":{"success":false,"error":"inner"},"error":null,"#,
        r#""meta":{"version":"response-v2","request_id":"r"}}"#,
    );
    let answer = |is_error: &str| {
        format!(r#"{{"content":[],"structuredContent":{envelope},"isError":{is_error}}}"#)
    };
    let own: Value = serde_json::from_str(envelope).unwrap();
    let result = answering(&[], &answer("false")).call("t", &json!({}));
    assert_eq!((&result["structuredContent"], &result["isError"]), (&own, &json!(false)));
    assert_eq!(result["_meta"].get("dev.manila/code"), None);
    // A result that says that it failed is believed.
    let result = answering(&[], &answer("true")).call("t", &json!({}));
    let sealed = &result["structuredContent"];
    assert_eq!((&sealed["success"], &result["isError"]), (&json!(false), &json!(true)));
    // In another contract it must be told one way or the other (E8).
    let contract = ["--contract", "envelope-v1"];
    let result = answering(&contract, &answer("false")).call("t", &json!({}));
    let error = &result["structuredContent"]["error"]["error"];
    assert_eq!((error, &result["isError"]), (&json!("inner"), &json!(true)));
}

/// An envelope of one contract around one of another is never one in its own contract.
#[test]
fn an_envelope_in_another_one_is_not_wrapped_again() {
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
    // One that is broken is no envelope, and does not look like one.
    let broken = good.replace("null", "7");
    for (inner, data) in [
        (good, tree(good)["data"].clone()),
        (failed, tree(failed)["data"].clone()),
        (&broken, json!({"answer": tree(&broken)})),
    ] {
        let outer = format!(r#"{{"schema_version":"mcp.envelope.v0.1","result":{inner}}}"#);
        let answer = format!(r#"{{"content":[],"structuredContent":{outer}}}"#);
        let result = answering(&[], &answer).call("t", &json!({}));
        let told = &result["structuredContent"]["data"];
        for (name, value) in data.as_object().unwrap() {
            assert_eq!(told[name], *value, "{name} of {inner}");
        }
        assert_eq!(result["isError"], json!(inner == failed));
        let contract = ["--contract", "mcp.envelope.v0.1"];
        let result = answering(&contract, &answer).call("t", &json!({}));
        assert_eq!(result["structuredContent"], tree(&outer));
        assert_eq!(result["isError"], json!(false));
        // What must be hidden changes nothing else.
        let secret = outer.replace(r#"{"n":1}"#, r#"{"password":"hunter2secret"}"#);
        let answer = format!(r#"{{"content":[],"structuredContent":{secret}}}"#);
        let result = answering(&contract, &answer).call("t", &json!({}));
        let shown = &result["structuredContent"]["result"];
        assert_eq!(*shown, tree(&inner.replace(r#"{"n":1}"#, r#"{"password":"[REDACTED]"}"#)));
    }
}

/// The advertised schema is true of an envelope that says of a failed payload that it worked.
#[test]
fn an_envelope_that_goes_on_fits_what_is_advertised() {
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
    let result = greeted(&[], &script).call("t", &json!({}));
    let details = &result["structuredContent"]["meta"]["warning_details"];
    assert_eq!(details[0]["code"], "OUTPUT_SCHEMA_MISMATCH", "{result}");
}

/// A pointer writes slashes in another way, and hides no secret by that.
#[test]
fn names_that_are_secrets_are_hidden_in_pointers() {
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
    let mut client = greeted(&[], &script);
    for arguments in [json!({name: 1}), json!({})] {
        let result = client.call("t", &arguments).to_string();
        assert!(!result.contains("hunter2") && result.contains("/postgres:~1~1me:"), "{result}");
    }
}

#[test]
fn an_envelope_that_breaks_its_contract_is_invalid_output() {
    for (own, rule) in [("broken", "additionalProperties"), ("nested", "double-wrapped")] {
        for contract in ["response-v2", "mcp.envelope.v0.1"] {
            let sealed = call(&["--contract", contract], own);
            assert_eq!(sealed["isError"], true, "{own} in {contract}");
            let text = sealed["structuredContent"].to_string();
            assert!(text.contains(rule) && text.contains("high_m") == (own == "broken"), "{text}");
        }
    }
}

#[test]
fn a_secret_in_an_envelope_is_hidden_unless_the_operator_wants_it() {
    let envelope =
        r#"{"schema_version":"mcp.envelope.v0.1","result":{"password":"correct-horse-battery-9"}}"#;
    let result = format!(r#"{{"content":[],"structuredContent":{envelope}}}"#);
    let params = json!({"name": "t", "arguments": {}});
    let ask = |options: &[&str]| {
        let mut client = answering(options, &result);
        client.ask(1, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    let hidden = ask(&["--contract", "mcp.envelope.v0.1"]);
    assert_eq!(hidden["result"]["password"], "[REDACTED]");
    assert_eq!(hidden["warnings"][0]["code"], "ADAPTER.REDACTED");
    assert_eq!(hidden["warnings"][0]["details"]["count"], 1);

    let scratch = Scratch::new("passthrough");
    let config = scratch.file("manila.toml", "[redact]\npassthrough = \"verbatim\"\n");
    let shown = ask(&["--contract", "mcp.envelope.v0.1", "--config", &config]);
    assert_eq!(shown.to_string(), serde_json::from_str::<Value>(envelope).unwrap().to_string());
    let converted = ask(&["--contract", "response-v2", "--config", &config]);
    assert_eq!(converted["data"]["password"], "[REDACTED]");
}

#[test]
fn what_a_tool_promises_of_its_envelope_is_not_promised_of_the_payload() {
    let own = concat!(
        r#"{"type":"object","properties":{"schema_version":{"const":"mcp.envelope.v0.1"},"#,
        r#""result":{"type":"object"}},"required":["result"]}"#,
    );
    let list = format!(
        r#"{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{own}}}]}}"#
    );
    let script = format!(
        "read confirmed; read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{list}}}'; \
         cat >/dev/null"
    );
    let mut client = greeted(&["--contract", "mcp.envelope.v0.1"], &script);
    let tools = client.ask(1, "tools/list", &json!({}));
    let schema = &tools["result"]["tools"][0]["outputSchema"];
    let envelope = json!({"schema_version": "mcp.envelope.v0.1", "result": {"n": 1}});
    assert!(jsonschema::is_valid(schema, &envelope), "{schema}");
}
