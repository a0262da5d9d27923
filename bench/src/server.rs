//! An MCP server over stdio, as a channel for calls.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::answer;
use crate::round::{Call, Channel};
use crate::usage::Usage;

/// A running server, after the handshake.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
}

/// The request that starts the handshake.
pub const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#
);

/// The notification that ends the handshake.
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Server {
    /// Starts a program and performs the handshake.
    ///
    /// # Panics
    /// If the program cannot be started or does not respond.
    #[must_use]
    pub fn start(program: &Path, arguments: &[&str]) -> Server {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("its output is piped");
        let stdout = BufReader::with_capacity(256 * 1024, stdout);
        let mut server = Server { child, stdin, stdout, line: Vec::new() };
        server.send(INITIALIZE);
        let answer = server.line();
        assert!(answer::has(answer, "\"result\":"), "the handshake must succeed");
        server.send(INITIALIZED);
        server
    }

    fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    fn line(&mut self) -> &[u8] {
        self.line.clear();
        let n_read = self.stdout.read_until(b'\n', &mut self.line).unwrap_or(0);
        assert!(n_read > 0, "the server must not exit");
        &self.line
    }

    /// Returns the resource usage of the process.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage::of(self.child.id())
    }
}

impl Channel for Server {
    fn call(&mut self, id: usize, call: &Call<'_>) {
        let Call { tool, arguments, .. } = call;
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        ));
    }

    fn answer(&mut self, call: &Call<'_>) -> usize {
        loop {
            // Servers may also send notifications and requests.
            let line = self.line();
            if !answer::is_notification(line) {
                return answer::check(line, call);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server exits when its stdin closes.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
