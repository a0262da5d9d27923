//! Telling people what happens, without ever waiting for them.
//!
//! A client that does not read our standard error must not stop the gateway, so a thread
//! writes, and what it cannot write in time is counted and left out.

use std::io::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use manila_gateway::{Consent, Event, Events};

use crate::refusal::visible;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// What goes wrong, and what the server itself says.
    Usual,
    /// Every call and start, too.
    Verbose,
    /// What the server itself says; the command tells how its one call ended.
    OneCall,
}

/// Tells events on standard error.
pub(crate) struct Narrator {
    lines: Lines,
    done: mpsc::Receiver<()>,
}

/// Somebody who tells something through a narrator.
#[derive(Clone)]
pub(crate) struct Teller(Lines);

/// Lines on their way to standard error.
#[derive(Clone)]
struct Lines {
    waiting: mpsc::Sender<String>,
    n_bytes: Arc<AtomicUsize>,
}

impl Lines {
    /// Puts a line in, if not too much waits already.
    fn put(&self, line: String) -> bool {
        const BYTES_MAX: usize = 4 * 1024 * 1024;
        if self.n_bytes.load(Ordering::Relaxed) >= BYTES_MAX {
            return false;
        }
        self.n_bytes.fetch_add(line.len(), Ordering::Relaxed);
        self.waiting.send(line).is_ok()
    }
}

impl Narrator {
    pub(crate) fn start() -> Narrator {
        let (waiting, to_write) = mpsc::channel::<String>();
        let n_bytes = Arc::<AtomicUsize>::default();
        let (tell_done, done) = mpsc::channel();
        std::thread::spawn({
            let n_bytes = Arc::clone(&n_bytes);
            move || {
                for line in to_write {
                    // Where standard error is gone, there is nobody left to tell.
                    let _ = writeln!(std::io::stderr(), "{line}");
                    n_bytes.fetch_sub(line.len(), Ordering::Relaxed);
                }
                let _ = tell_done.send(());
            }
        });
        Narrator { lines: Lines { waiting, n_bytes }, done }
    }

    /// Where the gateway's events go. `server` names the server in what it says itself.
    pub(crate) fn events(&self, server: &str, verbosity: Verbosity) -> Events {
        self.teller().events(server, verbosity)
    }

    /// Somebody who can be handed on.
    pub(crate) fn teller(&self) -> Teller {
        Teller(self.lines.clone())
    }

    /// Waits a moment for the rest to be written.
    pub(crate) fn finish(self) {
        const MOMENT: Duration = Duration::from_millis(500);
        let Narrator { lines, done } = self;
        drop(lines);
        // Who does not read it by then will not read it.
        let _ = done.recv_timeout(MOMENT);
    }
}

impl Teller {
    /// Tells one line.
    pub(crate) fn tell(&self, line: &str) {
        // Where too much waits, it is left out.
        let _ = self.0.put(visible(line));
    }

    /// Where the gateway's events go. `server` names the server in what it says itself.
    pub(crate) fn events(&self, server: &str, verbosity: Verbosity) -> Events {
        let (lines, server) = (self.0.clone(), server.to_owned());
        let n_lost = AtomicU64::new(0);
        Arc::new(move |event| {
            let Some(line) = told(&event, &server, verbosity) else { return };
            // What a server or a client calls itself must not look like a line of ours.
            let line = visible(&anstream::adapter::strip_str(&line).to_string());
            let n_before = n_lost.load(Ordering::Relaxed);
            if n_before > 0 {
                let note = format!("manila: {n_before} lines were left out here");
                if lines.put(note) {
                    n_lost.fetch_sub(n_before, Ordering::Relaxed);
                }
            }
            if !lines.put(line) {
                n_lost.fetch_add(1, Ordering::Relaxed);
            }
        })
    }
}

fn told(event: &Event, server: &str, verbosity: Verbosity) -> Option<String> {
    let is_verbose = verbosity == Verbosity::Verbose;
    match event {
        Event::Stderr(line) => Some(format!("[{server}] {line}")),
        Event::Ended { .. } if verbosity == Verbosity::OneCall => None,
        Event::Ended { reason, next_start } => {
            let when = match next_start {
                None => String::new(),
                Some(Duration::ZERO) => "; it is started again at once".to_owned(),
                Some(delay) => format!("; it is started again in {delay:?}"),
            };
            // A command says what is meant, a name in the configuration may not.
            let named = if reason.contains(server) { "" } else { &format!("{server}: ") };
            Some(format!("manila: {named}{reason}{when}"))
        }
        Event::Unusable(what) => Some(format!("manila: the server `{server}` sent {what}")),
        Event::SchemaUnusable { tool, reason } => {
            Some(format!("manila: tool `{tool}`: {reason}; it is not checked"))
        }
        Event::Stopping { n_open, grace } => Some(format!(
            "manila: stopping; {n_open} open requests have {grace:?}, a signal stops at once"
        )),
        Event::Refused(what) => Some(format!("manila: refused a message of the client: {what}")),
        Event::Unredacted { tool, why } => Some(match why {
            Consent::Operator => {
                format!(
                    "manila: the answer of `{tool}` was not redacted: the configuration says so"
                )
            }
            Consent::Passthrough => {
                format!("the envelope of `{tool}` was not redacted: the configuration passes it on")
            }
            Consent::Caller => {
                format!("manila: the answer of `{tool}` was not redacted: the caller asked for it")
            }
        }),
        Event::Redacted { place, findings } => is_verbose.then(|| {
            let rules = findings.iter().map(|(rule, n)| format!("{rule} {n}"));
            let rules: Vec<String> = rules.collect();
            format!("manila: hid secrets in {place}: {}", rules.join(", "))
        }),
        Event::Called { tool, failure, duration } => is_verbose.then(|| {
            let status = failure.map_or("ok", manila::Code::name);
            format!("manila: called {tool}: {status} in {duration:.1?}")
        }),
        Event::Started { n_earlier, era, duration } => is_verbose.then(|| {
            let again = if *n_earlier > 0 { " again" } else { "" };
            let era = era.map(|era| format!(", speaking MCP {era}")).unwrap_or_default();
            format!("manila: {server} is ready{again} after {duration:.1?}{era}")
        }),
        _ => None,
    }
}
