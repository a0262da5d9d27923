//! A small MCP server over stdio or HTTP: test fixture and demo server.
//!
//! [`serve`] uses a pair of streams, [`serve_http`] a listener. Each message selects its
//! [era](Eras). Fast tools respond on the reading thread, the others on a thread of their own.
//!
//! The server misbehaves on request: from the start with a [`Fault`], later with the tool
//! `misbehave`. Responses are written by hand, so that every byte on the wire is intended.
//!
//! The server is lenient where a strict one would hide what a gateway does: it serves without a
//! handshake, and it sends requests for which the client declared no capability.
//!
//! This crate shares no code with the gateway. A bug that both had would otherwise stay hidden in
//! every test that connects one to the other.
#![forbid(unsafe_code)]

mod arguments;
mod changing_resources;
mod clock;
mod complete;
mod discover;
mod dispatch;
mod disposition;
mod era;
mod eras;
mod fault;
mod handshake;
mod http;
mod input;
mod jsonrpc;
mod level;
mod line;
mod linger;
mod listen;
mod message;
mod methods;
mod output;
mod own_process;
mod pending_calls;
mod prompts;
mod resources;
mod result;
mod rpc_error;
mod server;
mod session;
mod shape;
mod subscribe;
mod tasks;
mod tools;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use line::Line;
use output::{Lines, Output, Part};
use rpc_error::RpcError;
use server::Server;
use session::Session;

pub use eras::Eras;
pub use fault::Fault;
pub use http::{ENDPOINT, serve_http};
pub use linger::{LINGER_ARGUMENTS, linger};
pub use own_process::listen_for_stop;
pub use tools::{TOOLS, Tool};

/// The number of seconds that a lingering or stubborn process keeps running.
const LINGER_S: u64 = 600;

/// The options of a server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The way in which it misbehaves from the start.
    pub fault: Option<Fault>,
    /// The eras that it supports.
    pub eras: Eras,
}

impl From<Option<Fault>> for Options {
    fn from(fault: Option<Fault>) -> Options {
        Options { fault, eras: Eras::Both }
    }
}

/// The reason why the server stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The client closed the input, which is the normal end.
    EndOfInput,
    /// The server received a request to stop.
    Stopped,
    /// [`Fault::Exit`]: the server exited before it read anything.
    GaveUp,
}

impl Ending {
    /// Returns the process exit code for this ending.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Ending::EndOfInput | Ending::Stopped => 0,
            Ending::GaveUp => 3,
        }
    }
}

/// Serves until the end of `input`. Calls that are still pending then get no response.
///
/// `output` is never flushed, so pass a writer that does not hold back complete lines. It should
/// own its descriptor: `misbehave` may drop it.
pub fn serve(
    input: impl BufRead,
    output: impl Write + Send + 'static,
    options: impl Into<Options>,
) -> io::Result<Ending> {
    let Options { fault, eras } = options.into();
    let server = Arc::new(Server::new(eras));
    let output = Output::new(Some(Box::new(Lines(output))), &server.muted);
    let session = Session::new(&server, Arc::new(output));
    server.register(&session);
    match fault {
        Some(Fault::Exit) => return give_up(),
        Some(Fault::Silent) => server.mute(),
        Some(Fault::Noise) => session.output.send(Part::Other, fault::NOISE)?,
        Some(Fault::Stubborn) | None => {}
    }
    let result = serve_lines(input, &session);
    session.end();
    if fault == Some(Fault::Stubborn) {
        thread::sleep(Duration::from_secs(LINGER_S));
    }
    result.map(|()| Ending::EndOfInput)
}

fn give_up() -> io::Result<Ending> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(b"manila-sample: the settings file could not be opened\n")?;
    stderr.write_all(b"manila-sample: exiting before the first message\n")?;
    Ok(Ending::GaveUp)
}

/// Serves each line of `input`.
///
/// Both buffers are reused for all messages. A buffer that grew for a large message is shrunk.
fn serve_lines(mut input: impl BufRead, session: &Arc<Session>) -> io::Result<()> {
    const RETAINED_BYTES_MAX: usize = 1 << 20;
    let mut line = Vec::new();
    let mut out = Vec::new();
    loop {
        match line::read(&mut input, &mut line)? {
            Line::Whole => dispatch::receive(session, &line, &mut out)?,
            Line::TooLong => {
                let message = format!("a line must be at most {} bytes", line::LINE_BYTES_MAX);
                out.clear();
                jsonrpc::error(&mut out, None, &RpcError::invalid_request(message));
                session.output.send(Part::Refusal(400), &out)?;
            }
            Line::End => return Ok(()),
        }
        line.shrink_to(RETAINED_BYTES_MAX);
        out.clear();
        out.shrink_to(RETAINED_BYTES_MAX);
    }
}

#[cfg(test)]
mod tests;
