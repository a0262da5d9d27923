//! A client of our own that says exactly what a test wants to say, and waits for what it wants.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{Ran, start};

/// How long anything may take before a test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A running `manila wrap`, and what it has said that nobody has taken yet.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    put_aside: Vec<Value>,
    stderr: Arc<Mutex<String>>,
}

/// The program under test, as an upstream too.
pub(crate) fn manila_path() -> &'static str {
    env!("CARGO_BIN_EXE_manila")
}

/// `manila wrap OPTIONS -- SERVER`, with pipes to all its streams.
pub(crate) fn wrap(options: &[&str], server: &[&str]) -> Child {
    start(&[&["wrap"], options, &["--"], server].concat())
}

impl Client {
    /// `manila wrap OPTIONS -- SERVER`, not yet greeted.
    pub(crate) fn start(options: &[&str], server: &[&str]) -> Client {
        Client::of(wrap(options, server))
    }

    /// `manila ARGS`, not yet greeted.
    pub(crate) fn started(args: &[&str]) -> Client {
        Client::of(start(args))
    }

    fn of(mut child: Child) -> Client {
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
        let (kept, source) = (Arc::clone(&stderr), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                *kept.lock().unwrap() += &(line + "\n");
            }
        });
        Client { child, stdin, lines, put_aside: Vec::new(), stderr }
    }

    /// The sample server behind `manila wrap OPTIONS`, greeted.
    pub(crate) fn sample(options: &[&str]) -> Client {
        let mut client = Client::start(options, &[manila_path(), "sample-server"]);
        client.greet("2025-11-25");
        client
    }

    pub(crate) fn greet(&mut self, revision: &str) -> Value {
        let answer = self.ask(
            "hello",
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
        // A program that is gone shows in what it does not answer.
        let _ = stdin.write_all(format!("{line}\n").as_bytes());
    }

    pub(crate) fn request(&mut self, id: impl Into<Value>, method: &str, params: &Value) {
        let id: Value = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, id: impl Into<Value>, method: &str, params: &Value) -> Value {
        let id = id.into();
        self.request(id.clone(), method, params);
        self.answer(&id)
    }

    /// Calls a tool and gives the result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask(tool, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool and gives the envelope.
    #[track_caller]
    pub(crate) fn envelope(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call(tool, arguments)["structuredContent"].clone()
    }

    /// Waits for the answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        self.wait(|message| message.get("method").is_none() && message["id"] == *id)
    }

    /// What came while something else was waited for.
    pub(crate) fn put_aside(&self) -> &[Value] {
        &self.put_aside
    }

    /// Waits for a message; others are put aside.
    #[track_caller]
    pub(crate) fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.put_aside.iter().position(&is_it) {
            return self.put_aside.remove(at);
        }
        loop {
            let message: Value = serde_json::from_str(&self.line()).unwrap();
            if is_it(&message) {
                return message;
            }
            self.put_aside.push(message);
        }
    }

    /// The next line, as it was written.
    #[track_caller]
    pub(crate) fn line(&mut self) -> String {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("nothing came; stderr: {}", self.stderr()),
            Err(RecvTimeoutError::Disconnected) => panic!("it ended; stderr: {}", self.stderr()),
        }
    }

    /// Waits until a call succeeds again, as after a restart.
    #[track_caller]
    pub(crate) fn until_it_works(&mut self) -> Value {
        for n in 0..200 {
            let id = format!("again {n}");
            let params = json!({"name": "about", "arguments": {}});
            let answer = self.ask(id, "tools/call", &params);
            if answer["result"]["isError"] == false {
                return answer["result"]["structuredContent"].clone();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("it never worked again; stderr: {}", self.stderr());
    }

    pub(crate) fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// What is found on standard error, as soon as it is there.
    #[track_caller]
    pub(crate) fn until_stderr<T>(&self, find: impl Fn(&str) -> Option<T>) -> T {
        for _ in 0..3_000 {
            if let Some(found) = self.stderr().lines().find_map(&find) {
                return found;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it never came; stderr: {}", self.stderr());
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The messages that came and were not waited for.
    pub(crate) fn others(&mut self) -> Vec<Value> {
        // Whatever was sent before is answered before this.
        self.ask("the last one", "ping", &json!({}));
        std::mem::take(&mut self.put_aside)
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes the input and waits for the end.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ran {
        self.close_stdin();
        let mut stdout = String::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            stdout += &(line + "\n");
        }
        let code = self.child.wait().unwrap().code().unwrap();
        Ran { stdout, stderr: self.stderr(), code }
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

/// Whether a process runs; one that only waits to be buried does not.
pub(crate) fn runs(pid: impl std::fmt::Display) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim().chars().next();
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Waits until none of these processes runs.
#[track_caller]
pub(crate) fn wait_until_gone(pids: &[u64]) {
    for _ in 0..400 {
        if !pids.iter().any(runs) {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("still there: {:?}", pids.iter().filter(|pid| runs(pid)).collect::<Vec<_>>());
}
