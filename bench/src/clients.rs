//! Clients over HTTP, each with its own connection and at most one open call.

use std::fmt::Write as _;
use std::net::SocketAddr;

use rustix::event::epoll;
use rustix::fd::OwnedFd;

use crate::answer;
use crate::http::Connection;
use crate::round::{Call, Channel};
use crate::server::{INITIALIZE, INITIALIZED};

/// The HTTP address of an MCP endpoint.
#[derive(Debug, Clone, Copy)]
pub struct HttpTarget {
    /// The address.
    pub address: SocketAddr,
    /// The path.
    pub path: &'static str,
}

/// The MCP era of the clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25: a handshake and a session for each client.
    Legacy,
    /// 2026-07-28: each request is self-contained.
    Modern,
}

const MODERN_META: &str = concat!(
    r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}"#
);

/// Several clients, driven by one thread that sleeps until a response arrives.
pub struct Clients {
    target: HttpTarget,
    era: Era,
    all: Vec<Client>,
    /// The clients without an open call.
    idle: Vec<usize>,
    /// The clients whose response can be read.
    ready: Vec<usize>,
    /// The epoll instance of all sockets.
    sockets: OwnedFd,
    events: Vec<epoll::Event>,
    /// The prefix of the server's tool names.
    prefix: String,
    request: String,
    body: String,
}

struct Client {
    connection: Connection,
    /// The headers of protocol version and session.
    headers: String,
    open: Option<usize>,
}

impl Clients {
    /// Connects and performs the handshakes. The server must have `tool`, with any prefix.
    ///
    /// # Panics
    /// If a connection or handshake fails.
    #[must_use]
    pub fn open(target: HttpTarget, era: Era, n_clients: usize, tool: &str) -> Clients {
        let mut clients = Clients {
            target,
            era,
            all: Vec::new(),
            idle: (0..n_clients).rev().collect(),
            ready: Vec::new(),
            sockets: epoll::create(epoll::CreateFlags::CLOEXEC).expect("sockets can be waited for"),
            events: Vec::with_capacity(n_clients),
            prefix: String::new(),
            request: String::new(),
            body: String::new(),
        };
        clients.all = (0..n_clients).map(|_| Client::connect(target, era)).collect();
        for (at, client) in (0_u64..).zip(&clients.all) {
            let data = epoll::EventData::new_u64(at);
            epoll::add(&clients.sockets, &client.connection, data, epoll::EventFlags::IN)
                .expect("a socket can be waited for");
        }
        if let Some(first) = clients.all.first_mut().filter(|_| era == Era::Legacy) {
            clients.prefix = first.prefix(target, tool);
        }
        clients
    }

    /// Waits until a response can be read.
    fn wait(&mut self) {
        if let [only] = self.all.as_slice() {
            // A read blocks too.
            assert!(only.open.is_some(), "a call is open");
            self.ready.push(0);
            return;
        }
        self.events.clear();
        let events = rustix::buffer::spare_capacity(&mut self.events);
        epoll::wait(&self.sockets, events, None).expect("sockets can be waited for");
        let ready = self.events.iter().map(|event| event.data.u64());
        self.ready.extend(ready.map(|at| usize::try_from(at).unwrap_or(usize::MAX)));
    }
}

impl Channel for Clients {
    fn call(&mut self, id: usize, call: &Call<'_>) {
        let Clients { target, era, all, idle, prefix, request, body, .. } = self;
        let at = idle.pop().expect("there are as many clients as open calls");
        let client = all.get_mut(at).expect("an idle client is a client");
        let Call { tool, arguments, .. } = call;
        let (meta, call_headers) = match era {
            Era::Legacy => ("", String::new()),
            Era::Modern => {
                (MODERN_META, format!("Mcp-Method: tools/call\r\nMcp-Name: {prefix}{tool}\r\n"))
            }
        };
        body.clear();
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{prefix}{tool}","arguments":{arguments}{meta}}}}}"#
        );
        write_request(request, *target, &[&client.headers, &call_headers], body);
        client.connection.send(request.as_bytes());
        client.open = Some(id);
    }

    fn answer(&mut self, call: &Call<'_>) -> usize {
        if self.ready.is_empty() {
            self.wait();
        }
        let at = self.ready.pop().expect("a response can be read");
        let client = self.all.get_mut(at).expect("a ready client is a client");
        let reply = client.connection.reply();
        assert!(reply.is_good(), "no success: {}", reply.head);
        let id = answer::check(reply.body, call);
        assert_eq!(client.open.take(), Some(id), "the response must have the id of the call");
        self.idle.push(at);
        id
    }
}

impl Client {
    fn connect(target: HttpTarget, era: Era) -> Client {
        let connection = Connection::open(target.address).expect("the server listens");
        let mut client = Client { connection, headers: String::new(), open: None };
        match era {
            Era::Legacy => client.handshake(target),
            Era::Modern => "MCP-Protocol-Version: 2026-07-28\r\n".clone_into(&mut client.headers),
        }
        client
    }

    fn handshake(&mut self, target: HttpTarget) {
        let mut request = String::new();
        write_request(&mut request, target, &[], INITIALIZE);
        self.connection.send(request.as_bytes());
        let reply = self.connection.reply();
        let session = reply.header("mcp-session-id");
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        assert!(reply.is_good() && answer::has(reply.body, "\"result\":"), "a handshake must work");
        self.headers = format!("MCP-Protocol-Version: 2025-11-25\r\n{session}");
        write_request(&mut request, target, &[&self.headers], INITIALIZED);
        self.connection.send(request.as_bytes());
        assert!(self.connection.reply().is_good(), "a notification must be accepted");
    }

    /// Returns the prefix of a tool's name in the server's list.
    fn prefix(&mut self, target: HttpTarget, tool: &str) -> String {
        const LIST: &str = r#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#;
        let mut request = String::new();
        write_request(&mut request, target, &[&self.headers], LIST);
        self.connection.send(request.as_bytes());
        let reply = self.connection.reply();
        let list = String::from_utf8_lossy(reply.body);
        let names = list.split("\"name\":\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut prefixes = names.filter_map(|name| name.strip_suffix(tool));
        let prefix = prefixes.find(|prefix| prefix.is_empty() || prefix.ends_with('/'));
        prefix.expect("the server has the tool").to_owned()
    }
}

fn write_request(request: &mut String, target: HttpTarget, headers: &[&str], body: &str) {
    let HttpTarget { address, path } = target;
    let headers = headers.concat();
    let n_bytes = body.len();
    request.clear();
    // Writing to a string cannot fail.
    let _ = write!(
        request,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {n_bytes}\r\n\r\n\
         {body}"
    );
}
