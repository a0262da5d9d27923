//! The server behind us: kept running, started again when it dies, asked and answered.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::RawJson;
use manila_redact::Redactor;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::clock;
use crate::event::Events;
use crate::queue::queue;

mod connection;
mod handshake;
mod inbox;
mod last_words;
mod listen;
mod pending;
mod supervise;

pub(crate) use connection::Connection;
pub(crate) use handshake::Greeting;
pub use inbox::Inbox;
pub(crate) use inbox::{FromUpstream, declined};
pub(crate) use pending::{Arrived, Gone, Waiting};

/// How to start a server: a program and its arguments, never a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// For people, who know it by its start: a whole script may be among the arguments.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHARS_MAX: usize = 120;
        let mut line = self.program.to_string_lossy().into_owned();
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(&argument.to_string_lossy());
        }
        let line = line.replace(char::is_control, " ");
        match line.char_indices().nth(CHARS_MAX) {
            Some((end, _)) => write!(f, "{}...", line.get(..end).unwrap_or_default()),
            None => f.write_str(&line),
        }
    }
}

/// Why the server cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Down {
    /// The command, how it ended, and its last words.
    pub reason: String,
    /// The lines that it last wrote to its standard error.
    pub last_words: Vec<String>,
    /// Whether its program could be run at all.
    pub was_run: bool,
    /// When it is started again, if it is.
    pub(crate) next_start: Option<Instant>,
    /// The error with which it refused `initialize`, if it did.
    pub(crate) refusal: Option<RawJson>,
}

impl Down {
    fn because(reason: impl Into<String>) -> Down {
        Down {
            reason: reason.into(),
            last_words: Vec::new(),
            was_run: true,
            next_start: None,
            refusal: None,
        }
    }

    fn stopped() -> Down {
        Down::because("Manila is stopping")
    }

    /// How long until it is started again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.next_start.map(|at| at.saturating_duration_since(clock::now()))
    }
}

/// What state the server is in.
#[derive(Clone)]
pub(crate) enum State {
    /// It is being started, or waits for the client's greeting.
    Starting,
    /// It can be asked.
    Ready(Arc<Ready>),
    /// It is gone and will be started again, or it refused the greeting.
    Down(Arc<Down>),
}

/// A server that can be asked.
pub(crate) struct Ready {
    pub(crate) connection: Arc<Connection>,
    /// What it answered to `initialize`.
    pub(crate) greeting: RawJson,
    /// The version that it gave itself.
    pub(crate) version: Option<String>,
}

/// How a server is kept.
#[derive(Debug, Clone)]
pub(crate) struct Keeping {
    /// The largest message that is read from it.
    pub(crate) frame_bytes_max: usize,
    /// How much may wait on its way to it, and from it.
    pub(crate) queue_bytes_max: usize,
    /// How long it may take to answer `initialize`.
    pub(crate) start_timeout: Duration,
    /// How long it has to end by itself, each time it is asked more firmly.
    pub(crate) grace: Duration,
    /// What finds the secrets in its last words and in its command line.
    pub(crate) redactor: Arc<Redactor>,
}

/// A handle to the server. The server runs until `stop`.
pub(crate) struct Upstream {
    state: watch::Receiver<State>,
    controls: Arc<Controls>,
}

/// What the supervisor is told.
pub(crate) struct Controls {
    /// A new one also starts a server that is down.
    greeting: watch::Sender<Option<Greeting>>,
    stop: watch::Sender<Stop>,
}

/// Whether the server is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    /// It is to go on.
    No,
    /// It is to end, in order.
    Orderly,
    /// It is to end now.
    Now,
}

impl Upstream {
    /// Starts the server. What it says on its own comes out of the inbox.
    pub(crate) fn start(command: Command, keeping: Keeping, events: Events) -> (Upstream, Inbox) {
        let (inbox, items) = queue(keeping.queue_bytes_max);
        let (tell_state, state) = watch::channel(State::Starting);
        let controls = Arc::new(Controls {
            greeting: watch::Sender::new(None),
            stop: watch::Sender::new(Stop::No),
        });
        let supervisor = supervise::Supervisor {
            command,
            keeping,
            events,
            inbox,
            state: tell_state,
            controls: Arc::clone(&controls),
            was_ready: false.into(),
        };
        tokio::spawn(supervisor.run());
        (Upstream { state, controls }, Inbox { items, is_settled: true })
    }

    /// The server, as soon as it is ready; or why it is not.
    pub(crate) async fn ready(&self) -> Result<Arc<Ready>, Arc<Down>> {
        if let Some(ready) = self.ready_now() {
            return Ok(ready);
        }
        let mut state = self.state.clone();
        loop {
            match &*state.borrow_and_update() {
                State::Starting => {}
                State::Ready(ready) => return Ok(Arc::clone(ready)),
                State::Down(down) => return Err(Arc::clone(down)),
            }
            if state.changed().await.is_err() {
                return Err(Arc::new(Down::stopped()));
            }
        }
    }

    /// The server, if it can be asked now.
    pub(crate) fn ready_now(&self) -> Option<Arc<Ready>> {
        match &*self.state.borrow() {
            State::Ready(ready) => Some(Arc::clone(ready)),
            State::Starting | State::Down(_) => None,
        }
    }

    /// Notes how the server is to be greeted. One that is down is started at once.
    pub(crate) fn greet(&self, greeting: Greeting) -> Greeted {
        let mut state = self.state.clone();
        let is_down = matches!(&*state.borrow_and_update(), State::Down(_));
        self.controls.greeting.send_replace(Some(greeting));
        Greeted { news: is_down.then_some(state) }
    }

    /// Notes that the client has confirmed the handshake: this server hears it, and every one
    /// that is started in its place.
    pub(crate) fn confirm(&self, confirmation: &Bytes) {
        self.controls.greeting.send_if_modified(|greeting| {
            if let Some(greeting) = greeting {
                greeting.confirmation = Some(confirmation.clone());
            }
            // It is no new greeting.
            false
        });
        if let Some(ready) = self.ready_now() {
            ready.connection.confirm(confirmation.clone());
        }
    }

    /// Ends the server: its input is closed, then it is asked, then it is killed.
    pub(crate) async fn stop(&self) {
        self.tell_stop(Stop::Orderly);
        // The supervisor has the only sender, and drops it when it is done. Were it to panic, the
        // lifeline would be dropped and the server killed.
        let mut state = self.state.clone();
        while state.changed().await.is_ok() {}
    }

    /// Ends the server without waiting for it any longer.
    pub(crate) fn hurry(&self) {
        self.tell_stop(Stop::Now);
    }

    fn tell_stop(&self, stop: Stop) {
        self.controls.stop.send_if_modified(|told| {
            let is_more = stop > *told;
            *told = stop.max(*told);
            is_more
        });
    }
}

/// A greeting on its way.
pub(crate) struct Greeted {
    /// Where it was down: what is known until then is about the last start.
    news: Option<watch::Receiver<State>>,
}

impl Greeted {
    /// Waits for the server's answer.
    pub(crate) async fn answer(self, upstream: &Upstream) -> Result<Arc<Ready>, Arc<Down>> {
        if let Some(mut news) = self.news
            && news.changed().await.is_err()
        {
            return Err(Arc::new(Down::stopped()));
        }
        upstream.ready().await
    }
}
