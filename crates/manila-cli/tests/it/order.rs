//! Long work on one message does not let later messages overtake it.

use serde_json::json;

use crate::mcp::Client;
use crate::scripted::connect;

/// Starts a server with one tool, which runs `script` after its list was requested. The function
/// `large` prints a message: its two arguments, with a long text between them.
fn start(script: &str) -> Client {
    let list = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let script = format!(
        r#"large() {{ printf %s "$1"; head -c 1000000 /dev/zero | tr '\0' x; echo "$2"; }}
        read confirmed; read list; echo '{{"jsonrpc":"2.0","id":2,"result":{list}}}'
        {script}"#
    );
    connect(&[], &script)
}

#[test]
fn a_large_result_precedes_a_later_notification() {
    let mut client = start(
        r#"read call
        large '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"' '"}]}}'
        echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; cat >/dev/null"#,
    );
    client.start_request(1, "tools/call", &json!({"name": "t", "arguments": {}}));
    let result = client.line();
    assert!(result.contains(r#""id":1,"result""#), "{result:.300}");
    assert!(client.line().contains("list_changed"));
}

#[test]
fn a_large_notification_precedes_a_later_result() {
    let mut client = start(
        r#"read call
        start='{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'
        large "$start" '"}}'
        echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'; cat >/dev/null"#,
    );
    client.start_request(1, "tools/call", &json!({"name": "t", "arguments": {}}));
    let message = client.line();
    assert!(message.contains("notifications/message"), "{message:.300}");
    assert!(client.line().contains(r#""id":1,"result""#));
}

#[test]
fn the_id_of_a_large_request_is_free_after_its_response() {
    let mut client = start(
        r#"while read -r line; do
            id=$(printf %s "$line" | head -c 100 | sed 's/.*"id":\([0-9]*\).*/\1/')
            echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}'
        done"#,
    );
    let large = json!({"name": "t", "arguments": {"text": "x".repeat(300_000)}});
    for _ in 0..20 {
        let response = client.request("same", "tools/call", &large);
        assert_eq!(response["result"]["isError"], false, "{response}");
    }
}
