//! Messages that are far over the size limit: the gateway skips them and continues to use the
//! server.

use std::io::Write;

use serde_json::json;

use crate::http_client::{HttpProgram, LegacyClient};
use crate::http_server::{RecordedRequest, ScriptedServer, answer_handshake, reply};
use crate::mcp::{Client, memory_kib};
use crate::serve::wait_until;
use crate::shell_server::INITIALIZE;

const LIMIT: [&str; 2] = ["--message-bytes-max", "1000000"];

/// Responds to calls of `big` with 270 MB, and prints a text of 20 MB before its response to a call
/// of `noise`. The response to `pid` is the number of the process.
const SERVER: &str = r#"
fill() { head -c "$1" /dev/zero | tr '\0' x; }
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  text() {
    printf '{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"'
    "$@"
    printf '"}]},"id":%s}\n' "$id"
  }
  reply() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  case $line in
    *'"server/discover"'*) reply '"error":{"code":-32601,"message":"unknown"}' ;;
    *'"initialize"'*) reply 'INITIALIZE' ;;
    *'"tools/list"'*) reply 'TOOLS' ;;
    *'"big"'*) text fill 270000000 ;;
    *'"noise"'*) fill 20000000; echo; text printf after ;;
    *'"pid"'*) text printf %s $$ ;;
  esac
done"#;

/// Returns the script of the server.
fn script() -> String {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["big", "noise", "pid"].map(tool).join(",");
    let tools = format!(r#""result":{{"tools":[{tools}]}}"#);
    SERVER.replace("INITIALIZE", INITIALIZE).replace("TOOLS", &tools)
}

#[test]
fn a_line_far_over_the_limit_fails_only_its_call() {
    let served = HttpProgram::wrap(&LIMIT, &["sh", "-c", &script()]);
    let (first, second) = (served.connect("2025-11-25"), served.connect("2025-11-25"));
    let pid = |client: &LegacyClient<'_>| {
        client.call("pid", &json!({}))["structuredContent"]["data"]["result"].clone()
    };
    let before = pid(&second);
    std::thread::scope(|scope| {
        let big = scope.spawn(|| first.call("big", &json!({})));
        assert_eq!(pid(&second), before);
        let big = big.join().unwrap()["structuredContent"].clone();
        assert_eq!(big["data"]["error_code"], "VALIDATION_ERROR", "{big}");
        let error = big["error"].as_str().unwrap();
        assert!(error.contains("exceeds the limit of 1000000 bytes"), "{big}");
    });
    let noise = first.call("noise", &json!({}));
    assert_eq!(noise["structuredContent"]["data"]["result"], "after", "{noise}");
    assert_eq!(pid(&first), before);
    let peak_kib = memory_kib("VmHWM", served.pid());
    assert!(peak_kib < 60_000, "{peak_kib} KiB");
}

#[test]
fn an_event_over_the_limit_does_not_end_the_stream_of_a_server() {
    let server = ScriptedServer::start(|request, stream| {
        if request.method != "GET" {
            if !answer_handshake(request, stream, "s") {
                reply(stream, "202 Accepted", "", "");
            }
            return;
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let long = "x".repeat(3_000_000);
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": long});
        let ping = format!(r#"{{"params":"{long}","jsonrpc":"2.0","method":"ping","id":"q"}}"#);
        let change = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        let text = format!("{head}data: {notification}\n\ndata: {ping}\n\ndata: {change}\n\n");
        // The stream stays open, until the gateway closes it.
        let _ = stream.write_all(text.as_bytes());
    });
    let mut client = Client::start_manila(&[&["wrap", "--url", &server.url], &LIMIT[..]].concat());
    client.handshake("2025-11-25");
    client.wait(|message| message["method"] == "notifications/tools/list_changed");
    let n_matching = |is_match: &dyn Fn(&RecordedRequest) -> bool| {
        server.requests().iter().filter(|it| is_match(it)).count()
    };
    assert_eq!(n_matching(&|it| it.method == "GET"), 1);
    wait_until("the server's request is refused", || {
        n_matching(&|it| it.message["id"] == "q" && it.message["error"]["code"].is_number()) == 1
    });
}
