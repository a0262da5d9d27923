//! Serves one client over standard input and output.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manila::stage::record::Transport;
use tokio::task::JoinError;

use super::session::Session;
use crate::gateway::Gateway;
use crate::protocol::frames::{self, Frames};
use crate::rt::queue::queue;
use manila_process::os::{stdio, stop};

/// The reason why serving a client failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// Standard output cannot be written.
    #[error("cannot write to stdout: {0}")]
    NotWritten(io::Error),
    /// The client sends requests and does not read the responses. The limit is
    /// [`Settings::queue_bytes_max`](crate::config::Settings::queue_bytes_max).
    #[error("the client does not read stdout: unread responses exceed the limit of {0} bytes")]
    TooMuchUnread(usize),
    /// The client closed standard input and did not read the last responses in time.
    #[error("the client does not read stdout: responses are unread {0:?} after the end of stdin")]
    NotRead(Duration),
}

/// The reason why serving ended.
#[derive(PartialEq, Eq)]
enum End {
    /// The client closed standard input. It may still read the responses to its requests.
    InputClosed,
    /// The process received a stop signal.
    StopSignal,
    /// Standard output cannot be written, or the client does not read it.
    OutputFailed,
}

/// Serves one client until it closes standard input or the process receives a stop signal.
///
/// Open requests may finish within the grace period. When this returns, the server has stopped.
/// Fails if standard output cannot be written, or the client does not read it. A closed reader is
/// not an error.
pub async fn serve(gateway: Arc<Gateway>) -> Result<(), StdioError> {
    let (to_client, outbox) = queue(gateway.settings().queue_bytes_max);
    let session = Arc::new(Session::new(Arc::clone(&gateway), Transport::Stdio, to_client));
    let mut writer = tokio::spawn(frames::write_all(stdio::output(), outbox));
    session.end_on_overflow(writer.abort_handle());
    let mut frames = Frames::new(stdio::input(), gateway.settings().message_bytes_max);
    let receiver = Arc::clone(&session);
    let mut reading = Box::pin(async move {
        while let Ok(Some(frame)) = frames.next().await {
            if receiver.receive(frame).await.is_err() {
                return End::OutputFailed;
            }
        }
        End::InputClosed
    });
    let mut written = None;
    let end = tokio::select! {
        // A client that sends a signal often closes standard input immediately after it.
        biased;
        () = stop::wait_for_stop() => End::StopSignal,
        ended = &mut writer => {
            written = Some(write_result(ended));
            End::OutputFailed
        }
        end = &mut reading => end,
    };
    let has_signal = AtomicBool::new(end == End::StopSignal);
    gateway.begin_to_stop();
    if end != End::OutputFailed {
        let reading_on = async {
            // Calls may wait for a response from the client.
            if end == End::StopSignal {
                let _ = (&mut reading).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = drain(&session, &end) => {}
            () = reading_on => {}
            ended = &mut writer => written = Some(write_result(ended)),
            // A second signal means: do not wait. A client that closed standard input and then
            // sends a signal does not expect further output.
            () = wait_second_signal(&end, &has_signal) => {
                if end == End::InputClosed {
                    session.mute();
                }
            }
        }
    }
    gateway.close_listener().await;
    tokio::select! {
        () = gateway.stop() => {}
        () = stop::wait_for_stop() => {
            has_signal.store(true, Ordering::Relaxed);
            gateway.kill_now();
            gateway.stop().await;
        }
    }
    // Stopping the server has completed the requests that were still open.
    session.open.wait_drained_briefly().await;
    let has_overflowed = session.has_overflowed();
    // Without a sender, the writer ends once everything is written.
    drop((reading, session));
    let grace = gateway.settings().server_grace;
    let written = match written {
        Some(written) => Some(written),
        None => tokio::time::timeout(grace, writer).await.ok().map(write_result),
    };
    match written {
        _ if has_overflowed => Err(StdioError::TooMuchUnread(gateway.settings().queue_bytes_max)),
        Some(written) => written,
        // A client that stops the gateway need not read.
        None if has_signal.into_inner() => Ok(()),
        None => Err(StdioError::NotRead(grace)),
    }
}

/// Waits for a stop signal that arrives while the gateway is already stopping. Stores whether there
/// was any signal.
async fn wait_second_signal(end: &End, has_signal: &AtomicBool) {
    // A signal shortly after standard input was closed is part of the same stop, not a second one.
    // MCP clients wait two seconds before they send one.
    const SAME_STOP: Duration = Duration::from_secs(1);
    if *end == End::InputClosed {
        let same_stop = tokio::time::timeout(SAME_STOP, stop::wait_for_stop()).await;
        has_signal.store(same_stop.is_ok(), Ordering::Relaxed);
    }
    stop::wait_for_stop().await;
    has_signal.store(true, Ordering::Relaxed);
}

/// Waits until the open requests have finished, at most for the grace period.
async fn drain(session: &Session, end: &End) {
    let settings = &session.gateway.settings();
    let is_starting = *end == End::InputClosed && session.is_handshake_pending();
    let n_open = session.open.n_open();
    let start = if is_starting { settings.start_timeout } else { Duration::ZERO };
    session.gateway.report_stopping(n_open, settings.grace + start);
    // A server that is still starting has its own timeout. Requests that outlast the grace period
    // end with the server.
    if is_starting {
        tokio::select! {
            _ = session.wait_for_handshake() => {}
            // A stop signal ends this wait.
            () = stop::wait_for_stop() => {}
        }
    }
    let _ = tokio::time::timeout(settings.grace, session.open.wait_drained()).await;
}

/// Returns the writer's result. A client that closes standard output is not an error.
fn write_result(written: Result<io::Result<()>, JoinError>) -> Result<(), StdioError> {
    match written {
        Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(StdioError::NotWritten(error))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
