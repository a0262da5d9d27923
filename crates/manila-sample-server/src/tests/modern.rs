//! The modern era over stdio: every request declares its version, and there is no session state.

use super::super::{Eras, Options};
use super::conversation::{Client, check, check_with, expand};

#[test]
fn responds_to_discover() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{META}}}
        < {"jsonrpc":"2.0","id":"d","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"instructions":"Call any tool freely: nothing here touches real data, and some tools fail on purpose.","ttlMs":300000,"cacheScope":"public",SERVER_INFO}}
        "#,
    );
}

#[test]
fn adds_result_type_and_server_info() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"echo","arguments":{"message":"hi"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"app","_meta":{"traceparent":"00-1","io.modelcontextprotocol\/protocolVersion":"2026-07-28","io.modelcontextprotocol\/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"The view is ready."}],"structuredContent":{"view":"ready"},"_meta":{"ui":{"x":1}}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META},"name":"huge","arguments":{"bytes":5}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"Crate"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"_meta":{META},"uri":"sample://bytes"}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","contents":[{"uri":"sample://bytes","mimeType":"application/octet-stream","blob":"AAECAwQFBgcICQoLDA0ODw=="}],"ttlMs":60000,"cacheScope":"private",SERVER_INFO}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/templates/list","params":{"_meta":{META}}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","resourceTemplates":[{"uriTemplate":"sample://shelf/{place}","name":"place","description":"The number of times one place was touched.","mimeType":"text/plain"}],"ttlMs":300000,"cacheScope":"public",SERVER_INFO}}
        > {"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"_meta":{META},"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"t"}}}
        < {"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","completion":{"values":["Tony"],"total":1,"hasMore":false},SERVER_INFO}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{META},"name":"misbehave","arguments":{"how":"answer_twice"}}}
        < {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"the first response"}],SERVER_INFO}}
        < {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"the second response"}],SERVER_INFO}}
        "#,
    );
}

#[test]
fn serves_both_eras_at_once() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"_meta":{META},"name":"greet","arguments":{"name":"Ada"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","description":"Asks the model for a short greeting.","messages":[{"role":"user","content":{"type":"text","text":"Greet Ada in one friendly sentence."}}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":"protocolVersion"},"_meta":{"protocolVersion":"2026-07-28"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"protocolVersion"}]}}
        "#,
    );
}

#[test]
fn refuses_incomplete_or_unsupported_requests() {
    for (method, params, error) in [
        ("server/discover", r#"{"_meta":{}}"#, r#"{"code":-32602,"#),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            r#"{"code":-32602,"#,
        ),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}}"#,
            r#"{"code":-32602,"#,
        ),
        (
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}"#,
            r#"{"code":-32022,"message":"unsupported protocol version; supported: 2026-07-28","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}"#,
        ),
        (
            "tools/list",
            r#"{"_meta":{META,"io.modelcontextprotocol/logLevel":"loud"}}"#,
            r#"{"code":-32602,"#,
        ),
        ("ping", r#"{"_meta":{META}}"#, r#"{"code":-32601,"#),
        ("logging/setLevel", r#"{"_meta":{META},"level":"info"}"#, r#"{"code":-32601,"#),
        ("resources/subscribe", r#"{"_meta":{META},"uri":"x:"}"#, r#"{"code":-32601,"#),
        ("tasks/list", r#"{"_meta":{META}}"#, r#"{"code":-32601,"#),
        (
            "tasks/get",
            r#"{"_meta":{META},"taskId":"x"}"#,
            r#"{"code":-32021,"message":"the call needs a capability that the client did not declare","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}"#,
        ),
        ("resources/read", r#"{"_meta":{META},"uri":"x:"}"#, r#"{"code":-32602,"#),
        ("subscriptions/listen", r#"{"_meta":{META}}"#, r#"{"code":-32602,"#),
        (
            "tools/call",
            r#"{"_meta":{META},"name":"misbehave","arguments":{"how":"unknown_request"}}"#,
            r#"{"code":-32602,"#,
        ),
    ] {
        check_refused(Eras::Both, method, params, error);
    }
    check_refused(
        Eras::Both,
        "subscriptions/listen",
        r#"{"notifications":{}}"#,
        r#"{"code":-32601,"#,
    );
}

#[test]
fn serves_only_one_era() {
    let discover = r#"{"_meta":{META}}"#;
    check_refused(Eras::Legacy, "server/discover", discover, r#"{"code":-32601,"#);
    check_refused(Eras::Modern, "tools/list", "{}", r#"{"code":-32602,"#);
    check_refused(
        Eras::Modern,
        "initialize",
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}"#,
        r#"{"code":-32022,"message":"unsupported protocol version; supported: 2026-07-28","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}"#,
    );
    check_with(
        Options { eras: Eras::Legacy, fault: None },
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"echo","arguments":{"message":"hi"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}
        "#,
    );
    for eras in Eras::ALL {
        assert_eq!(Eras::from_name(eras.name()), Some(*eras));
    }
    assert_eq!(Eras::from_name("Both"), None);
}

#[track_caller]
fn check_refused(eras: Eras, method: &str, params: &str, error: &str) {
    let mut client = Client::connect(Options { eras, fault: None });
    let params = expand(params);
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":4,"method":"{method}","params":{params}}}"#));
    let response = client.receive();
    let expected = format!(r#"{{"jsonrpc":"2.0","id":4,"error":{error}"#);
    assert!(response.starts_with(&expected), "{method} {params}\n{response}");
    assert_eq!(client.disconnect().0, "");
}

#[test]
fn notifies_subscriptions() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"_meta":{META},"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:","sample://shelf"]}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["sample://shelf"]}}}
        > {"jsonrpc":"2.0","id":8,"method":"subscriptions/listen","params":{"_meta":{META},"notifications":{}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":8},"notifications":{}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"change_tools"}}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"added `extra`"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META},"name":"touch"}}
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"},"uri":"sample://shelf/top"}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"sample://shelf/top has changed"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META},"name":"change_tools"}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"removed `extra`"}],SERVER_INFO}}
        "#,
    );
}

#[test]
fn logs_only_at_the_requested_level() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META},"name":"log","arguments":{"message":"m","level":"alert"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"not logged: the client accepts no log messages"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META,"io.modelcontextprotocol/logLevel":"error"},"name":"log","arguments":{"message":"m"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"not logged: the client accepts only higher levels"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META,"io.modelcontextprotocol/logLevel":"info"},"name":"log","arguments":{"message":"m"}}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"manila-sample","data":"m"}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"logged as info"}],SERVER_INFO}}
        "#,
    );
}

#[test]
fn reports_progress_and_accepts_cancellation() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META,"progressToken":"t"},"name":"progress","arguments":{"steps":1,"delay_ms":0}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"total":1,"message":"step 1 of 1"}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"finished 1 steps"}],SERVER_INFO}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META},"name":"wait","arguments":{"ms":600000}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        "#,
    );
}

#[test]
fn requests_input_and_completes_on_retry() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"ask_user","arguments":{"question":"Which \"berth\"?"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"answer":{"method":"elicitation/create","params":{"message":"Which \"berth\"?","requestedSchema":{"type":"object","properties":{"answer":{"type":"string","title":"Your answer"}},"required":["answer"]}}}},"requestState":"asked-5cf93cf568dfe651",SERVER_INFO}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"ask_user","arguments":{"question":"Which \u0022berth\u0022?"},"requestState":"asked-5cf93cf568dfe651","inputResponses":{"answer":{"action":"accept","content":{"answer":"four"}},"more":1}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"action\":\"accept\",\"content\":{\"answer\":\"four\"}}"}],"structuredContent":{"action":"accept","content":{"answer":"four"}},SERVER_INFO}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"ask_user","arguments":{"question":"Another?"},"requestState":"asked-5cf93cf568dfe651","inputResponses":{"answer":{"action":"accept"}}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"`requestState` does not belong to this call"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"ask_model","arguments":{"prompt":"Hi"}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required","inputRequests":{"message":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":200}}},"requestState":"asked-109b3a3355442292",SERVER_INFO}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"roots"}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required","inputRequests":{"roots":{"method":"roots/list","params":{}}},"requestState":"asked-6e085d4ade98be40",SERVER_INFO}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"roots","requestState":"asked-6e085d4ade98be40"}}
        < {"jsonrpc":"2.0","id":6,"result":{"resultType":"input_required","inputRequests":{"roots":{"method":"roots/list","params":{}}},"requestState":"asked-6e085d4ade98be40",SERVER_INFO}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{META_ABLE},"name":"roots","requestState":"asked-6e085d4ade98be40","inputResponses":{"roots":{"roots":[{"uri":"file:///a","name":"A"}]}}}}
        < {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"file:///a A"}],"structuredContent":{"roots":[{"uri":"file:///a","name":"A"}]},SERVER_INFO}}
        "#,
    );
}

#[test]
fn requires_declared_capabilities() {
    for (tool, arguments, capabilities, required) in [
        ("ask_user", r#"{"question":"?"}"#, "{}", r#"{"elicitation":{"form":{}}}"#),
        (
            "ask_user",
            r#"{"question":"?"}"#,
            r#"{"elicitation":{"url":{}}}"#,
            r#"{"elicitation":{"form":{}}}"#,
        ),
        ("ask_model", r#"{"prompt":"?"}"#, r#"{"roots":{}}"#, r#"{"sampling":{}}"#),
        ("roots", "{}", r#"{"sampling":{}}"#, r#"{"roots":{}}"#),
    ] {
        let params = format!(
            r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities}}},"name":"{tool}","arguments":{arguments}}}"#
        );
        let error = format!(
            r#"{{"code":-32021,"message":"the call needs a capability that the client did not declare","data":{{"requiredCapabilities":{required}}}}}}}"#
        );
        check_refused(Eras::Both, "tools/call", &params, &error);
    }
}
