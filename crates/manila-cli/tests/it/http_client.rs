//! A client of our own over HTTP, that says exactly what a test wants to say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::{Client, PATIENCE, manila_path};
use crate::program::{start, start_after};

/// A running program that serves over HTTP: a gateway, or a server.
pub(crate) struct Served {
    pub(crate) address: String,
    /// The program, unless somebody else has it.
    child: Option<Child>,
    stderr: Arc<Mutex<String>>,
    /// How often the sample server was asked how many calls it has had.
    n_asked: AtomicU64,
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Served {
    /// `manila wrap --http 127.0.0.1:0 OPTIONS -- SERVER`.
    pub(crate) fn wrap(options: &[&str], server: &[&str]) -> Served {
        let wrap = ["wrap", "--http", "127.0.0.1:0"];
        Served::start(&[&wrap, options, &["--"], server].concat())
    }

    /// `manila wrap --http 127.0.0.1:0 --url URL OPTIONS`.
    pub(crate) fn at(url: &str, options: &[&str]) -> Served {
        Served::start(&[&["wrap", "--http", "127.0.0.1:0", "--url", url], options].concat())
    }

    /// The sample server behind a gateway.
    pub(crate) fn sample(options: &[&str]) -> Served {
        Served::wrap(options, &[manila_path(), "sample-server"])
    }

    /// The sample server itself.
    pub(crate) fn sample_server(options: &[&str]) -> Served {
        Served::start(&[&["sample-server", "--http", "127.0.0.1:0"], options].concat())
    }

    /// The sample server itself, at this address.
    pub(crate) fn sample_server_at(address: &str) -> Served {
        Served::start(&["sample-server", "--http", address])
    }

    /// `manila ARGS`, as soon as it serves.
    pub(crate) fn start(args: &[&str]) -> Served {
        Served::heard(start(args))
    }

    /// As `start`, after a shell has run `first`.
    pub(crate) fn start_after(first: &str, args: &[&str]) -> Served {
        Served::heard(start_after(first, args))
    }

    /// A program that says where it serves.
    fn heard(mut child: Child) -> Served {
        let stderr = Arc::new(Mutex::new(String::new()));
        let (kept, source) = (Arc::clone(&stderr), child.stderr.take().unwrap());
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                if let Some((_, url)) = line.split_once("http://")
                    && let Some((address, _)) = url.split_once("/mcp")
                {
                    let _ = tell.send(address.to_owned());
                }
                *kept.lock().unwrap() += &(line + "\n");
            }
        });
        let address = told.recv_timeout(PATIENCE);
        let address = address.unwrap_or_else(|_| panic!("{}", stderr.lock().unwrap()));
        Served { address, child: Some(child), stderr, n_asked: AtomicU64::new(0) }
    }

    /// The HTTP side of a program that has a client over standard input and output, too.
    pub(crate) fn beside(client: &Client) -> Served {
        let address = client.until_stderr(|line| {
            let (_, url) = line.split_once("http://")?;
            Some(url.split_once("/mcp")?.0.to_owned())
        });
        Served { address, child: None, stderr: Arc::default(), n_asked: AtomicU64::new(0) }
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

    /// Waits for the end, and gives the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.as_mut().unwrap().wait().unwrap().code()
    }

    /// Sends a request. `head` has its headers, a line each.
    pub(crate) fn send(&self, method: &str, path: &str, head: &[&str], body: &str) -> Exchange {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
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

    pub(crate) fn ask(&self, method: &str, path: &str, head: &[&str], body: &str) -> Reply {
        self.send(method, path, head, body).whole()
    }

    /// Calls a tool on plain HTTP.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Reply {
        self.ask("POST", &format!("/tools/{tool}"), &[], &arguments.to_string())
    }

    /// How many calls the sample server has had, but for those that only ask this.
    pub(crate) fn n_calls(&self) -> u64 {
        let n_asked = self.n_asked.fetch_add(1, Ordering::SeqCst) + 1;
        let about = self.call("about", &json!({})).json();
        about["data"]["calls"].as_u64().unwrap_or_else(|| panic!("{about}")) - n_asked
    }

    /// Waits until the sample server has had so many calls.
    #[track_caller]
    pub(crate) fn until_calls(&self, n_calls: u64) {
        for _ in 0..1_000 {
            if self.n_calls() >= n_calls {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("they never came; {}", self.stderr());
    }

    /// A client of the legacy era.
    pub(crate) fn greeted(&self, revision: &str) -> Legacy<'_> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": revision, "clientInfo": {"name": "test", "version": "1"},
            "capabilities": {"sampling": {}, "roots": {}, "elicitation": {}}}});
        let reply = self.ask("POST", "/mcp", &JSON, &hello.to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = reply.header("mcp-session-id").unwrap_or_default();
        let client = Legacy { served: self, session, hello: reply.json() };
        let told = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(told.whole().status, 202);
        client
    }

    /// A request of the modern era, with headers that are true.
    pub(crate) fn modern(&self, method: &str, params: &Value) -> Exchange {
        let named = ["name", "uri", "taskId"].iter().find_map(|key| params.get(key));
        let name = named.and_then(Value::as_str);
        let name = name.map(|name| format!("Mcp-Name: {name}"));
        let method_header = format!("Mcp-Method: {method}");
        let mut head = vec![VERSION, method_header.as_str()];
        head.extend(JSON);
        head.extend(name.as_deref());
        self.send("POST", "/mcp", &head, &modern(1, method, params))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What every message over HTTP has.
pub(crate) const JSON: [&str; 2] =
    ["Content-Type: application/json", "Accept: application/json, text/event-stream"];

/// What every request of the modern era has.
pub(crate) const VERSION: &str = "MCP-Protocol-Version: 2026-07-28";

/// A request of the modern era.
pub(crate) fn modern(id: u64, method: &str, params: &Value) -> String {
    let mut params = params.clone();
    let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    let said = &mut params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    if said.is_null() {
        *said = capabilities;
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A client of the legacy era, with its session.
pub(crate) struct Legacy<'a> {
    served: &'a Served,
    pub(crate) session: String,
    pub(crate) hello: Value,
}

impl Legacy<'_> {
    pub(crate) fn head(&self) -> String {
        format!("Mcp-Session-Id: {}", self.session)
    }

    pub(crate) fn post(&self, message: &Value) -> Exchange {
        let head = self.head();
        self.served.send("POST", "/mcp", &[JSON[0], JSON[1], &head], &message.to_string())
    }

    pub(crate) fn request(&self, id: &Value, method: &str, params: &Value) -> Exchange {
        self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Asks, and waits for the answer.
    pub(crate) fn ask(&self, id: impl Into<Value>, method: &str, params: &Value) -> Value {
        let id: Value = id.into();
        self.request(&id, method, params).whole().answer(&id)
    }

    /// Calls a tool and gives the result.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask(tool, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Listens to what belongs to none of its requests, or takes a stream up again.
    pub(crate) fn listen(&self, last_id: Option<&str>) -> Exchange {
        let (head, last) = (self.head(), format!("Last-Event-ID: {}", last_id.unwrap_or_default()));
        let mut heads = vec!["Accept: text/event-stream", head.as_str()];
        heads.extend(last_id.map(|_| last.as_str()));
        self.served.send("GET", "/mcp", &heads, "")
    }
}

/// A request whose reply is read bit by bit.
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
    /// The status and the headers.
    #[track_caller]
    pub(crate) fn head(&mut self) -> String {
        if let Some(head) = &self.head {
            return head.clone();
        }
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let n_read = self.reader.read_line(&mut head).unwrap();
            assert!(n_read > 0, "it broke off: {head:?}");
        }
        self.head = Some(head.clone());
        head
    }

    fn is_chunked(&mut self) -> bool {
        self.head().to_ascii_lowercase().contains("transfer-encoding: chunked")
    }

    /// The next piece of a body in pieces; `None` at its end.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut size = String::new();
        if self.reader.read_line(&mut size).ok()? == 0 {
            return None;
        }
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let mut piece = vec![0; size + 2];
        self.reader.read_exact(&mut piece).ok()?;
        piece.truncate(size);
        (size > 0).then_some(piece)
    }

    /// The next event, or `None` when there are no more. Comments are passed over.
    pub(crate) fn event(&mut self) -> Option<Event> {
        assert!(self.is_chunked(), "no stream: {}", self.head());
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
            let piece = self.chunk()?;
            self.rest.extend(piece);
        }
    }

    /// Waits for an event; others are passed over.
    #[track_caller]
    pub(crate) fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Event {
        while let Some(event) = self.event() {
            if is_it(&event.data) {
                return event;
            }
        }
        panic!("it did not come")
    }

    /// The whole reply.
    pub(crate) fn whole(mut self) -> Reply {
        let head = self.head();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = std::mem::take(&mut self.rest);
        if self.is_chunked() {
            while let Some(piece) = self.chunk() {
                body.extend(piece);
            }
        } else {
            // A server that refuses early may reset the connection.
            let _ = self.reader.read_to_end(&mut body);
        }
        Reply { status, head, body: String::from_utf8_lossy(&body).into_owned() }
    }

    /// How long reading may take before it fails.
    pub(crate) fn within(self, time: Duration) -> Exchange {
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

    /// The messages in it: one, or those of a stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.header("content-type").is_some_and(|it| it.starts_with("text/event-stream")) {
            let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
            return data.filter_map(|data| serde_json::from_str(data).ok()).collect();
        }
        serde_json::from_str(&self.body).into_iter().collect()
    }

    /// The answer to a request.
    #[track_caller]
    pub(crate) fn answer(&self, id: &Value) -> Value {
        let is_it = |it: &Value| it.get("method").is_none() && it["id"] == *id;
        self.messages().into_iter().find(is_it).unwrap_or_else(|| panic!("{self:?}"))
    }
}
