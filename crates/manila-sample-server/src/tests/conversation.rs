//! The check of the stdio tests: a conversation, line by line.

use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::thread::{self, JoinHandle};

use super::super::{Ending, Options, serve};

/// Runs `script` against a new server. It sends the `>` lines and expects the `<` lines.
///
/// At the end, it closes the input, and the server must send nothing more.
#[track_caller]
pub(super) fn check(script: &str) {
    check_with(None, script);
}

/// Runs `script` like [`check`], against a server with options.
#[track_caller]
pub(super) fn check_with(options: impl Into<Options>, script: &str) {
    let mut client = Client::connect(options);
    let script = expand(script);
    for line in script.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
        match line.split_at(1) {
            (">", sent) => client.send(sent.trim_start()),
            ("<", expected) => assert_eq!(client.receive(), expected.trim_start()),
            (_, _) => panic!("a line of a script must begin with > or <: {line}"),
        }
    }
    assert_eq!(client.disconnect(), (String::new(), Ending::EndOfInput));
}

/// Replaces the placeholders in a script with the metadata of modern messages.
pub(super) fn expand(script: &str) -> String {
    let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":"#;
    let info = format!(
        r#""_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"manila-sample","version":"{}"}}}}"#,
        env!("CARGO_PKG_VERSION")
    );
    let capabilities = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
    script
        .replace("META_ABLE", &format!("{meta}{capabilities}"))
        .replace("META", &format!("{meta}{{}}"))
        .replace("SERVER_INFO", &info)
}

/// Calls a tool. `result` is the expected result, as on the wire.
#[track_caller]
pub(super) fn check_tool(name: &str, arguments: &str, result: &str) {
    check(&format!(
        "> {}\n< {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{result}}}",
        call(name, arguments)
    ));
}

/// Returns the line that calls a tool with the id 7.
pub(super) fn call(name: &str, arguments: &str) -> String {
    let params = format!("{{\"name\":\"{name}\",\"arguments\":{arguments}}}");
    format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}")
}

/// The client's end of two pipes.
pub(super) struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    server: JoinHandle<io::Result<Ending>>,
}

impl Client {
    pub(super) fn connect(options: impl Into<Options>) -> Client {
        let options = options.into();
        let (server_input, input) = io::pipe().unwrap();
        let (output, server_output) = io::pipe().unwrap();
        let run = move || serve(BufReader::new(server_input), server_output, options);
        Client { input, output: BufReader::new(output), server: thread::spawn(run) }
    }

    pub(super) fn send(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).unwrap();
        self.input.write_all(b"\n").unwrap();
    }

    /// Returns the next line, without its line feed.
    pub(super) fn receive(&mut self) -> String {
        String::from_utf8(self.receive_bytes()).unwrap()
    }

    pub(super) fn receive_bytes(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).unwrap();
        assert_eq!(line.pop(), Some(b'\n'), "the server ended too early");
        line
    }

    /// Closes the input. Returns the rest of the output and the reason why the server stopped.
    pub(super) fn disconnect(mut self) -> (String, Ending) {
        drop(self.input);
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, self.server.join().unwrap().unwrap())
    }
}
