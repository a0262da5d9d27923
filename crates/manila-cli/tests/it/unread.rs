//! Clients on stdio that do not read the responses to their requests.

use std::io::{Read, Write};
use std::process::Child;

use crate::mcp::{manila_path, signal, wrap};
use crate::program::{Scratch, start};
use crate::serve::sample;

/// A client that has sent requests and keeps stdout open without reading it.
struct Unread {
    child: Child,
    stdout: std::process::ChildStdout,
}

impl Unread {
    /// Sends up to `n_pings` requests, until the program closes its stdin. Stdin remains open in
    /// `child`.
    fn send_pings(mut child: Child, n_pings: usize) -> Unread {
        let stdin = child.stdin.as_mut().unwrap();
        let is_open = (0..n_pings).all(|id| {
            let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#) + "\n";
            stdin.write_all(ping.as_bytes()).is_ok()
        });
        assert!(is_open || n_pings > 100_000, "the program ended early");
        let stdout = child.stdout.take().unwrap();
        Unread { child, stdout }
    }

    /// Waits until the program exits, and checks its exit status and what it printed.
    #[track_caller]
    fn check_exit(mut self, code: i32, expected: &[&str]) {
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(status.code(), Some(code), "{stderr}");
        for text in expected {
            assert!(stderr.contains(text), "{text}: {stderr}");
        }
        assert_eq!(stderr.contains("error: "), code != 0, "{stderr}");
        drop(self.stdout);
    }
}

#[test]
fn reports_a_client_that_leaves_too_much_unread() {
    let scratch = Scratch::new("unread");
    let limits = "[limits]\nqueue_bytes_max = \"64KiB\"\n";
    let config = scratch.file("manila.toml", sample("one", &[], "") + limits);
    let child = start(&["serve", "--stdio", "--config", &config]);
    // More than a pipe can hold.
    let client = Unread::send_pings(child, 1_000_000);
    let expected = ["unread responses exceed the limit of 65536 bytes", "hint: read the responses"];
    client.check_exit(1, &expected);
}

#[test]
fn reports_a_client_that_closes_stdin_and_does_not_read() {
    let mut client = Unread::send_pings(wrap(&[], &[manila_path(), "sample-server"]), 60_000);
    drop(client.child.stdin.take());
    client.check_exit(1, &["unread 700ms after the end of stdin", "hint: read stdout"]);
}

#[test]
fn a_client_that_stops_the_gateway_need_not_read() {
    let mut client = Unread::send_pings(wrap(&[], &[manila_path(), "sample-server"]), 60_000);
    signal("TERM", client.child.id());
    let stdin = client.child.stdin.take();
    client.check_exit(0, &[]);
    drop(stdin);
}
