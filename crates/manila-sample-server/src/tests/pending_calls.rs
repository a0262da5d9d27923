//! Pending calls: progress, cancellation, and requests to the client.

use super::conversation::check;

#[test]
fn reports_progress_under_the_token_as_written() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","arguments":{"steps":2,"delay_ms":1},"_meta":{"progressToken":123456789012345678901234567890}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":123456789012345678901234567890,"progress":1,"total":2,"message":"step 1 of 2"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":123456789012345678901234567890,"progress":2,"total":2,"message":"step 2 of 2"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"finished 2 steps"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"progress","arguments":{"delay_ms":0}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"finished 5 steps"}]}}
        "#,
    );
}

#[test]
fn waits_until_done_or_cancelled() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"wait","arguments":{"ms":600000}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{"ms":5}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"waited 5 ms"}]}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow","reason":"enough"}}
        > {"jsonrpc":"2.0","id":3,"method":"ping"}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        "#,
    );
    // The end of the input ends every wait.
    check(
        r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"ms":600000}}}"#,
    );
}

#[test]
fn requests_input_from_the_user() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Which \"berth\"?"}}}
        < {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Which \"berth\"?","requestedSchema":{"type":"object","properties":{"answer":{"type":"string","title":"Your answer"}},"required":["answer"]}}}
        > {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"answer":"four"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"action\":\"accept\",\"content\":{\"answer\":\"four\"}}"}],"structuredContent":{"action":"accept","content":{"answer":"four"}}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Now?"}}}
        < {"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"Now?","requestedSchema":{"type":"object","properties":{"answer":{"type":"string","title":"Your answer"}},"required":["answer"]}}}
        > {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"the client refused: {\"code\":-32601,\"message\":\"Method not found\"}"}],"isError":true}}
        "#,
    );
}

#[test]
fn requests_a_model_response() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"ask_model","arguments":{"prompt":"Hi"}}}
        < {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":200}}
        > {"jsonrpc":"2.0","id":1,"result":"words"}
        < {"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"the client's result is not an object: \"words\""}],"isError":true}}
        "#,
    );
    // A cancelled call gets no response, and the late response to its request is dropped.
    check(
        r#"
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"ask_model","arguments":{"prompt":"Hi"}}}
        < {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":200}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}
        > {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":10,"method":"ping"}
        < {"jsonrpc":"2.0","id":10,"result":{}}
        "#,
    );
}

#[test]
fn requests_roots() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}
        > {"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}}
        < {"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"file:///a A\nfile:///b"}],"structuredContent":{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}}}
        "#,
    );
}
