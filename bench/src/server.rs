//! An MCP server over stdio, and calls to it as fast as it answers.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server that has been greeted.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
}

/// What a process has used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Processor time, in user and system mode.
    pub cpu: Duration,
    /// Memory at the moment.
    pub resident_kb: u64,
}

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#
);

impl Server {
    /// Starts a program and greets it.
    ///
    /// # Panics
    /// If it cannot be started, or does not answer.
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
        server.send(HELLO);
        server.answer();
        server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    /// The time of one call: the median if one is open at a time, else the average.
    pub fn round(&mut self, call: &str, n_calls: usize, n_at_once: usize) -> Duration {
        if n_at_once == 1 {
            self.one_by_one(call, n_calls)
        } else {
            self.together(call, n_calls, n_at_once)
        }
    }

    #[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    fn one_by_one(&mut self, call: &str, n_calls: usize) -> Duration {
        let mut times: Vec<Duration> = (0..n_calls)
            .map(|id| {
                let start = Instant::now();
                self.call(id, call);
                self.answer();
                start.elapsed()
            })
            .collect();
        times.sort();
        times.get(n_calls / 2).copied().unwrap_or_default()
    }

    #[allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    fn together(&mut self, call: &str, n_calls: usize, n_at_once: usize) -> Duration {
        let start = Instant::now();
        for id in 0..n_at_once {
            self.call(id, call);
        }
        for id in n_at_once..n_calls + n_at_once {
            self.answer();
            if id < n_calls {
                self.call(id, call);
            }
        }
        start.elapsed() / u32::try_from(n_calls).unwrap_or(u32::MAX)
    }

    fn call(&mut self, id: usize, call: &str) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{call}}}}}"#
        ));
    }

    fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    fn answer(&mut self) {
        self.line.clear();
        let n_read = self.stdout.read_until(b'\n', &mut self.line).unwrap_or(0);
        let is_result = self.line.windows(9).take(4_096).any(|it| it == b"\"result\":");
        assert!(n_read > 0 && is_result, "no result: {}", String::from_utf8_lossy(&self.line));
    }

    /// What the process has used so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        const TICK: Duration = Duration::from_millis(10);
        let pid = self.child.id();
        let read =
            |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let stat = read("stat");
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let numbers = after_name.split_whitespace().skip(11).take(2);
        let n_ticks: u32 = numbers.filter_map(|number| number.parse::<u32>().ok()).sum();
        let status = read("status");
        let resident = status.lines().find(|line| line.starts_with("VmRSS"));
        let resident = resident.and_then(|line| line.split_whitespace().nth(1));
        Usage {
            cpu: TICK * n_ticks,
            resident_kb: resident.and_then(|number| number.parse().ok()).unwrap_or(0),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input ends first, so that it can end in order.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
