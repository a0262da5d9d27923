//! A server over HTTP that answers exactly what a test wants, and keeps what it heard.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) method: String,
    /// The headers, with their names in small letters.
    pub(crate) head: String,
    pub(crate) message: Value,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// What a server does with a request: it writes its whole reply, and may hang.
pub(crate) type Answer = dyn Fn(&Heard, &mut TcpStream) + Send + Sync;

/// A server that runs until the test ends.
pub(crate) struct Scripted {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Scripted {
    pub(crate) fn start(
        answer: impl Fn(&Heard, &mut TcpStream) + Send + Sync + 'static,
    ) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer): (_, Arc<Answer>) = (Arc::clone(&heard), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Scripted { url, heard }
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, kept: &Mutex<Vec<Heard>>, answer: &Answer) {
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
        let mut request = Heard { method, head, message: Value::Null };
        let length = request.header("content-length").and_then(|it| it.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        request.message = serde_json::from_slice(&body).unwrap_or(Value::Null);
        kept.lock().unwrap().push(request.clone());
        answer(&request, &mut writer);
    }
}

/// A reply with a body of its own.
pub(crate) fn reply(stream: &mut TcpStream, status: &str, head: &str, body: &str) {
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\n{head}Content-Length: {length}\r\n\r\n{body}");
    // A client that is gone needs no reply.
    let _ = stream.write_all(text.as_bytes());
}

/// A message as the reply.
pub(crate) fn say(stream: &mut TcpStream, head: &str, message: &Value) {
    let head = format!("Content-Type: application/json\r\n{head}");
    reply(stream, "200 OK", &head, &message.to_string());
}

/// The result of a request.
pub(crate) fn result(request: &Heard, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request.message["id"], "result": result})
}

/// What every server of the legacy era answers, so that a test can write the rest. `true` if it
/// has answered.
pub(crate) fn usual(request: &Heard, stream: &mut TcpStream, session: &str) -> bool {
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
    let method = request.message["method"].as_str().unwrap_or_default();
    match (request.method.as_str(), method) {
        ("POST", "server/discover") => {
            let error = json!({"code": -32000, "message": "Bad Request: Server not initialized"});
            let body = json!({"jsonrpc": "2.0", "error": error, "id": null}).to_string();
            reply(stream, "400 Bad Request", "Content-Type: application/json\r\n", &body);
        }
        ("POST", "initialize") => {
            let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "scripted", "version": "1.2.3"}});
            let head = format!("Mcp-Session-Id: {session}\r\n");
            say(stream, &head, &result(request, &hello));
        }
        ("POST", "tools/list") => say(stream, "", &result(request, &json!({"tools": [tool]}))),
        ("POST", method) if method.starts_with("notifications/") => {
            reply(stream, "202 Accepted", "", "");
        }
        ("GET", _) => reply(stream, "405 Method Not Allowed", "", ""),
        ("DELETE", _) => reply(stream, "204 No Content", "", ""),
        _ => return false,
    }
    true
}
