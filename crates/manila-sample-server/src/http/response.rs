//! The HTTP response: one JSON object, or a stream of events if there are further messages.

use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use hyper::Response as HttpResponse;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue};
use tokio::sync::oneshot;

use super::super::fault;
use super::super::output::{Part, Sink};
use super::body_queue::{Receiver, Sender, queue};
use super::incoming::Refused;
use super::turn::Turn;

/// The size at which a body starts to be sent in pieces, without a known length.
const PIECE_BYTES: usize = 64 << 10;

/// The name of the header with the session id.
const SESSION: &str = "mcp-session-id";

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// The content of a response.
pub(super) enum Content {
    /// The complete body.
    Whole(Bytes),
    /// An object that is too large to buffer.
    Object(Receiver),
    /// A stream of events.
    Events(Receiver),
}

/// A response that is being written.
pub(super) struct Response {
    /// The receiver of the head, until it is sent.
    reply: Option<oneshot::Sender<HttpResponse<Content>>>,
    turn: Arc<Turn>,
    /// The id of the session that starts with this response.
    session: Option<String>,
    /// Whether a stream begins with events that are not messages.
    is_noisy: bool,
    stage: Stage,
    /// The bytes that are written but not sent.
    body: Vec<u8>,
    is_inside_line: bool,
}

enum Stage {
    /// The type of the response is not known yet.
    Fresh,
    /// An object with this status, all of which is buffered.
    Object(u16),
    /// An object that is sent in pieces.
    LongObject(Sender),
    /// A stream of events.
    Events(Sender),
    /// The response has ended.
    Ended,
}

/// Creates the response that refuses a request.
fn refusal(refused: &Refused) -> HttpResponse<Bytes> {
    let Refused { status, reason } = refused;
    let mut head =
        HttpResponse::builder().status(*status).header(CONTENT_TYPE, "text/plain; charset=utf-8");
    if *status == 405 {
        head = head.header(ALLOW, "GET, POST, DELETE");
    }
    head.body(format!("{reason}\n").into()).expect("statuses and headers are constants")
}

impl Response {
    /// Creates a response that ends `turn`, and the receiver of its head and body.
    ///
    /// Dropping an unfinished response truncates it, so that the client does not consider it
    /// complete.
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

    /// Starts the session `id` with this response.
    pub(super) fn begin_session(&mut self, id: String) {
        self.session = Some(id);
    }

    /// Sends only a status.
    pub(super) fn send_status(mut self, status: u16) -> io::Result<()> {
        let response = HttpResponse::builder().status(status).body(Bytes::new());
        self.send_complete(response.expect("statuses are constants"))
    }

    /// Sends a refusal.
    pub(super) fn refuse(mut self, refused: &Refused) -> io::Result<()> {
        self.send_complete(refusal(refused))
    }

    /// Sends a refusal and closes the connection, because the rest of the request cannot be read.
    pub(super) fn refuse_and_close(mut self, refused: &Refused) -> io::Result<()> {
        let mut response = refusal(refused);
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        self.send_complete(response)
    }

    fn send_complete(&mut self, response: HttpResponse<Bytes>) -> io::Result<()> {
        self.stage = Stage::Ended;
        let sent = self.send_reply(response.map(Content::Whole));
        self.turn.end();
        sent
    }

    fn send_reply(&mut self, response: HttpResponse<Content>) -> io::Result<()> {
        let disconnected = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.reply.take().ok_or_else(disconnected)?.send(response).map_err(|_| disconnected())
    }

    /// Sends the head with `content`. Only a successful response starts a session.
    fn send_head(&mut self, status: u16, kind: &'static str, content: Content) -> io::Result<()> {
        let mut head = HttpResponse::builder().status(status).header(CONTENT_TYPE, kind);
        if kind == EVENTS {
            head = head.header(CACHE_CONTROL, "no-cache").header("x-accel-buffering", "no");
        }
        if let Some(id) = self.session.take_if(|_| status == 200) {
            head = head.header(SESSION, id);
        }
        self.send_reply(head.body(content).expect("a session's id is hexadecimal"))
    }

    fn begin_events(&mut self) -> io::Result<()> {
        let (sender, receiver) = queue();
        self.stage = Stage::Events(sender);
        self.send_head(200, EVENTS, Content::Events(receiver))?;
        if self.is_noisy {
            self.push_events(fault::NOISE);
            self.is_inside_line = false;
        }
        Ok(())
    }

    /// Appends each line as an event, except empty lines.
    fn push_events(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_complete) = match line.split_last() {
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
            if is_complete {
                self.body.extend(b"\n\n");
            }
            self.is_inside_line = !is_complete;
        }
    }

    /// Sends the buffer as one piece, if the response is sent in pieces.
    fn send_piece(&mut self) -> io::Result<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        match &self.stage {
            Stage::LongObject(sender) | Stage::Events(sender) => {
                sender.push(mem::take(&mut self.body))
            }
            Stage::Fresh | Stage::Object(_) | Stage::Ended => Ok(()),
        }
    }

    /// Sends the buffer, and ends the response and the turn.
    fn finish(&mut self) -> io::Result<()> {
        self.send_piece()?;
        let sent = match mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Fresh | Stage::Ended => Ok(()),
            Stage::Object(status) => {
                let body = mem::take(&mut self.body);
                self.send_head(status, JSON, Content::Whole(body.into()))
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
            Stage::Fresh | Stage::Ended => {}
            Stage::Object(_) | Stage::LongObject(_) => self.body.extend(bytes),
            Stage::Events(_) => self.push_events(bytes),
        }
        if self.body.len() >= PIECE_BYTES {
            if let Stage::Object(status) = self.stage {
                let (sender, receiver) = queue();
                self.stage = Stage::LongObject(sender);
                self.send_head(status, JSON, Content::Object(receiver))?;
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
            (Stage::Fresh, Part::Other) => return self.begin_events(),
            (Stage::Fresh, Part::Answer) => self.stage = Stage::Object(200),
            (Stage::Fresh, Part::Refusal(status)) => {
                self.session = None;
                self.stage = Stage::Object(status);
            }
            (Stage::Object(_) | Stage::LongObject(_) | Stage::Events(_) | Stage::Ended, _) => {}
        }
        Ok(())
    }

    fn end(&mut self, part: Part) -> io::Result<()> {
        match (&self.stage, part) {
            (Stage::Ended, _) => Ok(()),
            (_, Part::Other) => self.send_piece(),
            (_, Part::Answer | Part::Refusal(_)) => self.finish(),
        }
    }

    fn abandon(&mut self) -> io::Result<()> {
        match self.stage {
            Stage::Ended => Ok(()),
            Stage::Fresh => {
                self.begin_events()?;
                self.finish()
            }
            Stage::Object(_) | Stage::LongObject(_) | Stage::Events(_) => self.finish(),
        }
    }
}
