//! Clients over HTTP, each on a connection of its own, with one call open at most.

use std::fmt::Write as _;
use std::net::SocketAddr;

use rustix::event::epoll;
use rustix::fd::OwnedFd;

use crate::answer;
use crate::http::Connection;
use crate::round::{Call, Channel};
use crate::server::{HELLO, INITIALIZED};

/// Where MCP is served over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The address.
    pub address: SocketAddr,
    /// The path.
    pub path: &'static str,
}

/// What the clients speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25: a greeting and a session for each client.
    Legacy,
    /// 2026-07-28: each request says everything.
    Modern,
}

const MODERN_META: &str = concat!(
    r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}"#
);

/// Several clients, and one thread that drives them all: it sleeps until some of them are answered.
pub struct Clients {
    place: Place,
    era: Era,
    all: Vec<Client>,
    /// Those without an open call.
    idle: Vec<usize>,
    /// Those whose answer can be read.
    ready: Vec<usize>,
    /// What tells which sockets can be read.
    sockets: OwnedFd,
    events: Vec<epoll::Event>,
    /// What stands before the names of tools here.
    prefix: String,
    request: String,
    body: String,
}

struct Client {
    connection: Connection,
    /// The headers that say who it is.
    headers: String,
    open: Option<usize>,
}

impl Clients {
    /// Connects and greets; `tool` is one that the server must have, whatever stands before its
    /// name.
    ///
    /// # Panics
    /// If that fails.
    #[must_use]
    pub fn open(place: Place, era: Era, n_clients: usize, tool: &str) -> Clients {
        let mut clients = Clients {
            place,
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
        clients.all = (0..n_clients).map(|_| Client::greeted(place, era)).collect();
        for (at, client) in (0_u64..).zip(&clients.all) {
            let data = epoll::EventData::new_u64(at);
            epoll::add(&clients.sockets, &client.connection, data, epoll::EventFlags::IN)
                .expect("a socket can be waited for");
        }
        if let Some(first) = clients.all.first_mut().filter(|_| era == Era::Legacy) {
            clients.prefix = first.prefix(place, tool);
        }
        clients
    }

    /// Waits until some answer can be read.
    fn wait(&mut self) {
        if let [only] = self.all.as_slice() {
            // Reading it waits as well.
            assert!(only.open.is_some(), "a call is open");
            self.ready.push(0);
            return;
        }
        self.events.clear();
        let events = rustix::buffer::spare_capacity(&mut self.events);
        epoll::wait(&self.sockets, events, None).expect("sockets can be waited for");
        let answered = self.events.iter().map(|event| event.data.u64());
        self.ready.extend(answered.map(|at| usize::try_from(at).unwrap_or(usize::MAX)));
    }
}

impl Channel for Clients {
    fn call(&mut self, id: usize, call: &Call<'_>) {
        let Clients { place, era, all, idle, prefix, request, body, .. } = self;
        let at = idle.pop().expect("as many clients as calls at a time");
        let client = all.get_mut(at).expect("an idle client is one of them");
        let Call { tool, arguments, .. } = call;
        let (meta, told) = match era {
            Era::Legacy => ("", String::new()),
            Era::Modern => {
                (MODERN_META, format!("Mcp-Method: tools/call\r\nMcp-Name: {prefix}{tool}\r\n"))
            }
        };
        body.clear();
        // A string takes everything that is written to it.
        let _ = write!(
            body,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{prefix}{tool}","arguments":{arguments}{meta}}}}}"#
        );
        write_request(request, *place, &[&client.headers, &told], body);
        client.connection.send(request.as_bytes());
        client.open = Some(id);
    }

    fn answer(&mut self, call: &Call<'_>) -> usize {
        if self.ready.is_empty() {
            self.wait();
        }
        let at = self.ready.pop().expect("somebody was answered");
        let client = self.all.get_mut(at).expect("who was answered is one of them");
        let reply = client.connection.reply();
        assert!(reply.is_good(), "no success: {}", reply.head);
        let id = answer::checked(reply.body, call);
        assert_eq!(client.open.take(), Some(id), "the answer must have the id of the call");
        self.idle.push(at);
        id
    }
}

impl Client {
    fn greeted(place: Place, era: Era) -> Client {
        let connection = Connection::open(place.address).expect("the server listens");
        let mut client = Client { connection, headers: String::new(), open: None };
        match era {
            Era::Legacy => client.greet(place),
            Era::Modern => "MCP-Protocol-Version: 2026-07-28\r\n".clone_into(&mut client.headers),
        }
        client
    }

    fn greet(&mut self, place: Place) {
        let mut request = String::new();
        write_request(&mut request, place, &[], HELLO);
        self.connection.send(request.as_bytes());
        let reply = self.connection.reply();
        let session = reply.header("mcp-session-id");
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        assert!(reply.is_good() && answer::has(reply.body, "\"result\":"), "no greeting");
        self.headers = format!("MCP-Protocol-Version: 2025-11-25\r\n{session}");
        write_request(&mut request, place, &[&self.headers], INITIALIZED);
        self.connection.send(request.as_bytes());
        assert!(self.connection.reply().is_good(), "a notification must be taken");
    }

    /// What stands before the name of a tool in the server's list.
    fn prefix(&mut self, place: Place, tool: &str) -> String {
        const LIST: &str = r#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#;
        let mut request = String::new();
        write_request(&mut request, place, &[&self.headers], LIST);
        self.connection.send(request.as_bytes());
        let reply = self.connection.reply();
        let list = String::from_utf8_lossy(reply.body);
        let names = list.split("\"name\":\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut prefixes = names.filter_map(|name| name.strip_suffix(tool));
        let prefix = prefixes.find(|prefix| prefix.is_empty() || prefix.ends_with('/'));
        prefix.expect("the server has the tool").to_owned()
    }
}

fn write_request(request: &mut String, place: Place, headers: &[&str], body: &str) {
    let Place { address, path } = place;
    let headers = headers.concat();
    let n_bytes = body.len();
    request.clear();
    // A string takes everything that is written to it.
    let _ = write!(
        request,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {n_bytes}\r\n\r\n\
         {body}"
    );
}
