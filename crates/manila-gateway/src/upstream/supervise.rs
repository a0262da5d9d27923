//! Keeping a server running: started, greeted, and started again when it dies.

use std::sync::Arc;
use std::time::Duration;

use manila::RawJson;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::handshake::{self, Refusal};
use super::last_words::LastWords;
use super::{Command, Connection, Controls, Down, FromUpstream, Keeping, Ready, State};
use crate::clock;
use crate::event::{Event, Events};
use crate::frames;
use crate::os::{Lifeline, Process, Status};

pub(super) struct Supervisor {
    pub(super) command: Command,
    pub(super) keeping: Keeping,
    pub(super) events: Events,
    pub(super) inbox: mpsc::Sender<FromUpstream>,
    pub(super) state: watch::Sender<State>,
    pub(super) controls: Arc<Controls>,
}

/// A server that lived so long was well.
const WELL: Duration = Duration::from_secs(10);

/// How many messages may wait for the server to read them.
const OUTBOX_FRAMES_MAX: usize = 256;

/// How long the last words of a server that is gone are waited for.
const REST: Duration = Duration::from_millis(200);

/// How a server's life ended.
enum End {
    /// We were asked to stop, and it has been ended.
    Stopped,
    /// It died.
    Died { reason: String, last_words: Vec<String>, connection: Option<Arc<Connection>> },
}

impl Supervisor {
    pub(super) async fn run(self) {
        let mut n_starts = 0;
        let mut n_failures = 0;
        loop {
            let started = clock::now();
            let end = self.live(started, n_starts).await;
            n_starts += 1;
            let End::Died { reason, last_words, connection } = end else { return };
            // A server that was well for a while has earned a quick start.
            let lived = clock::now().saturating_duration_since(started);
            n_failures = if lived >= WELL { 1 } else { n_failures + 1 };
            let delay = backoff(n_failures);
            let down = Down { reason, last_words, next_start: Some(clock::now() + delay) };
            (self.events)(Event::Ended { reason: down.reason.clone(), next_start: delay });
            let down = Arc::new(down);
            self.state.send_replace(State::Down(Arc::clone(&down)));
            if let Some(connection) = connection {
                connection.pending.end(down);
            }
            if self.wait(delay).await == Next::Stop {
                return;
            }
            self.state.send_replace(State::Starting);
        }
    }

    /// Waits before the next start.
    async fn wait(&self, delay: Duration) -> Next {
        let mut stop = self.controls.stop.subscribe();
        let mut greeting = self.controls.greeting.subscribe();
        let is_greeted = greeting.borrow().is_some();
        tokio::select! {
            () = stopped(&mut stop) => Next::Stop,
            () = self.controls.wake.notified() => Next::Start,
            // Before anybody has greeted it, nobody misses it.
            () = tokio::time::sleep(delay), if is_greeted => Next::Start,
            _ = greeting.changed(), if !is_greeted => Next::Start,
        }
    }

    /// One life of the server.
    async fn live(&self, started: Instant, n_earlier: u64) -> End {
        let process = match Process::start(&self.command) {
            Ok(process) => process,
            Err(error) => {
                let reason = format!("`{}` could not be started: {error}", self.command);
                return End::Died { reason, last_words: Vec::new(), connection: None };
            }
        };
        let Process { stdin, stdout, stderr, mut lifeline } = process;
        let (to_server, outbox) = mpsc::channel(OUTBOX_FRAMES_MAX);
        let connection = Arc::new(Connection::new(to_server));
        let writer = AbortOnDrop(tokio::spawn(async move {
            // A server that closes its input is still heard.
            let _ = frames::write_all(stdin, outbox).await;
        }));
        let last_words = Arc::new(LastWords::default());
        let mut stderr_reader = AbortOnDrop(tokio::spawn({
            let (last_words, events) = (Arc::clone(&last_words), Arc::clone(&self.events));
            async move { last_words.listen(stderr, &events).await }
        }));
        let mut stdout_reader = AbortOnDrop(tokio::spawn({
            let (connection, inbox) = (Arc::clone(&connection), self.inbox.clone());
            let (events, bytes_max) = (Arc::clone(&self.events), self.keeping.frame_bytes_max);
            async move { connection.listen(stdout, bytes_max, &inbox, &events).await }
        }));
        let mut stop = self.controls.stop.subscribe();
        let mut status = None;
        let refusal = tokio::select! {
            () = stopped(&mut stop) => {
                drop(writer);
                // Whoever still waits is told, not left.
                connection.pending.end(Arc::new(Down::stopped()));
                self.end(lifeline).await;
                return End::Stopped;
            }
            ended = lifeline.ended() => { status = ended; None }
            _ = &mut stdout_reader.0 => None,
            refusal = self.serve(&connection, started, n_earlier) => Some(refusal),
        };
        // What it said before it died is still heard; who then holds its streams is not.
        let _ = tokio::time::timeout(REST, &mut stderr_reader.0).await;
        if status.is_none() && refusal.is_none() {
            status = tokio::time::timeout(REST, lifeline.ended()).await.ok().flatten();
        }
        if !stdout_reader.0.is_finished() {
            let _ = tokio::time::timeout(REST, &mut stdout_reader.0).await;
        }
        tokio::spawn(lifeline.cut());
        let last_words = last_words.lines();
        let reason = self.reason(status.as_ref(), refusal.as_ref(), &last_words);
        End::Died { reason, last_words, connection: Some(connection) }
    }

    /// Greets the server and lets it be asked. Ends only if the greeting fails.
    async fn serve(
        &self,
        connection: &Arc<Connection>,
        started: Instant,
        n_earlier: u64,
    ) -> Refusal {
        let mut greetings = self.controls.greeting.subscribe();
        let greeting = match greetings.wait_for(Option::is_some).await {
            Ok(greeting) => greeting.clone(),
            Err(_) => None,
        };
        let Some(greeting) = greeting else { return std::future::pending().await };
        let greeted = handshake::greet(connection, &greeting, self.keeping.start_timeout).await;
        let greeting = match greeted {
            Ok(greeting) => greeting,
            Err(refusal) => return refusal,
        };
        let duration = clock::now().saturating_duration_since(started);
        (self.events)(Event::Started { n_earlier, era: connection.era(), duration });
        let ready = Ready { connection: Arc::clone(connection), greeting };
        self.state.send_replace(State::Ready(Arc::new(ready)));
        if n_earlier > 0 {
            // Whoever listens no more needs no news.
            let _ = self.inbox.send(FromUpstream::Restarted).await;
        }
        std::future::pending().await
    }

    /// Orderly: its input is closed already; then it is asked, then it is killed.
    async fn end(&self, mut lifeline: Lifeline) {
        let grace = self.keeping.grace;
        if tokio::time::timeout(grace, lifeline.ended()).await.is_err() {
            lifeline.terminate().await;
            // Whatever it answers, the line is cut next.
            let _ = tokio::time::timeout(grace, lifeline.ended()).await;
        }
        lifeline.cut().await;
    }

    /// Command, end and last words in one sentence.
    fn reason(
        &self,
        status: Option<&Status>,
        refusal: Option<&Refusal>,
        last_words: &[String],
    ) -> String {
        let command = &self.command;
        let what = match (status, refusal) {
            (Some(Status::NotStarted(error)), _) => {
                format!("`{command}` could not be started: {error}")
            }
            (Some(Status::Code(code)), _) => format!("`{command}` exited with code {code}"),
            (Some(Status::Signal(signal)), _) => {
                format!("`{command}` was killed by signal {signal}")
            }
            (None, Some(Refusal::Silent(timeout))) => {
                format!("`{command}` did not answer `initialize` within {timeout:?}")
            }
            (None, Some(Refusal::Error(error))) => {
                let message = error.get("message");
                let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
                format!("`{command}` refused `initialize`: {message}")
            }
            (None, Some(Refusal::Gone) | None) => format!("`{command}` closed its output"),
        };
        match last_words {
            [] => what,
            lines => {
                let shown = lines.iter().skip(lines.len().saturating_sub(3));
                let shown: Vec<&str> = shown.map(String::as_str).collect();
                format!("{what}; its last words: {}", shown.join(" | "))
            }
        }
    }
}

/// Waits until we are asked to stop; whoever asks that is gone has asked it, too.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    drop(stop.wait_for(|stop| *stop).await);
}

#[derive(PartialEq, Eq)]
enum Next {
    Start,
    Stop,
}

/// The first death costs no time, each further one twice as much as the last.
fn backoff(n_failures: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(200);
    const LONGEST: Duration = Duration::from_secs(30);
    match n_failures {
        0 | 1 => Duration::ZERO,
        n => FIRST.saturating_mul(1 << (n - 2).min(16)).min(LONGEST),
    }
}

/// A task that ends with whoever started it.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
