//! Misbehaviour that does not end the process. The other kinds need a real process.

use super::conversation::{Client, call, check};

#[test]
fn keeps_serving_after_misbehaviour() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"misbehave","arguments":{"how":"answer_twice"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the first response"}]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the second response"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"misbehave","arguments":{"how":"wrong_id"}}}
        < {"jsonrpc":"2.0","id":999999,"result":{"content":[{"type":"text","text":"for another request"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"misbehave","arguments":{"how":"hang"}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"misbehave","arguments":{"how":"unknown_request"}}}
        < {"jsonrpc":"2.0","id":1,"method":"sample/unknown","params":{}}
        > {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"the client refused: {\"code\":-32601,\"message\":\"no\"}"}]}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"misbehave","arguments":{"how":"hang_all"}}}
        > {"jsonrpc":"2.0","id":6,"method":"ping"}
        "#,
    );
}

#[test]
fn responds_after_garbage() {
    let lines = lines_until_response("garbage");
    assert_eq!(lines.len(), 6);
    assert!(
        lines[..5].iter().all(|line| serde_json::from_slice::<serde_json::Value>(line).is_err())
    );
}

#[test]
fn responds_after_a_flood() {
    assert_eq!(lines_until_response("flood").len(), 200_001);
}

#[test]
fn responds_after_a_huge_line() {
    let lengths: Vec<usize> = lines_until_response("huge_line").iter().map(Vec::len).collect();
    assert_eq!((lengths.len(), lengths[0]), (2, 100_000_000));
}

#[test]
fn responds_with_invalid_utf8() {
    let lines = lines_until_response("invalid_utf8");
    assert!(lines[0].windows(4).any(|bytes| bytes == b" \xFF\xFE "));
}

#[test]
fn responds_with_deep_nesting() {
    let lines = lines_until_response("deep");
    let n_open = lines[0].windows(5).filter(|bytes| bytes == br#"{"d":"#).count();
    assert_eq!((lines.len(), n_open), (1, 9_999));
}

/// Returns all lines up to and including the response to the call.
#[track_caller]
fn lines_until_response(how: &str) -> Vec<Vec<u8>> {
    let mut client = Client::connect(None);
    client.send(&call("misbehave", &format!(r#"{{"how":"{how}"}}"#)));
    let mut lines = Vec::new();
    loop {
        let line = client.receive_bytes();
        let is_response = line.starts_with(br#"{"jsonrpc":"2.0","id":7,"#);
        lines.push(line);
        if is_response {
            assert_eq!(client.disconnect().0, "");
            return lines;
        }
    }
}
