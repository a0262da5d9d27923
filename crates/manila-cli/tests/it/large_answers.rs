//! Large answers: they are complete on every transport, and are held in memory few times.

use serde_json::{Value, json};

use crate::http_client::{HttpProgram, JSON};
use crate::mcp::{Client, memory_kib};

/// Returns a text of about 1.6 MB with escapes of every kind.
fn text() -> String {
    "a line with \"quotes\", a \\, a \u{1}, an é and a 🦀\n\t".repeat(32_000)
}

/// Checks that a result has the whole envelope, as content and as text.
#[track_caller]
fn check_result(result: &Value, text: &str) {
    let envelope = &result["structuredContent"];
    assert!(envelope["data"]["result"] == text, "{envelope:.300}");
    let copy: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert!(copy == *envelope, "{copy:.300}");
    assert_eq!(result["isError"], false);
    assert_eq!(result["_meta"]["dev.manila/contract"], "response-v2");
}

#[test]
fn large_answers_are_complete_on_every_transport() {
    let text = text();
    let params = json!({"name": "echo", "arguments": {"message": text}});
    let mut client = Client::sample(&[]);
    check_result(&client.call("echo", &params["arguments"]), &text);
    let served = HttpProgram::sample(&[]);
    let session = served.connect("2025-11-25");
    check_result(&session.call("echo", &params["arguments"]), &text);
    let call = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params});
    let events = [JSON[0], "Accept: text/event-stream, application/json", &session.head()];
    let streamed = served.request("POST", "/mcp", &events, &call.to_string());
    assert_eq!(streamed.header("content-type").as_deref(), Some("text/event-stream"));
    check_result(&streamed.answer(&json!("a"))["result"], &text);
    let none = [&events[..], &["Manila-Contract: none"]].concat();
    for head in [&none[..], &[JSON[0], JSON[1], events[2], none[3]]] {
        let unsealed = served.request("POST", "/mcp", head, &call.to_string());
        let unsealed = unsealed.answer(&json!("a"));
        assert!(unsealed["result"]["content"][0]["text"] == text.as_str(), "{unsealed:.300}");
    }
    let plain = served.call("echo", &params["arguments"]).json();
    assert!(plain["data"]["result"] == text.as_str(), "{plain:.300}");
    let call = json!({"jsonrpc": "2.0", "id": "e", "method": "tools/call",
        "params": {"tool": "echo", "input": params["arguments"]}});
    let enveloped = served.request("POST", "/tools/echo", &[JSON[0]], &call.to_string()).json();
    assert!(enveloped["result"]["data"]["result"] == text.as_str(), "{enveloped:.300}");
    assert_eq!(enveloped["id"], "e");
    let modern = served.send_modern("tools/call", &params).read_reply();
    check_result(&modern.answer(&json!(1))["result"], &text);
    let batched = served.connect("2025-03-26");
    let batch =
        json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}]).to_string();
    let head = [JSON[0], JSON[1], &batched.head()];
    let batch = served.request("POST", "/mcp", &head, &batch);
    // This revision has no structured content.
    let envelope = batch.json()[0]["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let envelope: Value = serde_json::from_str(&envelope).unwrap();
    assert!(envelope["data"]["result"] == text.as_str(), "{envelope:.300}");
}

#[test]
fn a_large_answer_needs_at_most_two_and_a_half_times_its_size() {
    const N_BYTES: u64 = 25_000_000;
    for contract in ["none", "response-v2"] {
        let mut client = Client::sample(&["--contract", contract]);
        client.call("echo", &json!({"message": "x"}));
        let before = memory_kib("VmRSS", client.pid());
        let huge = json!({"name": "huge", "arguments": {"bytes": N_BYTES}});
        client.start_request(1, "tools/call", &huge);
        assert!(client.line().len() as u64 > N_BYTES);
        let used = (memory_kib("VmHWM", client.pid()) - before) * 1024;
        assert!(used * 2 <= N_BYTES * 5, "{contract}: {used} bytes");
    }
}
