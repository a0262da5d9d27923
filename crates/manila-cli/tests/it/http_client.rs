//! An HTTP client that sends exactly what a test specifies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::{Client, WAIT_MAX, manila_path};
use crate::program::{start, start_after};

/// A running program that serves over HTTP: a gateway, or a server.
pub(crate) struct HttpProgram {
    pub(crate) address: String,
    /// The process, unless a [`Client`] owns it.
    child: Option<Child>,
    stderr: Arc<Mutex<String>>,
    /// The number of calls of `about` by `n_calls`, which must not be counted.
    n_about: AtomicU64,
}

/// An HTTP response.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpProgram {
    /// Starts `manila wrap --http 127.0.0.1:0 OPTIONS -- SERVER`.
    pub(crate) fn wrap(options: &[&str], server: &[&str]) -> HttpProgram {
        let wrap = ["wrap", "--http", "127.0.0.1:0"];
        HttpProgram::start(&[&wrap, options, &["--"], server].concat())
    }

    /// Starts `manila wrap --http 127.0.0.1:0 --url URL OPTIONS`.
    pub(crate) fn at(url: &str, options: &[&str]) -> HttpProgram {
        HttpProgram::start(&[&["wrap", "--http", "127.0.0.1:0", "--url", url], options].concat())
    }

    /// Starts a gateway for the sample server.
    pub(crate) fn sample(options: &[&str]) -> HttpProgram {
        HttpProgram::wrap(options, &[manila_path(), "sample-server"])
    }

    /// Starts the sample server without a gateway.
    pub(crate) fn sample_server(options: &[&str]) -> HttpProgram {
        HttpProgram::start(&[&["sample-server", "--http", "127.0.0.1:0"], options].concat())
    }

    /// Starts the sample server without a gateway, at this address.
    pub(crate) fn sample_server_at(address: &str) -> HttpProgram {
        HttpProgram::start(&["sample-server", "--http", address])
    }

    /// Starts `manila ARGS` and waits until it serves.
    pub(crate) fn start(args: &[&str]) -> HttpProgram {
        HttpProgram::from_child(start(args))
    }

    /// Does the same as `start`, after a shell has run `first`.
    pub(crate) fn start_after(first: &str, args: &[&str]) -> HttpProgram {
        HttpProgram::from_child(start_after(first, args))
    }

    /// Waits until the program prints its address.
    fn from_child(mut child: Child) -> HttpProgram {
        let stderr = Arc::new(Mutex::new(String::new()));
        let (log, source) = (Arc::clone(&stderr), child.stderr.take().unwrap());
        let (sender, addresses) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                if let Some((_, url)) = line.split_once("http://")
                    && let Some((address, _)) = url.split_once("/mcp")
                {
                    let _ = sender.send(address.to_owned());
                }
                *log.lock().unwrap() += &(line + "\n");
            }
        });
        let address = addresses.recv_timeout(WAIT_MAX);
        let address = address.unwrap_or_else(|_| panic!("{}", stderr.lock().unwrap()));
        HttpProgram { address, child: Some(child), stderr, n_about: AtomicU64::new(0) }
    }

    /// Returns the HTTP side of a program that also has a client over stdio.
    pub(crate) fn of_client(client: &Client) -> HttpProgram {
        let address = client.wait_for_stderr(|line| {
            let (_, url) = line.split_once("http://")?;
            Some(url.split_once("/mcp")?.0.to_owned())
        });
        HttpProgram { address, child: None, stderr: Arc::default(), n_about: AtomicU64::new(0) }
    }

    /// Returns a program that already listens at this address.
    pub(crate) fn running_at(address: std::net::SocketAddr) -> HttpProgram {
        let (address, stderr) = (address.to_string(), Arc::default());
        HttpProgram { address, child: None, stderr, n_about: AtomicU64::new(0) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Waits until the program exits, and returns its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.as_mut().unwrap().wait().unwrap().code()
    }

    /// Sends a request. Each item of `head` is a header line.
    pub(crate) fn send(&self, method: &str, path: &str, head: &[&str], body: &str) -> Exchange {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        let host = if head.iter().any(|it| it.starts_with("Host:")) {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let head: String = head.iter().flat_map(|line| [*line, "\r\n"]).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n{head}\
             Content-Length: {length}\r\n\r\n{body}"
        );
        // A server that refuses early does not read everything.
        let _ = stream.write_all(request.as_bytes());
        Exchange { reader: BufReader::new(stream), head: None, rest: Vec::new() }
    }

    /// Sends a request and reads the response.
    pub(crate) fn request(&self, method: &str, path: &str, head: &[&str], body: &str) -> Reply {
        self.send(method, path, head, body).read_reply()
    }

    /// Calls a tool over plain HTTP.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Reply {
        self.request("POST", &format!("/tools/{tool}"), &[], &arguments.to_string())
    }

    /// Returns how many calls the sample server has received, without those of this function.
    pub(crate) fn n_calls(&self) -> u64 {
        let n_about = self.n_about.fetch_add(1, Ordering::SeqCst) + 1;
        let about = self.call("about", &json!({})).json();
        about["data"]["calls"].as_u64().unwrap_or_else(|| panic!("{about}")) - n_about
    }

    /// Waits until the sample server has received this many calls.
    #[track_caller]
    pub(crate) fn wait_for_calls(&self, n_calls: u64) {
        for _ in 0..1_000 {
            if self.n_calls() >= n_calls {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the calls never arrived; {}", self.stderr());
    }

    /// Opens a session of the legacy era.
    pub(crate) fn connect(&self, revision: &str) -> LegacyClient<'_> {
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": revision, "clientInfo": {"name": "test", "version": "1"},
            "capabilities": {"sampling": {}, "roots": {}, "elicitation": {}}}});
        let reply = self.request("POST", "/mcp", &JSON, &initialize.to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = reply.header("mcp-session-id").unwrap_or_default();
        let client = LegacyClient { program: self, session, initialize: reply.json() };
        let sent = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(sent.read_reply().status, 202);
        client
    }

    /// Sends a request of the modern era, with matching headers.
    pub(crate) fn send_modern(&self, method: &str, params: &Value) -> Exchange {
        let named = ["name", "uri", "taskId"].iter().find_map(|key| params.get(key));
        let name = named.and_then(Value::as_str);
        let name = name.map(|name| format!("Mcp-Name: {name}"));
        let method_header = format!("Mcp-Method: {method}");
        let mut head = vec![VERSION, method_header.as_str()];
        head.extend(JSON);
        head.extend(name.as_deref());
        self.send("POST", "/mcp", &head, &modern_request(1, method, params))
    }
}

impl Drop for HttpProgram {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The headers of every message over HTTP.
pub(crate) const JSON: [&str; 2] =
    ["Content-Type: application/json", "Accept: application/json, text/event-stream"];

/// The header of every request of the modern era.
pub(crate) const VERSION: &str = "MCP-Protocol-Version: 2026-07-28";

/// Returns a request of the modern era.
pub(crate) fn modern_request(id: u64, method: &str, params: &Value) -> String {
    let mut params = params.clone();
    let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    let declared = &mut params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    if declared.is_null() {
        *declared = capabilities;
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A client of the legacy era, with its session.
pub(crate) struct LegacyClient<'a> {
    program: &'a HttpProgram,
    pub(crate) session: String,
    pub(crate) initialize: Value,
}

impl LegacyClient<'_> {
    pub(crate) fn head(&self) -> String {
        format!("Mcp-Session-Id: {}", self.session)
    }

    pub(crate) fn post(&self, message: &Value) -> Exchange {
        let head = self.head();
        self.program.send("POST", "/mcp", &[JSON[0], JSON[1], &head], &message.to_string())
    }

    pub(crate) fn start_request(&self, id: &Value, method: &str, params: &Value) -> Exchange {
        self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Sends a request and waits for its response.
    pub(crate) fn request(&self, id: impl Into<Value>, method: &str, params: &Value) -> Value {
        let id: Value = id.into();
        self.start_request(&id, method, params).read_reply().answer(&id)
    }

    /// Calls a tool and returns the result.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let answer =
            self.request(tool, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Opens the stream for messages that belong to no request. With `last_id`, resumes a stream.
    pub(crate) fn listen(&self, last_id: Option<&str>) -> Exchange {
        let (head, last) = (self.head(), format!("Last-Event-ID: {}", last_id.unwrap_or_default()));
        let mut heads = vec!["Accept: text/event-stream", head.as_str()];
        heads.extend(last_id.map(|_| last.as_str()));
        self.program.send("GET", "/mcp", &heads, "")
    }
}

/// A request whose response is read incrementally.
pub(crate) struct Exchange {
    reader: BufReader<TcpStream>,
    head: Option<String>,
    rest: Vec<u8>,
}

/// An event of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

impl Exchange {
    /// Returns the status line and the headers.
    #[track_caller]
    pub(crate) fn head(&mut self) -> String {
        if let Some(head) = &self.head {
            return head.clone();
        }
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let n_read = self.reader.read_line(&mut head).unwrap();
            assert!(n_read > 0, "the connection was closed: {head:?}");
        }
        self.head = Some(head.clone());
        head
    }

    fn is_chunked(&mut self) -> bool {
        self.head().to_ascii_lowercase().contains("transfer-encoding: chunked")
    }

    /// Reads the next chunk of a chunked body. Returns `None` at its end.
    fn read_chunk(&mut self) -> Option<Vec<u8>> {
        let mut size = String::new();
        if self.reader.read_line(&mut size).ok()? == 0 {
            return None;
        }
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let mut chunk = vec![0; size + 2];
        self.reader.read_exact(&mut chunk).ok()?;
        chunk.truncate(size);
        (size > 0).then_some(chunk)
    }

    /// Returns the next event, or `None` at the end of the stream. Skips comments.
    pub(crate) fn event(&mut self) -> Option<Event> {
        assert!(self.is_chunked(), "not a stream: {}", self.head());
        loop {
            if let Some(end) = self.rest.windows(2).position(|it| it == b"\n\n") {
                let text: Vec<u8> = self.rest.drain(..end + 2).collect();
                let text = String::from_utf8(text).unwrap();
                let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
                let Some(data) = field("data:") else { continue };
                let id = field("id:").map(|id| id.trim().to_owned());
                let data = serde_json::from_str(data.trim()).unwrap_or(Value::Null);
                return Some(Event { id, data });
            }
            let chunk = self.read_chunk()?;
            self.rest.extend(chunk);
        }
    }

    /// Waits for a matching event, and skips others.
    #[track_caller]
    pub(crate) fn wait(&mut self, is_match: impl Fn(&Value) -> bool) -> Event {
        while let Some(event) = self.event() {
            if is_match(&event.data) {
                return event;
            }
        }
        panic!("the stream ended without the event")
    }

    /// Reads the whole response.
    pub(crate) fn read_reply(mut self) -> Reply {
        let head = self.head();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = std::mem::take(&mut self.rest);
        if self.is_chunked() {
            while let Some(chunk) = self.read_chunk() {
                body.extend(chunk);
            }
        } else {
            // A server that refuses early may reset the connection.
            let _ = self.reader.read_to_end(&mut body);
        }
        Reply { status, head, body: String::from_utf8_lossy(&body).into_owned() }
    }

    /// Sets how long a read may take before it fails.
    pub(crate) fn with_read_timeout(self, time: Duration) -> Exchange {
        self.reader.get_ref().set_read_timeout(Some(time)).unwrap();
        self
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, it)| it.trim().to_owned())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// Returns the messages in the body: one, or those of a stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.header("content-type").is_some_and(|it| it.starts_with("text/event-stream")) {
            let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
            return data.filter_map(|data| serde_json::from_str(data).ok()).collect();
        }
        serde_json::from_str(&self.body).into_iter().collect()
    }

    /// Returns the response to a request.
    #[track_caller]
    pub(crate) fn answer(&self, id: &Value) -> Value {
        let is_response = |it: &Value| it.get("method").is_none() && it["id"] == *id;
        self.messages().into_iter().find(is_response).unwrap_or_else(|| panic!("{self:?}"))
    }
}
