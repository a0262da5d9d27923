//! A small HTTP client, and the check of the HTTP tests: exchanges, line by line.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, PipeWriter, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::super::super::{Ending, Options, serve_http};
use super::super::conversation::expand;

/// The default headers of a request.
const DEFAULT_HEADERS: [(&str, &str); 3] = [
    ("Host", "localhost"),
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
];

/// Runs `script` against a new server. The name before `>`, `<` or `!` is a connection:
///
/// - `a> POST Some: header; Another: header | body`: sends a request
/// - `a< 200 body`: expects a status and a complete body, `a< 200 stream` a stream
/// - `a< body`: expects an event of the stream, `a< end` its end
/// - `a!`: disconnects
///
/// `SESSION` is the id of the last session that started; `LEGACY` and `MODERN` are headers.
#[track_caller]
pub(super) fn check(options: Options, script: &str) {
    let server = TestServer::start(options);
    let mut connections = HashMap::new();
    let mut session = String::new();
    let script = expand(script)
        .replace("LEGACY", "Mcp-Session-Id: SESSION; MCP-Protocol-Version: 2025-11-25")
        .replace("MODERN", "MCP-Protocol-Version: 2026-07-28");
    for line in script.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
        let at = line.find(['>', '<', '!']).expect(line);
        let (name, rest) = line.split_at(at);
        let connection = connections.entry(name).or_insert_with(|| server.connect());
        let content = rest[1..].trim();
        match &rest[..1] {
            ">" => connection.send(&content.replace("SESSION", &session)),
            "!" => drop(connections.remove(name)),
            _ if content.starts_with(|first: char| first.is_ascii_digit()) => {
                let reply = connection.reply();
                if let Some(id) = reply.header("mcp-session-id") {
                    id.clone_into(&mut session);
                }
                assert_eq!(reply.summary(), content, "{line}");
            }
            _ => {
                let event = connection.event();
                assert_eq!(event.as_deref().unwrap_or("end"), content, "{line}");
            }
        }
    }
}

/// A running server.
pub(super) struct TestServer {
    address: SocketAddr,
    stop: Option<PipeWriter>,
    serving: Option<JoinHandle<io::Result<Ending>>>,
}

impl TestServer {
    pub(super) fn start(options: Options) -> TestServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (mut stopped, stop) = io::pipe().unwrap();
        let wait_for_stop = move || stopped.read_to_end(&mut Vec::new()).map(|_| ());
        let serving = thread::spawn(move || serve_http(listener, options, wait_for_stop));
        TestServer { address, stop: Some(stop), serving: Some(serving) }
    }

    pub(super) fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).unwrap();
        // A test without a response must fail.
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Connection { stream: BufReader::new(stream), stream_left: String::new(), is_stream: false }
    }

    /// Stops the server, and returns the reason why it stopped.
    pub(super) fn stop(&mut self) -> Option<Ending> {
        drop(self.stop.take());
        self.serving.take().map(|serving| serving.join().unwrap().unwrap())
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.stop();
        }
    }
}

/// A connection of the client.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
    /// The received part of the stream that is not a complete event yet.
    stream_left: String,
    is_stream: bool,
}

/// A response.
pub(super) struct Reply {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    /// `None` for a stream.
    pub(super) body: Option<String>,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }

    /// Returns the response in the format of a script.
    fn summary(&self) -> String {
        let body = self.body.as_deref().unwrap_or("stream");
        format!("{} {body}", self.status).trim().to_owned()
    }
}

impl Connection {
    /// Sends `METHOD headers | body`, with the default headers and the given ones.
    pub(super) fn send(&mut self, request: &str) {
        let (head, body) = request.split_once(" | ").unwrap_or((request, ""));
        let (method, given) = head.split_once(' ').unwrap_or((head, ""));
        let given: Vec<(&str, &str)> = given
            .split("; ")
            .filter_map(|header| header.split_once(':'))
            .map(|(name, value)| (name.trim(), value.trim()))
            .collect();
        let path = given.iter().find(|(name, _)| *name == "Path").map_or("/mcp", |(_, path)| path);
        let defaults = DEFAULT_HEADERS
            .iter()
            .filter(|(name, _)| !given.iter().any(|(it, _)| it.eq_ignore_ascii_case(name)));
        let sent = defaults.chain(&given);
        let headers = sent.filter(|(name, value)| *name != "Path" && *value != "none");
        let headers: Vec<String> =
            headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = headers.concat();
        let length = body.len();
        let text =
            format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        self.send_bytes(text.as_bytes());
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// Reads the head of a response, and its body unless it is a stream.
    #[track_caller]
    pub(super) fn reply(&mut self) -> Reply {
        let first = self.line();
        let status = first.split(' ').nth(1).expect(&first).parse().unwrap();
        let mut reply = Reply { status, headers: Vec::new(), body: None };
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else { break };
            reply.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        self.is_stream = reply.header("content-type") == Some("text/event-stream");
        if !self.is_stream {
            reply.body = Some(self.body(&reply).trim_end().to_owned());
        }
        reply
    }

    fn body(&mut self, reply: &Reply) -> String {
        let mut body = String::new();
        if let Some(length) = reply.header("content-length") {
            let mut bytes = vec![0; length.parse().unwrap()];
            self.stream.read_exact(&mut bytes).unwrap();
            body = String::from_utf8(bytes).unwrap();
        } else if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                body += &chunk;
            }
        }
        body
    }

    /// Returns the data of the next event, or `None` at the end of the stream.
    #[track_caller]
    pub(super) fn event(&mut self) -> Option<String> {
        assert!(self.is_stream, "there is no stream to read an event from");
        loop {
            while let Some((event, rest)) = self.stream_left.split_once("\n\n") {
                let data = event.strip_prefix("event: message\ndata: ").map(str::to_owned);
                self.stream_left = rest.to_owned();
                if data.is_some() {
                    return data;
                }
            }
            let Some(chunk) = self.chunk() else {
                self.is_stream = false;
                return None;
            };
            self.stream_left += &chunk;
        }
    }

    fn chunk(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.line(), 16).unwrap();
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes.truncate(length);
        Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|chunk| !chunk.is_empty())
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        assert!(line.ends_with("\r\n"), "the response ended too early: {line:?}");
        line.trim_end().to_owned()
    }

    /// Reads the rest of the output until the server closes the connection.
    pub(super) fn rest(mut self) -> String {
        let mut rest = Vec::new();
        // A connection reset counts as the end.
        let _ = self.stream.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}
