//! The answer to an HTTP request: one JSON object, or a stream of events when more is said.

use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use hyper::Response as HttpResponse;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue};
use tokio::sync::oneshot;

use super::super::fault;
use super::super::output::{Part, Sink};
use super::incoming::Refused;
use super::pieces::{Receiver, Sender, queue};
use super::turn::Turn;

/// How much of a body is kept back before its length must not matter any more.
const PIECE_BYTES: usize = 64 << 10;

/// The header with the session.
const SESSION: &str = "mcp-session-id";

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// What a response carries.
pub(super) enum Content {
    /// All of it.
    Whole(Bytes),
    /// An object that is too large to be kept back.
    Object(Receiver),
    /// A stream of events.
    Events(Receiver),
}

/// An answer on its way.
pub(super) struct Response {
    /// Takes the head, once it is known.
    reply: Option<oneshot::Sender<HttpResponse<Content>>>,
    turn: Arc<Turn>,
    /// The session that begins with the answer.
    session: Option<String>,
    /// Whether a stream begins with events that are no messages.
    is_noisy: bool,
    stage: Stage,
    /// What has been written and not been sent.
    body: Vec<u8>,
    is_inside_line: bool,
}

enum Stage {
    /// Nothing has been decided.
    Fresh,
    /// An object, all of which is still here.
    Object(u16),
    /// An object, a part of which has been sent.
    LongObject(Sender),
    /// Events.
    Events(Sender),
    /// All has been said.
    Over,
}

/// The response that refuses a request with a sentence.
fn refusal(refused: &Refused) -> HttpResponse<Bytes> {
    let Refused { status, why } = refused;
    let mut head =
        HttpResponse::builder().status(*status).header(CONTENT_TYPE, "text/plain; charset=utf-8");
    if *status == 405 {
        head = head.header(ALLOW, "GET, POST, DELETE");
    }
    head.body(format!("{why}\n").into()).expect("statuses and headers are constants")
}

impl Response {
    /// An answer with which `turn` ends, and where its head and its body come out.
    ///
    /// An answer that is dropped halfway is cut off, as the client must not take it for a whole.
    pub(super) fn new(
        turn: Arc<Turn>,
        is_noisy: bool,
    ) -> (Response, oneshot::Receiver<HttpResponse<Content>>) {
        let (sender, reply) = oneshot::channel();
        let response = Response {
            reply: Some(sender),
            turn,
            session: None,
            is_noisy,
            stage: Stage::Fresh,
            body: Vec::new(),
            is_inside_line: false,
        };
        (response, reply)
    }

    /// Lets the session `id` begin with the answer.
    pub(super) fn begin_session(&mut self, id: String) {
        self.session = Some(id);
    }

    /// Nothing but a status.
    pub(super) fn status(mut self, status: u16) -> io::Result<()> {
        let response = HttpResponse::builder().status(status).body(Bytes::new());
        self.whole(response.expect("statuses are constants"))
    }

    /// A status and a sentence.
    pub(super) fn refuse(mut self, refused: &Refused) -> io::Result<()> {
        self.whole(refusal(refused))
    }

    /// The same for a request whose rest cannot be read, and so ends its connection.
    pub(super) fn refuse_and_close(mut self, refused: &Refused) -> io::Result<()> {
        let mut response = refusal(refused);
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        self.whole(response)
    }

    fn whole(&mut self, response: HttpResponse<Bytes>) -> io::Result<()> {
        self.stage = Stage::Over;
        let sent = self.reply(response.map(Content::Whole));
        self.turn.end();
        sent
    }

    fn reply(&mut self, response: HttpResponse<Content>) -> io::Result<()> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.reply.take().ok_or_else(gone)?.send(response).map_err(|_| gone())
    }

    /// Sends the head of an answer with `content`; only a good one begins a session.
    fn head(&mut self, status: u16, kind: &'static str, content: Content) -> io::Result<()> {
        let mut head = HttpResponse::builder().status(status).header(CONTENT_TYPE, kind);
        if kind == EVENTS {
            head = head.header(CACHE_CONTROL, "no-cache").header("x-accel-buffering", "no");
        }
        if let Some(id) = self.session.take_if(|_| status == 200) {
            head = head.header(SESSION, id);
        }
        self.reply(head.body(content).expect("a session's id is hexadecimal"))
    }

    fn begin_events(&mut self) -> io::Result<()> {
        let (sender, receiver) = queue();
        self.stage = Stage::Events(sender);
        self.head(200, EVENTS, Content::Events(receiver))?;
        if self.is_noisy {
            self.push_events(fault::NOISE);
            self.is_inside_line = false;
        }
        Ok(())
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

    /// Hands on what there is as one piece, if a part of the answer may go before the rest.
    fn send_piece(&mut self) -> io::Result<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        match &self.stage {
            Stage::LongObject(sender) | Stage::Events(sender) => {
                sender.push(mem::take(&mut self.body))
            }
            Stage::Fresh | Stage::Object(_) | Stage::Over => Ok(()),
        }
    }

    /// Sends what there is, and ends the turn.
    fn over(&mut self) -> io::Result<()> {
        self.send_piece()?;
        let sent = match mem::replace(&mut self.stage, Stage::Over) {
            Stage::Fresh | Stage::Over => Ok(()),
            Stage::Object(status) => {
                let body = mem::take(&mut self.body);
                self.head(status, JSON, Content::Whole(body.into()))
            }
            Stage::LongObject(sender) | Stage::Events(sender) => {
                sender.finish();
                Ok(())
            }
        };
        self.turn.end();
        sent
    }
}

impl Write for Response {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stage {
            Stage::Fresh | Stage::Over => {}
            Stage::Object(_) | Stage::LongObject(_) => self.body.extend(bytes),
            Stage::Events(_) => self.push_events(bytes),
        }
        if self.body.len() >= PIECE_BYTES {
            if let Stage::Object(status) = self.stage {
                let (sender, receiver) = queue();
                self.stage = Stage::LongObject(sender);
                self.head(status, JSON, Content::Object(receiver))?;
            }
            self.send_piece()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Response {
    fn begin(&mut self, part: Part) -> io::Result<()> {
        match (&self.stage, part) {
            (Stage::Fresh, Part::Aside) => return self.begin_events(),
            (Stage::Fresh, Part::Answer) => self.stage = Stage::Object(200),
            (Stage::Fresh, Part::Refusal(status)) => {
                self.session = None;
                self.stage = Stage::Object(status);
            }
            (Stage::Object(_) | Stage::LongObject(_) | Stage::Events(_) | Stage::Over, _) => {}
        }
        Ok(())
    }

    fn end(&mut self, part: Part) -> io::Result<()> {
        match (&self.stage, part) {
            (Stage::Over, _) => Ok(()),
            (_, Part::Aside) => self.send_piece(),
            (_, Part::Answer | Part::Refusal(_)) => self.over(),
        }
    }

    fn leave(&mut self) -> io::Result<()> {
        match self.stage {
            Stage::Over => Ok(()),
            Stage::Fresh => {
                self.begin_events()?;
                self.over()
            }
            Stage::Object(_) | Stage::LongObject(_) | Stage::Events(_) => self.over(),
        }
    }
}
