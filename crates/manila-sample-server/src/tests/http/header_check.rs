//! Headers that repeat parts of the message.

use serde_json::Value;

use super::super::super::{Options, TOOLS, tools};
use super::super::conversation::expand;
use super::client::TestServer;

#[test]
fn checks_the_standard_headers() {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{META}}}"#;
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"_meta":{META},"uri":"sample://greeting"}}"#;
    let get = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"_meta":{META},"name":"greet","arguments":{"name":"Ada"}}}"#;
    let modern = "MCP-Protocol-Version: 2026-07-28";
    for (headers, body, error) in [
        (format!("{modern}; Mcp-Method: tools/list"), list, ""),
        ("Mcp-Method: tools/list".to_owned(), list, "MCP-Protocol-Version is missing"),
        ("MCP-Protocol-Version: 2025-11-25".to_owned(), list, "MCP-Protocol-Version does not"),
        (modern.to_owned(), list, "Mcp-Method is missing"),
        (format!("{modern}; Mcp-Method: Tools/List"), list, "Mcp-Method does not"),
        (format!("{modern}; mcp-method: resources/read"), read, "Mcp-Name is missing"),
        (format!("{modern}; MCP-METHOD: resources/read; mcp-name: sample://greeting"), read, ""),
        (
            format!(
                "{modern}; Mcp-Method: resources/read; Mcp-Name: =?base64?c2FtcGxlOi8vZ3JlZXRpbmc=?="
            ),
            read,
            "",
        ),
        (
            format!("{modern}; Mcp-Method: resources/read; Mcp-Name: =?base64?c2Ftc?="),
            read,
            "Mcp-Name does not",
        ),
        (format!("{modern}; Mcp-Method: prompts/get; Mcp-Name: greet"), get, ""),
        (format!("{modern}; Mcp-Method: prompts/get; Mcp-Name: Greet"), get, "Mcp-Name does not"),
    ] {
        check_headers(&headers, body, error);
    }
}

#[test]
fn checks_the_headers_of_arguments() {
    for (arguments, headers, error) in [
        (r#"{"region":"north"}"#, "Mcp-Param-Region: north", ""),
        (r#"{"region":"north"}"#, "mcp-param-region: north; Mcp-Param-Other: x", ""),
        (r#"{"region":"north"}"#, "Mcp-Param-Region: South", "Mcp-Param-Region does not"),
        (r#"{"region":"north"}"#, "X: y", "Mcp-Param-Region is missing"),
        (r#"{"region":"Hello, 世界"}"#, "Mcp-Param-Region: =?base64?SGVsbG8sIOS4lueVjA==?=", ""),
        (r#"{"region":"世"}"#, "Mcp-Param-Region: 世", "Mcp-Param-Region does not"),
        (r#"{"region":" padded "}"#, "Mcp-Param-Region: =?base64?IHBhZGRlZCA=?=", ""),
        (r#"{"region":"n","berth":42}"#, "Mcp-Param-Region: n; Mcp-Param-Berth: 42", ""),
        (r#"{"region":"n","berth":42.0}"#, "Mcp-Param-Region: n; Mcp-Param-Berth: 42", ""),
        (r#"{"region":"n","berth":42}"#, "Mcp-Param-Region: n; Mcp-Param-Berth: 42.0", ""),
        (
            r#"{"region":"n","berth":42}"#,
            "Mcp-Param-Region: n; Mcp-Param-Berth: 43",
            "Mcp-Param-Berth does not",
        ),
        (r#"{"region":"n","berth":42}"#, "Mcp-Param-Region: n", "Mcp-Param-Berth is missing"),
        (r#"{"region":"n","berth":null}"#, "Mcp-Param-Region: n", ""),
        (
            r#"{"region":"n"}"#,
            "Mcp-Param-Region: n; Mcp-Param-Berth: 1",
            "Mcp-Param-Berth does not",
        ),
        (r#"{"region":"n","urgent":true}"#, "Mcp-Param-Region: n; Mcp-Param-Urgent: true", ""),
        (
            r#"{"region":"n","urgent":true}"#,
            "Mcp-Param-Region: n; Mcp-Param-Urgent: True",
            "Mcp-Param-Urgent does not",
        ),
        (
            r#"{"region":"n","crate":{"mark":"m"}}"#,
            "Mcp-Param-Region: n; Mcp-Param-Crate-Mark: m",
            "",
        ),
        (
            r#"{"region":"n","crate":{"mark":"m"}}"#,
            "Mcp-Param-Region: n",
            "Mcp-Param-Crate-Mark is missing",
        ),
    ] {
        let headers = format!(
            "MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call; Mcp-Name: route; {headers}"
        );
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{META}},"name":"route","arguments":{arguments}}}}}"#
        );
        check_headers(&headers, &body, error);
    }
}

/// Sends a request and expects the error, or a result if `error` is empty.
#[track_caller]
fn check_headers(headers: &str, body: &str, error: &str) {
    let server = TestServer::start(Options::default());
    let mut client = server.connect();
    client.send(&expand(&format!("POST {headers} | {body}")));
    let reply = client.reply();
    let body = reply.body.unwrap();
    if error.is_empty() {
        assert_eq!(reply.status, 200, "{headers}\n{body}");
        assert!(body.contains(r#""result":{"resultType":"complete""#), "{headers}\n{body}");
    } else {
        assert_eq!(reply.status, 400, "{headers}\n{body}");
        let expected = format!(r#""error":{{"code":-32020,"message":"the header {error}"#);
        assert!(body.contains(&expected), "{headers}\n{body}");
    }
}

/// The table of header arguments matches the schemas.
#[test]
fn knows_every_annotated_argument() {
    for tool in TOOLS {
        let schema: Value = serde_json::from_str(tool.input_schema).unwrap();
        let mut annotated = Vec::new();
        collect(&schema, "", &mut annotated);
        annotated.sort();
        let mut known: Vec<(String, String)> = tools::header_arguments(tool.name)
            .iter()
            .map(|(pointer, header)| ((*pointer).to_owned(), (*header).to_owned()))
            .collect();
        known.sort();
        assert_eq!(annotated, known, "{}", tool.name);
    }
}

fn collect(schema: &Value, pointer: &str, found: &mut Vec<(String, String)>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{name}");
        if let Some(header) = property["x-mcp-header"].as_str() {
            found.push((pointer.clone(), format!("Mcp-Param-{header}")));
        }
        collect(property, &pointer, found);
    }
}
