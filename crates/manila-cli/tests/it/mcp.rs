//! An MCP client that sends exact messages and waits for specific responses.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{RunOutput, start};

/// The longest time that a test waits for anything.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(30);

/// A client of a running `manila wrap` or `manila serve --stdio`.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The messages that arrived while the client waited for another one.
    unmatched: Vec<Value>,
    stderr: Arc<Mutex<String>>,
}

/// The path of the program under test, which also serves as an upstream.
pub(crate) fn manila_path() -> &'static str {
    env!("CARGO_BIN_EXE_manila")
}

/// Starts `manila wrap OPTIONS -- SERVER` with all its streams piped.
pub(crate) fn wrap(options: &[&str], server: &[&str]) -> Child {
    start(&[&["wrap"], options, &["--"], server].concat())
}

impl Client {
    /// Starts `manila wrap OPTIONS -- SERVER`, without a handshake.
    pub(crate) fn start(options: &[&str], server: &[&str]) -> Client {
        Client::from_child(wrap(options, server))
    }

    /// Starts `manila ARGS`, without a handshake.
    pub(crate) fn start_manila(args: &[&str]) -> Client {
        Client::from_child(start(args))
    }

    fn from_child(mut child: Child) -> Client {
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let (copy, source) = (Arc::clone(&stderr), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                *copy.lock().unwrap() += &(line + "\n");
            }
        });
        Client { child, stdin, lines, unmatched: Vec::new(), stderr }
    }

    /// Starts the sample server behind `manila wrap OPTIONS`, and performs the handshake.
    pub(crate) fn sample(options: &[&str]) -> Client {
        let mut client = Client::start(options, &[manila_path(), "sample-server"]);
        client.handshake("2025-11-25");
        client
    }

    /// Performs the legacy handshake, and returns the response to `initialize`.
    pub(crate) fn handshake(&mut self, revision: &str) -> Value {
        let answer = self.request(
            "handshake",
            "initialize",
            &json!({"protocolVersion": revision, "capabilities": {"sampling": {}, "roots": {},
                "elicitation": {}}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        // If the program has exited, the test fails later, when a response is missing.
        let _ = stdin.write_all(format!("{line}\n").as_bytes());
    }

    pub(crate) fn start_request(&mut self, id: impl Into<Value>, method: &str, params: &Value) {
        let id: Value = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Sends a request and waits for its response.
    pub(crate) fn request(&mut self, id: impl Into<Value>, method: &str, params: &Value) -> Value {
        let id = id.into();
        self.start_request(id.clone(), method, params);
        self.answer(&id)
    }

    /// Calls a tool and returns the result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer =
            self.request(tool, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool and returns the envelope.
    #[track_caller]
    pub(crate) fn envelope(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call(tool, arguments)["structuredContent"].clone()
    }

    /// Waits for the response to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        self.wait(|message| message.get("method").is_none() && message["id"] == *id)
    }

    /// Returns the messages that arrived while the client waited for another one.
    pub(crate) fn unmatched_messages(&self) -> &[Value] {
        &self.unmatched
    }

    /// Waits for a message that matches, and stores the others.
    #[track_caller]
    pub(crate) fn wait(&mut self, is_match: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unmatched.iter().position(&is_match) {
            return self.unmatched.remove(at);
        }
        loop {
            let message: Value = serde_json::from_str(&self.line()).unwrap();
            if is_match(&message) {
                return message;
            }
            self.unmatched.push(message);
        }
    }

    /// Returns the next line, unparsed.
    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        match self.lines.recv_timeout(WAIT_MAX) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no line in time; stderr: {}", self.stderr()),
            Err(RecvTimeoutError::Disconnected) => panic!("exited; stderr: {}", self.stderr()),
        }
    }

    /// Waits until a call succeeds again, for example after a restart.
    #[track_caller]
    pub(crate) fn wait_until_available(&mut self) -> Value {
        for n in 0..200 {
            let id = format!("again {n}");
            let params = json!({"name": "about", "arguments": {}});
            let answer = self.request(id, "tools/call", &params);
            if answer["result"]["isError"] == false {
                return answer["result"]["structuredContent"].clone();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no call succeeded; stderr: {}", self.stderr());
    }

    pub(crate) fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Waits until `find` returns a value for a line of stderr, and returns that value.
    #[track_caller]
    pub(crate) fn wait_for_stderr<T>(&self, find: impl Fn(&str) -> Option<T>) -> T {
        for _ in 0..3_000 {
            if let Some(found) = self.stderr().lines().find_map(&find) {
                return found;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("not found in time; stderr: {}", self.stderr());
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Takes all messages that no call of `wait` matched.
    pub(crate) fn others(&mut self) -> Vec<Value> {
        // The responses to all earlier messages precede this one.
        self.request("the last one", "ping", &json!({}));
        std::mem::take(&mut self.unmatched)
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes stdin and waits until the program exits.
    #[track_caller]
    pub(crate) fn end(mut self) -> RunOutput {
        self.close_stdin();
        let mut stdout = String::new();
        while let Ok(line) = self.lines.recv_timeout(WAIT_MAX) {
            stdout += &(line + "\n");
        }
        let code = self.child.wait().unwrap().code().unwrap();
        RunOutput { stdout, stderr: self.stderr(), code }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal by name to a process.
pub(crate) fn signal(name: &str, pid: impl std::fmt::Display) {
    let status = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status();
    assert!(status.unwrap().success());
}

/// Returns whether a process runs. A zombie does not.
pub(crate) fn is_running(pid: impl std::fmt::Display) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim().chars().next();
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Returns how much memory a process uses, in KiB: `VmRSS` is the current and `VmHWM` the highest
/// use.
#[track_caller]
pub(crate) fn memory_kib(field: &str, pid: impl std::fmt::Display) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Waits until all these processes have exited.
#[track_caller]
pub(crate) fn wait_until_gone(pids: &[u64]) {
    for _ in 0..400 {
        if !pids.iter().any(is_running) {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("still running: {:?}", pids.iter().filter(|pid| is_running(pid)).collect::<Vec<_>>());
}
