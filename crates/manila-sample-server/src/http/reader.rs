//! Reading requests from a socket, within limits.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use super::super::line::LINE_BYTES_MAX;
use super::incoming::{Incoming, Refused};

/// How long a request may be before its body.
const HEAD_BYTES_MAX: usize = 32 << 10;

/// How many headers a request may have.
const HEADERS_MAX: usize = 64;

/// How often nothing may happen between two requests before the connection is closed.
const IDLE_ROUNDS_MAX: u32 = 20;

/// Headers that a request has at most once, besides those of MCP.
const SINGLE: [&str; 4] = ["host", "content-length", "transfer-encoding", "origin"];

/// What [`Reader::request`] found.
pub(super) enum Next {
    Request(Incoming),
    Refused(Refused),
    /// The client has gone, or has been silent for too long.
    End,
}

/// What [`Reader::more`] found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum More {
    Bytes,
    /// A round passed in silence.
    Nothing,
    End,
}

/// The reading side of a connection.
pub(super) struct Reader<'a> {
    stream: &'a TcpStream,
    /// What has been read and not been used.
    buffer: Vec<u8>,
}

/// A stop on the way to a request.
enum Stop {
    Refused(Refused),
    End,
    Broken(io::Error),
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Stop {
        Stop::Refused(refused)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Broken(error)
    }
}

impl Reader<'_> {
    /// Reads from `stream`, whose read time-out is one round.
    pub(super) fn new(stream: &TcpStream) -> Reader<'_> {
        Reader { stream, buffer: Vec::new() }
    }

    /// The next request.
    pub(super) fn request(&mut self) -> io::Result<Next> {
        match self.read_request() {
            Ok(request) => Ok(Next::Request(request)),
            Err(Stop::Refused(refused)) => Ok(Next::Refused(refused)),
            Err(Stop::End) => Ok(Next::End),
            Err(Stop::Broken(error)) => Err(error),
        }
    }

    /// Whether a part of the next request is there.
    pub(super) fn is_ahead(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Waits for one round at most until something comes.
    pub(super) fn more(&mut self) -> io::Result<More> {
        let mut piece = [0; 16 << 10];
        let mut stream = self.stream;
        match stream.read(&mut piece) {
            Ok(0) => Ok(More::End),
            Ok(n_bytes) => {
                self.buffer.extend(piece.iter().take(n_bytes));
                Ok(More::Bytes)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Ok(More::Nothing)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(More::Nothing),
            Err(error) => Err(error),
        }
    }

    fn read_request(&mut self) -> Result<Incoming, Stop> {
        let mut request = self.read_head()?;
        let is_chunked = match request.header("transfer-encoding") {
            Some(coding) if coding.eq_ignore_ascii_case(b"chunked") => true,
            Some(_) => return Err(Refused::new(501, "only chunked bodies are decoded").into()),
            None => false,
        };
        let length = request.text("content-length").map(|length| {
            let is_number = length.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { length.parse::<usize>().ok() } else { None }
        });
        request.body = match (is_chunked, length) {
            (true, None) => {
                self.invite(&request)?;
                self.read_chunks()?
            }
            (false, Some(Some(n_bytes))) if n_bytes <= LINE_BYTES_MAX => {
                if self.buffer.len() < n_bytes {
                    self.invite(&request)?;
                }
                self.take(n_bytes)?
            }
            (false, Some(Some(_))) => return Err(TOO_LARGE.into()),
            (false, None) if request.method == "POST" => {
                return Err(Refused::new(411, "a body must have a length").into());
            }
            (false, None) => Vec::new(),
            (true, Some(_)) | (false, Some(None)) => {
                return Err(Refused::new(400, "the length of the body is not clear").into());
            }
        };
        Ok(request)
    }

    fn read_head(&mut self) -> Result<Incoming, Stop> {
        let mut n_idle = 0;
        loop {
            let parsed = parse_head(&self.buffer)?;
            let n_head = parsed.as_ref().map_or(self.buffer.len(), |(_, n_bytes)| *n_bytes);
            if n_head > HEAD_BYTES_MAX {
                return Err(Refused::new(431, "the headers are too long").into());
            }
            if let Some((request, n_bytes)) = parsed {
                self.buffer.drain(..n_bytes);
                return Ok(request);
            }
            match self.more()? {
                More::Bytes => {}
                More::End => return Err(Stop::End),
                More::Nothing if !self.buffer.is_empty() => return Err(TOO_SLOW.into()),
                More::Nothing if n_idle >= IDLE_ROUNDS_MAX => return Err(Stop::End),
                More::Nothing => n_idle += 1,
            }
        }
    }

    /// Asks for the body, where the client waits to be asked.
    fn invite(&mut self, request: &Incoming) -> io::Result<()> {
        let mut stream = self.stream;
        match request.text("expect") {
            Some(it) if it.eq_ignore_ascii_case("100-continue") => {
                stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The next `n_bytes` bytes.
    fn take(&mut self, n_bytes: usize) -> Result<Vec<u8>, Stop> {
        while self.buffer.len() < n_bytes {
            self.must_come()?;
        }
        let rest = self.buffer.split_off(n_bytes);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    fn read_chunks(&mut self) -> Result<Vec<u8>, Stop> {
        const BAD: Refused = Refused::new(400, "the chunks of the body cannot be read");
        let mut body = Vec::new();
        loop {
            let n_bytes = match httparse::parse_chunk_size(&self.buffer) {
                Ok(httparse::Status::Complete((n_head, n_bytes))) => {
                    self.buffer.drain(..n_head);
                    usize::try_from(n_bytes).unwrap_or(usize::MAX)
                }
                Ok(httparse::Status::Partial) if self.buffer.len() < HEAD_BYTES_MAX => {
                    self.must_come()?;
                    continue;
                }
                Ok(httparse::Status::Partial) | Err(_) => return Err(BAD.into()),
            };
            if n_bytes > LINE_BYTES_MAX - body.len() {
                return Err(TOO_LARGE.into());
            }
            // Trailers are not taken: the last chunk ends with an empty line at once.
            body.extend(self.take(n_bytes)?);
            if self.take(2)? != b"\r\n" {
                return Err(BAD.into());
            }
            if n_bytes == 0 {
                return Ok(body);
            }
        }
    }

    fn must_come(&mut self) -> Result<(), Stop> {
        match self.more()? {
            More::Bytes => Ok(()),
            More::Nothing => Err(TOO_SLOW.into()),
            More::End => Err(Stop::End),
        }
    }
}

const TOO_LARGE: Refused = Refused::new(413, "the body must be at most 16 MiB");
const TOO_SLOW: Refused = Refused::new(408, "the rest of the request did not come in time");

/// The head at the beginning of `bytes`, and its length; `None` when it is not all there.
fn parse_head(bytes: &[u8]) -> Result<Option<(Incoming, usize)>, Refused> {
    const BAD: Refused = Refused::new(400, "the request is not HTTP/1.1");
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut parsed = httparse::Request::new(&mut headers);
    let n_bytes = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(n_bytes)) => n_bytes,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Refused::new(431, "there are too many headers"));
        }
        Err(_) => return Err(BAD),
    };
    let (Some(method), Some(path), Some(1)) = (parsed.method, parsed.path, parsed.version) else {
        return Err(BAD);
    };
    let mut request = Incoming {
        method: method.to_owned(),
        path: path.split('?').next().unwrap_or_default().to_owned(),
        headers: Vec::with_capacity(parsed.headers.len()),
        body: Vec::new(),
    };
    for header in parsed.headers.iter() {
        let name = header.name.to_ascii_lowercase();
        let is_single = SINGLE.contains(&name.as_str()) || name.starts_with("mcp-");
        if is_single && request.header(&name).is_some() {
            return Err(Refused::new(400, "a header stands twice"));
        }
        request.headers.push((name, header.value.to_vec()));
    }
    Ok(Some((request, n_bytes)))
}
