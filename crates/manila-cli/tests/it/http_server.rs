//! An HTTP server that sends scripted responses, and records the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A request that the server received.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    pub(crate) method: String,
    /// The headers, with their names in lower case.
    pub(crate) head: String,
    pub(crate) message: Value,
}

impl RecordedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// A function that handles a request: it writes the whole response, and may hang.
pub(crate) type Handler = dyn Fn(&RecordedRequest, &mut TcpStream) + Send + Sync;

/// A server that runs until the test ends.
pub(crate) struct ScriptedServer {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl ScriptedServer {
    pub(crate) fn start(
        handler: impl Fn(&RecordedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> ScriptedServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (recorded, handler): (_, Arc<Handler>) = (Arc::clone(&requests), Arc::new(handler));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (recorded, handler) = (Arc::clone(&recorded), Arc::clone(&handler));
                std::thread::spawn(move || serve(stream, &recorded, &*handler));
            }
        });
        ScriptedServer { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, recorded: &Mutex<Vec<RecordedRequest>>, handler: &Handler) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            match reader.read_line(&mut head) {
                Ok(1..) => {}
                Ok(0) | Err(_) => return,
            }
        }
        let method = head.split(' ').next().unwrap_or_default().to_owned();
        let named = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let lines: Vec<String> =
            named.map(|(name, value)| format!("{}: {value}", name.to_ascii_lowercase())).collect();
        let head = lines.join("\n");
        let mut request = RecordedRequest { method, head, message: Value::Null };
        let length = request.header("content-length").and_then(|it| it.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        request.message = serde_json::from_slice(&body).unwrap_or(Value::Null);
        recorded.lock().unwrap().push(request.clone());
        handler(&request, &mut writer);
    }
}

/// Writes a response with this body.
pub(crate) fn reply(stream: &mut TcpStream, status: &str, head: &str, body: &str) {
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\n{head}Content-Length: {length}\r\n\r\n{body}");
    // A client that has disconnected needs no response.
    let _ = stream.write_all(text.as_bytes());
}

/// Writes a response with a message as its body.
pub(crate) fn reply_json(stream: &mut TcpStream, head: &str, message: &Value) {
    let head = format!("Content-Type: application/json\r\n{head}");
    reply(stream, "200 OK", &head, &message.to_string());
}

/// Returns a JSON-RPC response with this result.
pub(crate) fn result(request: &RecordedRequest, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request.message["id"], "result": result})
}

/// Sends the usual responses of a server of the legacy era, so that a test writes only the others.
/// Returns whether it has sent one.
pub(crate) fn answer_handshake(
    request: &RecordedRequest,
    stream: &mut TcpStream,
    session: &str,
) -> bool {
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
    let method = request.message["method"].as_str().unwrap_or_default();
    match (request.method.as_str(), method) {
        ("POST", "server/discover") => {
            let error = json!({"code": -32000, "message": "Bad Request: Server not initialized"});
            let body = json!({"jsonrpc": "2.0", "error": error, "id": null}).to_string();
            reply(stream, "400 Bad Request", "Content-Type: application/json\r\n", &body);
        }
        ("POST", "initialize") => {
            let initialized = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "scripted", "version": "1.2.3"}});
            let head = format!("Mcp-Session-Id: {session}\r\n");
            reply_json(stream, &head, &result(request, &initialized));
        }
        ("POST", "tools/list") => {
            reply_json(stream, "", &result(request, &json!({"tools": [tool]})));
        }
        ("POST", method) if method.starts_with("notifications/") => {
            reply(stream, "202 Accepted", "", "");
        }
        ("GET", _) => reply(stream, "405 Method Not Allowed", "", ""),
        ("DELETE", _) => reply(stream, "204 No Content", "", ""),
        _ => return false,
    }
    true
}
