//! As little of an HTTP client as a load needs: one connection that is kept, one request at a time.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// A server that is silent for so long has failed.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// A connection that is kept open.
pub struct Connection {
    stream: TcpStream,
    /// What was read; its length is the room that there is, and is never made smaller.
    input: Vec<u8>,
    n_filled: usize,
    /// The body of a reply that came in chunks.
    unchunked: Vec<u8>,
}

/// What came back.
pub struct Reply<'a> {
    /// The status line and the headers.
    pub head: &'a str,
    /// What follows.
    pub body: &'a [u8],
}

impl Reply<'_> {
    /// Whether the status is one of success.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.head.starts_with("HTTP/1.1 2")
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

/// Where the body of a reply ends.
enum Framing {
    Bytes(usize),
    Chunks,
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> std::io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE_MAX))?;
        Ok(Connection { stream, input: vec![0; 256 * 1024], n_filled: 0, unchunked: Vec::new() })
    }

    /// Sends a whole request.
    ///
    /// # Panics
    /// If nobody takes it.
    pub fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).expect("the server takes requests");
    }

    /// Waits for the reply to what was sent last.
    ///
    /// # Panics
    /// If none comes, or none that can be read.
    pub fn reply(&mut self) -> Reply<'_> {
        self.n_filled = 0;
        let head_bytes = loop {
            self.read();
            let end = find(self.filled(), b"\r\n\r\n");
            if let Some(end) = end {
                break end + 4;
            }
        };
        match framing(self.head(head_bytes)) {
            Framing::Bytes(n_bytes) => {
                while self.n_filled < head_bytes + n_bytes {
                    self.read();
                }
                let body = self.filled().get(head_bytes..).unwrap_or_default();
                assert_eq!(body.len(), n_bytes, "nothing may follow a reply");
                Reply { head: self.head(head_bytes), body }
            }
            Framing::Chunks => {
                self.read_chunks(head_bytes);
                Reply { head: self.head(head_bytes), body: &self.unchunked }
            }
        }
    }

    fn read(&mut self) {
        if self.n_filled == self.input.len() {
            self.input.resize(self.input.len() * 2, 0);
        }
        let room = self.input.get_mut(self.n_filled..).unwrap_or_default();
        let n_read = self.stream.read(room).expect("the server replies in time");
        assert!(n_read > 0, "the server must not hang up");
        self.n_filled += n_read;
    }

    fn filled(&self) -> &[u8] {
        self.input.get(..self.n_filled).unwrap_or_default()
    }

    fn head(&self, n_bytes: usize) -> &str {
        let head = self.input.get(..n_bytes).unwrap_or_default();
        std::str::from_utf8(head).unwrap_or_default()
    }

    fn read_chunks(&mut self, start: usize) {
        self.unchunked.clear();
        let mut at = start;
        loop {
            let (size, begin) = self.chunk(at);
            let end = begin + size;
            while self.n_filled < end + 2 {
                self.read();
            }
            if size == 0 {
                return;
            }
            self.unchunked.extend_from_slice(self.input.get(begin..end).unwrap_or_default());
            at = end + 2;
        }
    }

    /// How large the chunk at a place is, and where its bytes begin.
    fn chunk(&mut self, at: usize) -> (usize, usize) {
        loop {
            let line = self.filled().get(at..).unwrap_or_default();
            if let Some(n_digits) = find(line, b"\r\n") {
                let digits = line.get(..n_digits).and_then(|it| std::str::from_utf8(it).ok());
                let size = digits.and_then(|digits| usize::from_str_radix(digits, 16).ok());
                return (size.expect("a chunk has a size"), at + n_digits + 2);
            }
            self.read();
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

fn framing(head: &str) -> Framing {
    if header(head, "transfer-encoding").is_some_and(|it| it.eq_ignore_ascii_case("chunked")) {
        return Framing::Chunks;
    }
    let n_bytes = header(head, "content-length").and_then(|number| number.parse().ok());
    Framing::Bytes(n_bytes.unwrap_or(0))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
    let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim())
}

fn find(bytes: &[u8], sought: &[u8]) -> Option<usize> {
    bytes.windows(sought.len()).position(|it| it == sought)
}
