//! The answer to an HTTP request: one JSON object, or a stream of events when more is said.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::super::fault;
use super::super::output::{Part, Sink};
use super::incoming::Refused;

/// How much of a body is kept back before its length must not matter any more.
const PIECE_BYTES: usize = 64 << 10;

/// Whether a request has been answered; the connection waits for it.
#[derive(Default)]
pub(super) struct Turn {
    is_over: Mutex<bool>,
    over: Condvar,
}

impl Turn {
    pub(super) fn is_over(&self) -> bool {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait(&self) {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.over.wait_while(is_over, |is_over| !*is_over);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.notify_all();
    }
}

/// What is answered, beside what is written.
#[derive(Default)]
pub(super) struct Manner {
    /// The session that begins with the answer.
    pub(super) session: Option<String>,
    /// Whether a stream begins with events that are no messages.
    pub(super) is_noisy: bool,
    /// Whether the connection ends with the answer.
    pub(super) closes: bool,
}

/// An answer on its way.
pub(super) struct Response {
    stream: TcpStream,
    turn: Arc<Turn>,
    manner: Manner,
    stage: Stage,
    /// What goes before the next piece.
    head: Vec<u8>,
    /// What has been written and not been sent.
    body: Vec<u8>,
    is_inside_line: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing has been decided.
    Fresh,
    /// An object, all of which is still here.
    Object(u16),
    /// An object, a part of which has been sent.
    LongObject,
    /// Events.
    Events,
    /// All has been said.
    Over,
}

impl Response {
    /// An answer into `stream`, with which `turn` ends.
    pub(super) fn new(stream: TcpStream, turn: Arc<Turn>, manner: Manner) -> Response {
        let (head, body, is_inside_line) = (Vec::new(), Vec::new(), false);
        Response { stream, turn, manner, stage: Stage::Fresh, head, body, is_inside_line }
    }

    /// Nothing but a status.
    pub(super) fn status(mut self, status: u16) -> io::Result<()> {
        self.head(status, if status == 204 { "" } else { "Content-Length: 0\r\n" });
        self.over()
    }

    /// A status and a sentence.
    pub(super) fn refuse(mut self, refused: &Refused) -> io::Result<()> {
        let Refused { status, why } = refused;
        let allow = if *status == 405 { "Allow: GET, POST, DELETE\r\n" } else { "" };
        let n_bytes = why.len() + 1;
        let kind = "Content-Type: text/plain; charset=utf-8\r\n";
        self.head(*status, &format!("{allow}{kind}Content-Length: {n_bytes}\r\n"));
        self.head.extend(why.bytes().chain([b'\n']));
        self.over()
    }

    fn head(&mut self, status: u16, fields: &str) {
        let reason = reason(status);
        let closing = if self.manner.closes { "Connection: close\r\n" } else { "" };
        let head = format!("HTTP/1.1 {status} {reason}\r\n{fields}{closing}\r\n");
        self.head.extend(head.bytes());
    }

    /// The session's header, on the answer with which it begins.
    fn session(&self) -> String {
        let session = self.manner.session.as_ref();
        session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default()
    }

    fn begin_events(&mut self) {
        let fields = "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
                      X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n";
        let fields = format!("{fields}{}", self.session());
        self.head(200, &fields);
        self.stage = Stage::Events;
        if self.manner.is_noisy {
            self.push_events(fault::NOISE);
            self.is_inside_line = false;
        }
    }

    /// Each line is an event; empty lines are none.
    fn push_events(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_whole) = match line.split_last() {
                Some((b'\n', text)) => (text, true),
                Some(_) | None => (line, false),
            };
            if !self.is_inside_line && text.is_empty() {
                continue;
            }
            if !self.is_inside_line {
                self.body.extend(b"event: message\ndata: ");
            }
            self.body.extend(text);
            if is_whole {
                self.body.extend(b"\n\n");
            }
            self.is_inside_line = !is_whole;
        }
    }

    /// Sends what there is as one chunk, in one write.
    fn send_chunk(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.head);
        if !self.body.is_empty() {
            write!(bytes, "{:x}\r\n", self.body.len())?;
            bytes.append(&mut self.body);
            bytes.extend(b"\r\n");
        }
        self.stream.write_all(&bytes)
    }

    /// Sends what there is, and ends the turn.
    fn over(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.head);
        match self.stage {
            Stage::Fresh | Stage::Over => {}
            Stage::Object(status) => {
                let session = if status == 200 { self.session() } else { String::new() };
                let n_bytes = self.body.len();
                let kind = "Content-Type: application/json\r\n";
                self.head(status, &format!("{kind}Content-Length: {n_bytes}\r\n{session}"));
                bytes.append(&mut self.head);
                bytes.append(&mut self.body);
            }
            Stage::LongObject | Stage::Events => {
                self.head = bytes;
                self.send_chunk()?;
                bytes = b"0\r\n\r\n".to_vec();
            }
        }
        self.stage = Stage::Over;
        let sent = self.stream.write_all(&bytes);
        if self.manner.closes {
            let _ = self.stream.shutdown(Shutdown::Write);
        }
        self.turn.end();
        sent
    }
}

impl Write for Response {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stage {
            Stage::Fresh | Stage::Over => {}
            Stage::Object(_) | Stage::LongObject => self.body.extend(bytes),
            Stage::Events => self.push_events(bytes),
        }
        if self.body.len() >= PIECE_BYTES {
            if let Stage::Object(status) = self.stage {
                let kind = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n";
                self.head(status, kind);
                self.stage = Stage::LongObject;
            }
            self.send_chunk()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Response {
    fn begin(&mut self, part: Part) -> io::Result<()> {
        match (self.stage, part) {
            (Stage::Fresh, Part::Aside) => self.begin_events(),
            (Stage::Fresh, Part::Answer) => self.stage = Stage::Object(200),
            (Stage::Fresh, Part::Refusal(status)) => {
                self.manner.session = None;
                self.stage = Stage::Object(status);
            }
            (Stage::Object(_) | Stage::LongObject | Stage::Events | Stage::Over, _) => {}
        }
        Ok(())
    }

    fn end(&mut self, part: Part) -> io::Result<()> {
        match (self.stage, part) {
            (Stage::Over, _) => Ok(()),
            (_, Part::Aside) => self.send_chunk(),
            (_, Part::Answer | Part::Refusal(_)) => self.over(),
        }
    }

    fn leave(&mut self) -> io::Result<()> {
        match self.stage {
            Stage::Over => Ok(()),
            Stage::Fresh => {
                self.begin_events();
                self.over()
            }
            Stage::Object(_) | Stage::LongObject | Stage::Events => self.over(),
        }
    }

    /// A comment, which clients skip; only a stream has a place for one.
    fn stay_alive(&mut self) -> io::Result<()> {
        if self.stage != Stage::Events {
            return Ok(());
        }
        self.body.extend(b":\n\n");
        self.send_chunk()
    }
}

/// An answer that is dropped halfway is cut off, as the client must not take it for a whole.
impl Drop for Response {
    fn drop(&mut self) {
        if self.stage != Stage::Over && !self.turn.is_over() {
            let _ = self.stream.shutdown(Shutdown::Both);
            self.turn.end();
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
