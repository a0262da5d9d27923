//! A minimal HTTP client for load: one keep-alive connection, one request at a time.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// The maximum time to wait for bytes of a response.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// A keep-alive connection.
pub struct Connection {
    stream: TcpStream,
    /// The read buffer, which only grows; `n_filled` bytes of it are valid.
    input: Vec<u8>,
    n_filled: usize,
    /// The decoded body of a chunked reply.
    unchunked: Vec<u8>,
}

/// An HTTP response.
pub struct Reply<'a> {
    /// The status line and the headers.
    pub head: &'a str,
    /// The body, without chunk framing.
    pub body: &'a [u8],
}

impl Reply<'_> {
    /// Returns whether the status is a success.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.head.starts_with("HTTP/1.1 2")
    }

    /// Returns the value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

/// The framing of a body.
enum Framing {
    Bytes(usize),
    Chunks,
}

impl Connection {
    /// Opens a connection.
    pub fn open(address: SocketAddr) -> std::io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        Ok(Connection { stream, input: vec![0; 256 * 1024], n_filled: 0, unchunked: Vec::new() })
    }

    /// Sends a request.
    ///
    /// # Panics
    /// If the request cannot be sent.
    pub fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).expect("the server reads requests");
    }

    /// Waits for the response to the last request.
    ///
    /// # Panics
    /// If no valid response arrives in time.
    pub fn reply(&mut self) -> Reply<'_> {
        self.n_filled = 0;
        let head_bytes = loop {
            self.read();
            let end = find(self.data(), b"\r\n\r\n");
            if let Some(end) = end {
                break end + 4;
            }
        };
        match framing(self.head(head_bytes)) {
            Framing::Bytes(n_bytes) => {
                while self.n_filled < head_bytes + n_bytes {
                    self.read();
                }
                let body = self.data().get(head_bytes..).unwrap_or_default();
                assert_eq!(body.len(), n_bytes, "no bytes may follow a response");
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
        let n_read = self.stream.read(room).expect("the server responds in time");
        assert!(n_read > 0, "the server must not close the connection");
        self.n_filled += n_read;
    }

    fn data(&self) -> &[u8] {
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

    /// Returns the size of the chunk at an offset, and the offset of its bytes.
    fn chunk(&mut self, at: usize) -> (usize, usize) {
        loop {
            let line = self.data().get(at..).unwrap_or_default();
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
