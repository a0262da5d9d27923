//! Keeping a server running: started, greeted, and started again when it dies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manila::RawJson;
use tokio::sync::watch;
use tokio::time::Instant;

use super::changes;
use super::child::{Controls, State, Stop};
use super::handshake::{self, Refusal};
use super::inbox::{FromUpstream, Item};
use super::last_words::LastWords;
use super::listen::listen;
use super::wire::Wire;
use manila_process::Command;

use super::{Connection, Down, Keeping, Ready};
use crate::protocol::era::Era;
use crate::protocol::frames;
use crate::rt::clock;
use crate::rt::queue::{Sender, queue};
use crate::telemetry::event::{Event, Events};
use manila_process::os::{self, Lifeline, Process, Status};

pub(super) struct Supervisor {
    pub(super) command: Command,
    pub(super) keeping: Keeping,
    pub(super) events: Events,
    pub(super) inbox: Sender<Item>,
    pub(super) state: watch::Sender<State>,
    pub(super) controls: Arc<Controls>,
    /// Whether a server has ever taken the client's greeting.
    pub(super) was_ready: AtomicBool,
}

/// A server that lived so long was well.
const WELL: Duration = Duration::from_secs(10);

/// How long the last words of a server that is gone are waited for.
const REST: Duration = Duration::from_millis(200);

/// How a server's life ended.
enum Life {
    /// We were asked to stop, and it has been ended.
    Stopped,
    /// It died, or had to be given up.
    Died { down: Down, connection: Option<Arc<Connection>> },
}

/// What made us give a server up.
enum End {
    /// Its process ended; `None` if the keeper is gone, too.
    Exited(Option<Status>),
    ClosedOutput,
    ClosedInput,
    Refused(Refusal),
}

impl Supervisor {
    pub(super) async fn run(self) {
        let mut n_starts = 0;
        let mut n_failures = 0;
        let is_greeted = self.controls.greeting.borrow().is_some();
        if self.keeping.is_lazy && !is_greeted && self.wait(Duration::ZERO).await == Next::Stop {
            return;
        }
        loop {
            let started = clock::now();
            let life = self.live(started, n_starts).await;
            n_starts += 1;
            let Life::Died { mut down, connection } = life else { return };
            // A server that was well for a while has earned a quick start.
            let lived = clock::now().saturating_duration_since(started);
            n_failures = if lived >= WELL { 1 } else { n_failures + 1 };
            let delay = backoff(n_failures);
            // Before anybody has greeted it, nobody misses it.
            let is_missed = self.controls.greeting.borrow().is_some()
                && *self.controls.stop.borrow() == Stop::No;
            let next_start = is_missed.then_some(delay);
            (self.events)(Event::Ended { reason: down.reason.clone(), next_start });
            down.next_start = Some(clock::now() + delay);
            let down = Arc::new(down);
            self.state.send_modify(|state| {
                // Whoever comes meanwhile waits for one that was well and is started at once.
                let is_due = delay.is_zero() && matches!(state, State::Ready(_));
                *state = if is_due { State::Starting } else { State::Down(Arc::clone(&down)) };
            });
            if let Some(connection) = connection {
                // What it said before is delivered first. Whoever listens no more needs no news.
                let _ = self.inbox.push(Item::Said(FromUpstream::Ended(connection, down)));
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
        let is_greeted = greeting.borrow_and_update().is_some();
        tokio::select! {
            () = told(&mut stop, Stop::Orderly) => Next::Stop,
            () = tokio::time::sleep(delay), if is_greeted => Next::Start,
            Ok(()) = greeting.changed() => Next::Start,
        }
    }

    /// One life of the server.
    async fn live(&self, started: Instant, n_earlier: u64) -> Life {
        let process = match Process::start(&self.command) {
            Ok(process) => process,
            Err(error) => {
                let reason = match &self.command.folder {
                    Some(folder) if !folder.is_dir() => {
                        format!("there is no folder `{}` to start it in", folder.display())
                    }
                    Some(_) | None => error.to_string(),
                };
                let reason = format!("`{}` could not be started: {reason}", self.command);
                let down = Down { was_run: false, ..Down::because(self.hidden(reason)) };
                return Life::Died { down, connection: None };
            }
        };
        let Process { stdin, stdout, stderr, mut lifeline } = process;
        let (to_server, outbox) = queue(self.keeping.queue_bytes_max);
        let connection = Arc::new(Connection::new(Wire::Pipe(to_server), Arc::clone(&self.events)));
        let mut writer = AbortOnDrop(tokio::spawn(frames::write_all(stdin, outbox)));
        let last_words = Arc::new(LastWords::default());
        let mut stderr_reader = AbortOnDrop(tokio::spawn({
            let (last_words, events) = (Arc::clone(&last_words), Arc::clone(&self.events));
            let rules = self.keeping.rules.clone();
            async move { last_words.listen(stderr, &events, &rules).await }
        }));
        let mut stdout_reader = AbortOnDrop(tokio::spawn({
            let (connection, inbox) = (Arc::clone(&connection), self.inbox.clone());
            let keeping = self.keeping.clone();
            async move { listen(&connection, stdout, &keeping, &inbox).await }
        }));
        let mut stop = self.controls.stop.subscribe();
        let end = tokio::select! {
            () = told(&mut stop, Stop::Orderly) => {
                drop(writer);
                // Whoever still waits is told, not left.
                connection.pending.end(Arc::new(Down::stopped()));
                self.end(lifeline, &mut stop).await;
                return Life::Stopped;
            }
            status = lifeline.ended() => End::Exited(status),
            _ = &mut stdout_reader.0 => End::ClosedOutput,
            _ = &mut writer.0 => End::ClosedInput,
            refusal = self.serve(&connection, started, n_earlier) => End::Refused(refusal),
        };
        let end = match end {
            // A process that ends closes its streams first.
            End::ClosedOutput | End::ClosedInput => {
                match tokio::time::timeout(REST, lifeline.ended()).await {
                    Ok(status) => End::Exited(status),
                    Err(_) => end,
                }
            }
            End::Exited(_) | End::Refused(_) => end,
        };
        // What it said before it died is still heard; who else holds its streams is not.
        let _ = tokio::time::timeout(REST, &mut stderr_reader.0).await;
        let rest = async {
            while !stdout_reader.0.is_finished()
                && tokio::time::timeout(REST, &mut stdout_reader.0).await.is_err()
                && self.inbox.is_full()
            {}
        };
        tokio::select! {
            () = rest => {}
            // A client that reads nothing must not keep us.
            () = told(&mut stop, Stop::Orderly) => {}
        }
        tokio::spawn(lifeline.cut());
        let last_words = last_words.lines();
        let was_run = !matches!(end, End::Exited(Some(Status::NotStarted(_))));
        let reason = self.hidden(self.reason(&end, &last_words));
        let down = Down { last_words, was_run, ..Down::because(reason) };
        Life::Died { down, connection: Some(connection) }
    }

    /// Greets the server and lets it be asked. Ends only if that cannot be.
    async fn serve(
        &self,
        connection: &Arc<Connection>,
        started: Instant,
        n_earlier: u64,
    ) -> Refusal {
        let mut greetings = self.controls.greeting.subscribe();
        let result = loop {
            let Some(greeting) = next_greeting(&mut greetings).await else {
                return std::future::pending().await;
            };
            let timeout = self.keeping.start_timeout;
            match handshake::greet(connection, &greeting, timeout).await {
                Ok(result) => break result,
                // The server is well; it is the client's turn to say something else.
                Err(Refusal::Error(error)) if !self.was_ready.load(Ordering::Relaxed) => {
                    let refusal = Some(error);
                    let reason = format!("`{}` refused `initialize`", self.command);
                    let down = Down { refusal, ..Down::because(self.hidden(reason)) };
                    self.state.send_replace(State::Down(Arc::new(down)));
                    if greetings.changed().await.is_err() {
                        return std::future::pending().await;
                    }
                    self.state.send_replace(State::Starting);
                }
                Err(other) => return other,
            }
        };
        let duration = clock::now().saturating_duration_since(started);
        (self.events)(Event::Started { n_earlier, era: connection.era().map(Era::date), duration });
        let ready = Arc::new(Ready::new(Arc::clone(connection), result));
        self.was_ready.store(true, Ordering::Relaxed);
        self.state.send_replace(State::Ready(Arc::clone(&ready)));
        let confirmation = greetings.borrow().as_ref().and_then(|it| it.confirmation.clone());
        if let (Some(confirmation), Era::Legacy(_)) = (confirmation, ready.era) {
            connection.confirm(confirmation);
        }
        if n_earlier > 0 {
            let restarted = FromUpstream::Restarted(Arc::clone(connection));
            // Whoever listens no more needs no news.
            let _ = self.inbox.push(Item::Said(restarted));
        }
        changes::hear(&ready).await;
        std::future::pending().await
    }

    /// Orderly: its input is closed already; then it is asked, then it is killed.
    async fn end(&self, mut lifeline: Lifeline, stop: &mut watch::Receiver<Stop>) {
        let grace = self.keeping.grace;
        let orderly = async {
            if tokio::time::timeout(grace, lifeline.ended()).await.is_err() {
                lifeline.terminate().await;
                // Whatever it answers, the line is cut next.
                let _ = tokio::time::timeout(grace, lifeline.ended()).await;
            }
        };
        tokio::select! {
            () = orderly => {}
            () = told(stop, Stop::Now) => {}
        }
        lifeline.cut().await;
    }

    /// A command line may have a password in it.
    fn hidden(&self, reason: String) -> String {
        self.keeping.rules.text(reason)
    }

    /// Command, end and last words in one sentence.
    fn reason(&self, end: &End, last_words: &[String]) -> String {
        let command = &self.command;
        let what = match end {
            End::Exited(Some(Status::NotStarted(error))) => {
                format!("`{command}` could not be started: {error}")
            }
            End::Exited(Some(Status::Code(code))) => {
                format!("`{command}` exited with code {code}")
            }
            End::Exited(Some(Status::Signal(signal))) => {
                let name = os::signal_name(*signal).map(|name| format!(" ({name})"));
                format!("`{command}` was killed by signal {signal}{}", name.unwrap_or_default())
            }
            End::Exited(None) => format!("`{command}` lost its keeper"),
            End::ClosedInput => format!("`{command}` closed its input"),
            End::Refused(Refusal::Silent(timeout)) => {
                format!("`{command}` {}", handshake::no_answer(*timeout))
            }
            End::Refused(Refusal::Unusable(why)) => {
                format!("`{command}` answered `initialize` with what cannot be used: {why}")
            }
            End::Refused(Refusal::Error(error)) => {
                let message = error.get("message");
                let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
                format!("`{command}` refused `initialize`: {message}")
            }
            End::Refused(Refusal::Declined(declined)) => declined.reason.clone(),
            End::ClosedOutput | End::Refused(Refusal::Gone) => {
                format!("`{command}` closed its output")
            }
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

/// Waits for a client to greet, and takes its greeting.
async fn next_greeting(
    greetings: &mut watch::Receiver<Option<super::Greeting>>,
) -> Option<super::Greeting> {
    let greeting = greetings.wait_for(Option::is_some).await.ok()?.clone();
    greetings.mark_unchanged();
    greeting
}

/// Waits until we are told to stop at least so firmly; if nobody can tell us, we are, too.
async fn told(stop: &mut watch::Receiver<Stop>, firmness: Stop) {
    drop(stop.wait_for(|stop| *stop >= firmness).await);
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
