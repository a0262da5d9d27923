//! Supervises a server process: starts it, performs the handshake, and restarts it when it exits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manila::RawJson;
use tokio::sync::watch;
use tokio::time::Instant;

use super::changes;
use super::child::{Controls, State, Stop};
use super::handshake::{self, HandshakeError};
use super::inbox::{Item, UpstreamMessage};
use super::reader::read_messages;
use super::stderr_tail::StderrTail;
use super::wire::Wire;
use manila_process::Command;

use super::{Connection, Ready, SupervisorConfig, Unavailable};
use crate::protocol::era::Era;
use crate::protocol::frames;
use crate::rt::clock;
use crate::rt::queue::{Sender, queue};
use crate::telemetry::event::{Event, Events};
use manila_process::os::{self, Lifeline, Process, Status};

pub(super) struct Supervisor {
    pub(super) command: Command,
    pub(super) config: SupervisorConfig,
    pub(super) events: Events,
    pub(super) inbox: Sender<Item>,
    pub(super) state: watch::Sender<State>,
    pub(super) controls: Arc<Controls>,
    /// Whether any run of the server has completed the handshake.
    pub(super) was_ready: AtomicBool,
}

/// A server that ran for this long counts as healthy.
const HEALTHY_AFTER: Duration = Duration::from_secs(10);

/// How long to wait for the exit status and the remaining output of a server that has closed a
/// stream.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// How one run of a server ended.
enum RunEnd {
    /// The gateway is stopping, and has stopped the server.
    Stopped,
    /// The server exited, or the gateway gave up on it.
    Failed { unavailable: Unavailable, connection: Option<Arc<Connection>> },
}

/// Why a run of the server ended.
enum EndCause {
    /// Its process exited; `None` if the keeper exited, too.
    Exited(Option<Status>),
    ClosedOutput,
    ClosedInput,
    HandshakeFailed(HandshakeError),
}

impl Supervisor {
    pub(super) async fn run(self) {
        let mut n_starts = 0;
        let mut n_failures = 0;
        let has_handshake = self.controls.handshake.borrow().is_some();
        if self.config.is_lazy
            && !has_handshake
            && self.wait_for_next_start(Duration::ZERO).await == WaitEnd::Stop
        {
            return;
        }
        loop {
            let started = clock::now();
            let end = self.run_once(started, n_starts).await;
            n_starts += 1;
            let RunEnd::Failed { mut unavailable, connection } = end else { return };
            // A server that was healthy is restarted without delay.
            let uptime = clock::now().saturating_duration_since(started);
            n_failures = if uptime >= HEALTHY_AFTER { 1 } else { n_failures + 1 };
            let delay = backoff(n_failures);
            // Before the first handshake, no client needs the server.
            let is_needed = self.controls.handshake.borrow().is_some()
                && *self.controls.stop.borrow() == Stop::No;
            let next_start = is_needed.then_some(delay);
            (self.events)(Event::Ended { reason: unavailable.reason.clone(), next_start });
            unavailable.next_start = Some(clock::now() + delay);
            let unavailable = Arc::new(unavailable);
            self.state.send_modify(|state| {
                // Callers wait for a healthy server that is restarted at once.
                let restarts_at_once = delay.is_zero() && matches!(state, State::Ready(_));
                *state = if restarts_at_once {
                    State::Starting
                } else {
                    State::Unavailable(Arc::clone(&unavailable))
                };
            });
            if let Some(connection) = connection {
                let ended = UpstreamMessage::Ended(connection, unavailable);
                // Earlier messages are delivered first. The receiver may be closed.
                let _ = self.inbox.push(Item::Message(ended));
            }
            if self.wait_for_next_start(delay).await == WaitEnd::Stop {
                return;
            }
            self.state.send_replace(State::Starting);
        }
    }

    /// Waits for `delay` or for a new handshake, whichever comes first. Before the first handshake,
    /// waits for that.
    async fn wait_for_next_start(&self, delay: Duration) -> WaitEnd {
        let mut stop = self.controls.stop.subscribe();
        let mut handshake = self.controls.handshake.subscribe();
        let has_handshake = handshake.borrow_and_update().is_some();
        tokio::select! {
            () = wait_stop(&mut stop, Stop::Orderly) => WaitEnd::Stop,
            () = tokio::time::sleep(delay), if has_handshake => WaitEnd::Start,
            Ok(()) = handshake.changed() => WaitEnd::Start,
        }
    }

    /// Runs the server once.
    async fn run_once(&self, started: Instant, n_earlier_starts: u64) -> RunEnd {
        let process = match self.start() {
            Ok(process) => process,
            Err(unavailable) => return RunEnd::Failed { unavailable, connection: None },
        };
        let Process { stdin, stdout, stderr, mut lifeline } = process;
        let (to_server, outbox) = queue(self.config.queue_bytes_max);
        let connection = Arc::new(Connection::new(Wire::Pipe(to_server), Arc::clone(&self.events)));
        let mut writer = AbortOnDrop(tokio::spawn(frames::write_all(stdin, outbox)));
        let stderr_tail = Arc::new(StderrTail::default());
        let mut stderr_reader = AbortOnDrop(tokio::spawn({
            let (stderr_tail, events) = (Arc::clone(&stderr_tail), Arc::clone(&self.events));
            let redactor = self.config.redactor.clone();
            async move { stderr_tail.read(stderr, &events, &redactor).await }
        }));
        let mut stdout_reader = AbortOnDrop(tokio::spawn({
            let (connection, inbox) = (Arc::clone(&connection), self.inbox.clone());
            let config = self.config.clone();
            async move { read_messages(&connection, stdout, &config, &inbox).await }
        }));
        let mut stop = self.controls.stop.subscribe();
        let end = tokio::select! {
            () = wait_stop(&mut stop, Stop::Orderly) => {
                drop(writer);
                // Requests in flight fail, instead of waiting forever.
                connection.pending.fail_all(Arc::new(Unavailable::on_stop()));
                self.stop_process(lifeline, &mut stop).await;
                return RunEnd::Stopped;
            }
            status = lifeline.wait() => EndCause::Exited(status),
            _ = &mut stdout_reader.0 => EndCause::ClosedOutput,
            _ = &mut writer.0 => EndCause::ClosedInput,
            error = self.serve(&connection, started, n_earlier_starts) => {
                EndCause::HandshakeFailed(error)
            }
        };
        let end = match end {
            // A process that exits closes its streams first.
            EndCause::ClosedOutput | EndCause::ClosedInput => {
                match tokio::time::timeout(DRAIN_TIMEOUT, lifeline.wait()).await {
                    Ok(status) => EndCause::Exited(status),
                    Err(_) => end,
                }
            }
            EndCause::Exited(_) | EndCause::HandshakeFailed(_) => end,
        };
        // Read what the server wrote before it exited, but do not wait for other processes that
        // hold its streams.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, &mut stderr_reader.0).await;
        let rest = async {
            while !stdout_reader.0.is_finished()
                && tokio::time::timeout(DRAIN_TIMEOUT, &mut stdout_reader.0).await.is_err()
                && self.inbox.is_full()
            {}
        };
        tokio::select! {
            () = rest => {}
            // A client that does not read must not delay the shutdown.
            () = wait_stop(&mut stop, Stop::Orderly) => {}
        }
        tokio::spawn(lifeline.cut());
        let stderr_tail = stderr_tail.lines();
        let was_reached = !matches!(end, EndCause::Exited(Some(Status::NotStarted(_))));
        let reason = self.redact(self.reason(&end, &stderr_tail));
        let unavailable = Unavailable { stderr_tail, was_reached, ..Unavailable::because(reason) };
        RunEnd::Failed { unavailable, connection: Some(connection) }
    }

    /// Starts the server's process.
    fn start(&self) -> Result<Process, Unavailable> {
        Process::start(&self.command).map_err(|error| {
            let reason = match &self.command.folder {
                Some(folder) if !folder.is_dir() => {
                    format!("its working directory `{}` (`cwd`) does not exist", folder.display())
                }
                Some(_) | None => error.to_string(),
            };
            let reason = format!("`{}` could not be started: {reason}", self.command);
            Unavailable { was_reached: false, ..Unavailable::because(self.redact(reason)) }
        })
    }

    /// Performs the handshake, then publishes the server as ready and watches its lists. Returns
    /// only if the handshake fails.
    async fn serve(
        &self,
        connection: &Arc<Connection>,
        started: Instant,
        n_earlier_starts: u64,
    ) -> HandshakeError {
        let mut handshakes = self.controls.handshake.subscribe();
        let result = loop {
            let Some(handshake) = next_handshake(&mut handshakes).await else {
                return std::future::pending().await;
            };
            let timeout = self.config.start_timeout;
            match handshake::perform_handshake(connection, &handshake, timeout).await {
                Ok(result) => break result,
                // The server keeps running: the client may send another `initialize`.
                Err(HandshakeError::Error(error)) if !self.was_ready.load(Ordering::Relaxed) => {
                    let reason = format!("`{}` {}", self.command, describe_refusal(&error));
                    let refusal = Some(error);
                    let reason = self.redact(reason);
                    let unavailable = Unavailable { refusal, ..Unavailable::because(reason) };
                    self.state.send_replace(State::Unavailable(Arc::new(unavailable)));
                    if handshakes.changed().await.is_err() {
                        return std::future::pending().await;
                    }
                    self.state.send_replace(State::Starting);
                }
                Err(other) => return other,
            }
        };
        let duration = clock::now().saturating_duration_since(started);
        let era = connection.era().map(Era::date);
        (self.events)(Event::Started { n_earlier_starts, era, duration });
        let ready = Arc::new(Ready::new(Arc::clone(connection), result));
        self.was_ready.store(true, Ordering::Relaxed);
        self.state.send_replace(State::Ready(Arc::clone(&ready)));
        let frame = handshakes.borrow().as_ref().and_then(|it| it.initialized_frame.clone());
        if let (Some(initialized_frame), Era::Legacy(_)) = (frame, ready.era) {
            connection.send_initialized(initialized_frame);
        }
        if n_earlier_starts > 0 {
            let restarted = UpstreamMessage::Restarted(Arc::clone(connection));
            // The receiver may be closed.
            let _ = self.inbox.push(Item::Message(restarted));
        }
        changes::watch_lists(&ready).await;
        std::future::pending().await
    }

    /// Stops a server whose input is closed: waits for it to exit, terminates it after `grace`, and
    /// kills it after another `grace`. `Stop::Now` kills it at once.
    async fn stop_process(&self, mut lifeline: Lifeline, stop: &mut watch::Receiver<Stop>) {
        let grace = self.config.grace;
        let orderly = async {
            if tokio::time::timeout(grace, lifeline.wait()).await.is_err() {
                lifeline.terminate().await;
                // The lifeline is cut next in any case.
                let _ = tokio::time::timeout(grace, lifeline.wait()).await;
            }
        };
        tokio::select! {
            () = orderly => {}
            () = wait_stop(stop, Stop::Now) => {}
        }
        lifeline.cut().await;
    }

    /// Redacts a reason, because a command line may contain a password.
    fn redact(&self, reason: String) -> String {
        self.config.redactor.redact_text(reason)
    }

    /// Describes the command, how it ended, and its last stderr lines.
    fn reason(&self, end: &EndCause, stderr_tail: &[String]) -> String {
        let command = &self.command;
        let what = match end {
            EndCause::Exited(Some(Status::NotStarted(error))) => {
                format!("`{command}` could not be started: {error}")
            }
            EndCause::Exited(Some(Status::Code(code))) => {
                format!("`{command}` exited with code {code}")
            }
            EndCause::Exited(Some(Status::Signal(signal))) => {
                let name = os::signal_name(*signal).map(|name| format!(" ({name})"));
                format!("`{command}` was killed by signal {signal}{}", name.unwrap_or_default())
            }
            EndCause::Exited(None) => {
                format!("`{command}` is no longer supervised, because its keeper process exited")
            }
            EndCause::ClosedInput => {
                format!("`{command}` closed its stdin without exiting")
            }
            EndCause::HandshakeFailed(HandshakeError::Silent(timeout)) => {
                format!("`{command}` {}", handshake::describe_timeout(*timeout))
            }
            EndCause::HandshakeFailed(HandshakeError::Unusable(reason)) => {
                format!("`{command}` sent an unusable response to `initialize`: {reason}")
            }
            EndCause::HandshakeFailed(HandshakeError::Error(error)) => {
                format!("`{command}` {}", describe_refusal(error))
            }
            EndCause::HandshakeFailed(HandshakeError::HttpFailure(failure)) => {
                failure.reason.clone()
            }
            EndCause::ClosedOutput | EndCause::HandshakeFailed(HandshakeError::Disconnected) => {
                format!("`{command}` closed its stdout without exiting")
            }
        };
        match stderr_tail {
            [] => what,
            lines => {
                let shown = lines.iter().skip(lines.len().saturating_sub(3));
                let shown: Vec<&str> = shown.map(String::as_str).collect();
                format!("{what}; last lines of stderr: {}", shown.join(" | "))
            }
        }
    }
}

/// Describes the error with which a server refused `initialize`, with its message and code.
fn describe_refusal(error: &RawJson) -> String {
    let message = error.get("message");
    let message = message.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    let message = if message.is_empty() { String::new() } else { format!(": {message}") };
    let code = error.get("code").map(|code| format!(" ({code})")).unwrap_or_default();
    format!("refused `initialize`{message}{code}")
}

/// Waits for a client's handshake, and returns it.
async fn next_handshake(
    handshakes: &mut watch::Receiver<Option<super::Handshake>>,
) -> Option<super::Handshake> {
    let handshake = handshakes.wait_for(Option::is_some).await.ok()?.clone();
    handshakes.mark_unchanged();
    handshake
}

/// Waits for a stop request of at least this level. A closed channel counts as one.
async fn wait_stop(stop: &mut watch::Receiver<Stop>, minimum: Stop) {
    drop(stop.wait_for(|stop| *stop >= minimum).await);
}

/// How the wait for the next start ended.
#[derive(PartialEq, Eq)]
enum WaitEnd {
    /// The server is started.
    Start,
    /// The gateway is stopping.
    Stop,
}

/// Returns the delay before a restart. The first restart is immediate, the second waits 200 ms, and
/// each later one twice as long as the one before, up to 30 s.
fn backoff(n_failures: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(200);
    const LONGEST: Duration = Duration::from_secs(30);
    match n_failures {
        0 | 1 => Duration::ZERO,
        n => FIRST.saturating_mul(1 << (n - 2).min(16)).min(LONGEST),
    }
}

/// A task that is aborted when this is dropped.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
