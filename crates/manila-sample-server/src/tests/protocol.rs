//! The protocol: handshake, lists, and requests that are refused.

use super::super::line::LINE_BYTES_MAX;
use super::super::{Ending, Fault};
use super::conversation::{Client, check, check_with};

#[test]
fn negotiates_the_revision() {
    for (requested, negotiated) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("tomorrow", "2025-11-25"),
    ] {
        let mut client = Client::connect(None);
        client.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{requested}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
        ));
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{negotiated}","capabilities":{{"tools":{{"listChanged":true}},"resources":{{"subscribe":true}},"prompts":{{}},"logging":{{}},"completions":{{}},"tasks":{{"list":{{}},"cancel":{{}},"requests":{{"tools":{{"call":{{}}}}}}}}}},"serverInfo":{{"name":"manila-sample","version":"{}"}},"instructions":"Call any tool freely: nothing here touches real data, and some tools fail on purpose."}}}}"#,
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(client.receive(), expected);
    }
}

#[test]
fn responds_with_the_id_as_written() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":12345678901234567890123,"method":"ping"}
        < {"jsonrpc":"2.0","id":12345678901234567890123,"result":{}}
        > {"method":"p\u0069ng","params":{"_meta":{}},"id":"\u0061\/b","jsonrpc":"2.0"}
        < {"jsonrpc":"2.0","id":"\u0061\/b","result":{}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}
        > {"jsonrpc":"2.0","id":5,"result":null}
        > {"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"nobody asked"}}
        "#,
    );
}

#[test]
fn refuses_invalid_requests() {
    for (line, id, code) in [
        ("{", "null", -32700),
        ("hello", "null", -32700),
        ("[1,", "null", -32700),
        ("[]", "null", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "null", -32600),
        ("42", "null", -32600),
        ("{}", "null", -32600),
        (r#"{"jsonrpc":"2.0"}"#, "null", -32600),
        (r#"{"jsonrpc":"2.0","id":4}"#, "4", -32600),
        (r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, "4", -32600),
        (r#"{"id":4,"method":"ping"}"#, "4", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "null", -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":7}"#, "null", -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}"#, "4", -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"server/discover"}"#, "4", -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"resources/subscribe"}"#, "4", -32602),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"sample://shelf/x"}}"#,
            "4",
            -32002,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"place","value":""}}}"#,
            "4",
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":4,"method":"initialize"}"#, "4", -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, "4", -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x"}}"#, "4", -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"x"}}"#, "4", -32602),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{"cursor":"x"}}"#,
            "4",
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"greet"}}"#,
            "4",
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"x:"}}"#,
            "4",
            -32002,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"x"}}"#,
            "4",
            -32602,
        ),
    ] {
        let mut client = Client::connect(None);
        client.send(line);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"#);
        let response = client.receive();
        assert!(response.starts_with(&expected), "{line}\n{response}");
        assert_eq!(client.disconnect().0, "");
    }
}

#[test]
fn lists_and_reads_resources_and_prompts() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"sample://greeting","name":"greeting","description":"A short greeting, as plain text.","mimeType":"text/plain"},{"uri":"sample://bytes","name":"bytes","description":"Sixteen bytes, counting up from zero.","mimeType":"application/octet-stream"},{"uri":"sample://shelf","name":"shelf","description":"The number of times each place was touched. Clients can subscribe to it.","mimeType":"text/plain"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"sample://greeting"}}
        < {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"sample://greeting","mimeType":"text/plain","text":"Good morning from the sample server.\n"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"sample://bytes"}}
        < {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"sample://bytes","mimeType":"application/octet-stream","blob":"AAECAwQFBgcICQoLDA0ODw=="}]}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"ui://sample/app"}}
        < {"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"ui://sample/app","mimeType":"text/html;profile=mcp-app","text":"<!doctype html><title>Sample</title><p>The sample app is ready.</p>"}]}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/templates/list"}
        < {"jsonrpc":"2.0","id":5,"result":{"resourceTemplates":[{"uriTemplate":"sample://shelf/{place}","name":"place","description":"The number of times one place was touched.","mimeType":"text/plain"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":6,"result":{"prompts":[{"name":"greet","title":"Greet a person","description":"Asks the model for a short greeting.","arguments":[{"name":"name","description":"The person to greet.","required":true}]}]}}
        > {"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"greet","arguments":{"name":"Ada"}}}
        < {"jsonrpc":"2.0","id":7,"result":{"description":"Asks the model for a short greeting.","messages":[{"role":"user","content":{"type":"text","text":"Greet Ada in one friendly sentence."}}]}}
        > {"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"a"}}}
        < {"jsonrpc":"2.0","id":8,"result":{"completion":{"values":["Ada","Agnes","Alan"],"total":3,"hasMore":false}}}
        > {"jsonrpc":"2.0","id":9,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"sample://shelf/{place}"},"argument":{"name":"place","value":"M"}}}
        < {"jsonrpc":"2.0","id":9,"result":{"completion":{"values":["middle"],"total":1,"hasMore":false}}}
        "#,
    );
}

#[test]
fn notifies_changes_of_subscribed_resources() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"sample://shelf/top"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch","arguments":{"place":"bottom"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"sample://shelf/bottom has changed"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"touch"}}
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"sample://shelf/top"}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"sample://shelf/top has changed"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"sample://shelf/top"}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"touch"}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"sample://shelf/top has changed"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"sample://shelf"}}
        < {"jsonrpc":"2.0","id":6,"result":{}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"touch"}}
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"sample://shelf/top"}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"sample://shelf/top has changed"}]}}
        > {"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"sample://shelf/top"}}
        < {"jsonrpc":"2.0","id":8,"result":{"contents":[{"uri":"sample://shelf/top","mimeType":"text/plain","text":"touched 3 times\n"}]}}
        > {"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"sample://shelf"}}
        < {"jsonrpc":"2.0","id":9,"result":{"contents":[{"uri":"sample://shelf","mimeType":"text/plain","text":"top: touched 3 times\nmiddle: touched 0 times\nbottom: touched 1 times\n"}]}}
        "#,
    );
}

#[test]
fn skips_a_line_that_is_too_long() {
    let mut client = Client::connect(None);
    client.send(&"x".repeat(LINE_BYTES_MAX + 1));
    let refusal = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a line must be at most 16777216 bytes"}}"#;
    assert_eq!(client.receive(), refusal);
    let padding = " ".repeat(LINE_BYTES_MAX - 40);
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"{padding}}}"#));
    assert_eq!(client.receive(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(client.disconnect(), (String::new(), Ending::EndOfInput));
}

#[test]
fn has_faults_from_the_start() {
    check_with(Some(Fault::Silent), r#"> {"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let client = Client::connect(Some(Fault::Exit));
    assert_eq!(client.disconnect(), (String::new(), Ending::GaveUp));

    let mut client = Client::connect(Some(Fault::Noise));
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let (output, _) = client.disconnect();
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines.contains(&"") && lines.contains(&r#"[1, "two", {"three": 3}]"#), "{output}");
    assert_eq!(lines.last(), Some(&r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));

    for fault in Fault::ALL {
        assert_eq!(Fault::from_name(fault.name()), Some(*fault));
    }
    assert_eq!(Fault::from_name("Exit"), None);
}
