//! `manila sample-server --http`: addresses, responses and shutdown.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

use crate::program::{manila, start};

/// Starts a server and returns it with the address that it reports.
fn serve(options: &[&str]) -> (Child, String) {
    let mut server = start(&[&["sample-server", "--http", "127.0.0.1:0"], options].concat());
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.split("http://").nth(1).unwrap_or_else(|| panic!("no address in {line:?}"));
    let address = url.trim_end().strip_suffix("/mcp").unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    (server, address.to_owned())
}

/// Sends one request with the headers in `head`, and returns the complete response.
fn request(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: */*\r\n\
         Content-Type: application/json\r\n{head}Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
);
const DISCOVER: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","#,
    r#""params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#,
);
const MODERN: &str = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n";

#[test]
fn supports_the_configured_eras() {
    for (era, initialized, discovered) in
        [("both", 200, 200), ("legacy", 200, 400), ("modern", 400, 200)]
    {
        let (mut server, address) = serve(&["--era", era]);
        let answer = request(&address, "", INITIALIZE);
        assert!(answer.starts_with(&format!("HTTP/1.1 {initialized} ")), "{era}: {answer}");
        assert_eq!(answer.contains("Mcp-Session-Id: "), initialized == 200, "{era}: {answer}");
        let answer = request(&address, MODERN, DISCOVER);
        assert!(answer.starts_with(&format!("HTTP/1.1 {discovered} ")), "{era}: {answer}");
        server.kill().unwrap();
        server.wait().unwrap();
    }
}

#[test]
fn exits_on_signals() {
    for signal in ["-TERM", "-INT"] {
        let (mut server, address) = serve(&[]);
        // A server that responds to requests also handles signals.
        assert!(request(&address, MODERN, DISCOVER).contains("supportedVersions"));
        let killed = Command::new("kill").args([signal, &server.id().to_string()]).status();
        assert!(killed.unwrap().success());
        assert_eq!(server.wait().unwrap().code(), Some(0));
        assert!(TcpStream::connect(address).is_err());
    }
}

#[test]
fn listens_only_on_loopback() {
    for address in ["0.0.0.0:0", "192.0.2.1:80", "[::]:0"] {
        let ran = manila(&["sample-server", "--http", address], b"");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("not a loopback address"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    }
    assert_eq!(manila(&["sample-server", "--http", "8080"], b"").code, 2);
}

#[test]
fn crashes_and_truncates_responses() {
    let call = |name: &str, arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}},"name":"{name}","arguments":{arguments}}}}}"#
        )
    };
    let head = |name: &str| {
        format!(
            "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
        )
    };
    let (mut server, address) = serve(&[]);
    let cut =
        request(&address, &head("misbehave"), &call("misbehave", r#"{"how":"close_stdout"}"#));
    assert_eq!(cut, "");
    let half =
        request(&address, &head("misbehave"), &call("misbehave", r#"{"how":"half_answer"}"#));
    assert!(half.ends_with("\"content\":[{\"type\":\"te\r\n"), "{half}");
    let mut stream = TcpStream::connect(&address).unwrap();
    let body = call("crash", r#"{"code":7}"#);
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nContent-Type: application/json\r\n\
         {}Content-Length: {}\r\n\r\n{body}",
        head("crash"),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(7));
}
