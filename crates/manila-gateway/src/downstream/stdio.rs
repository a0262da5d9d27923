//! One client over standard input and output.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use manila::stage::record::Transport;
use tokio::task::JoinError;

use super::session::Session;
use crate::gateway::Gateway;
use crate::protocol::frames::{self, Frames};
use crate::rt::queue::queue;
use manila_process::os::{stdio, stop};

/// Why serving ended.
#[derive(PartialEq, Eq)]
enum End {
    /// The client closed our input. It may still read what it has asked for.
    Input,
    /// We were asked to stop.
    Asked,
    /// What we write cannot be written, or nobody reads it.
    Output,
}

/// Serves one client until it closes our input or we are asked to stop. What is open then is
/// finished within the grace period; in the end the server is gone. An error is that we could
/// not write; that nobody reads is none.
pub async fn serve(gateway: Arc<Gateway>) -> io::Result<()> {
    let (to_client, outbox) = queue(gateway.settings().queue_bytes_max);
    let session = Arc::new(Session::new(Arc::clone(&gateway), Transport::Stdio, to_client));
    let mut writer = tokio::spawn(frames::write_all(stdio::output(), outbox));
    let mut frames = Frames::new(stdio::input(), gateway.settings().frame_bytes_max);
    let receiver = Arc::clone(&session);
    let mut reading = Box::pin(async move {
        while let Ok(Some(frame)) = frames.next().await {
            if receiver.receive(frame).is_err() {
                return End::Output;
            }
        }
        End::Input
    });
    let mut written = None;
    let end = tokio::select! {
        end = &mut reading => end,
        () = stop::asked() => End::Asked,
        ended = &mut writer => {
            written = Some(told(ended));
            End::Output
        }
    };
    gateway.begin_to_stop();
    if end != End::Output {
        let answers = async {
            // Calls may wait for an answer of the client's.
            if end == End::Asked {
                let _ = (&mut reading).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = drained(&session, &end) => {}
            () = answers => {}
            ended = &mut writer => written = Some(told(ended)),
            // Who asks twice does not want to wait. And whoever closed our input and asks is
            // surprised by what still comes.
            () = asked_again(&end) => {
                if end == End::Input {
                    session.mute();
                }
            }
        }
    }
    gateway.close_door().await;
    tokio::select! {
        () = gateway.stop() => {}
        () = stop::asked() => {
            gateway.hurry();
            gateway.stop().await;
        }
    }
    // What was still open has been answered by the server's end.
    session.open.drained_soon().await;
    // With the last sender gone, the writer ends when everything is written.
    drop((reading, session));
    if let Some(written) = written {
        return written;
    }
    let written = tokio::time::timeout(gateway.settings().server_grace, writer).await;
    written.map_or(Ok(()), told)
}

/// Waits to be asked to stop although we are stopping.
async fn asked_again(end: &End) {
    // Who closes our input and asks in one go asks once; MCP clients wait for two seconds.
    const IN_ONE_GO: Duration = Duration::from_secs(1);
    if *end == End::Input {
        let _ = tokio::time::timeout(IN_ONE_GO, stop::asked()).await;
    }
    stop::asked().await;
}

/// Waits for what is open when serving ends, within its time.
async fn drained(session: &Session, end: &End) {
    let settings = &session.gateway.settings();
    let is_starting = *end == End::Input && session.is_opening();
    let n_open = session.open.n_open();
    let start = if is_starting { settings.start_timeout } else { Duration::ZERO };
    session.gateway.report_stopping(n_open, settings.grace + start);
    // A server that is still starting has its own time. What takes longer than the grace ends
    // with the server.
    if is_starting {
        tokio::select! {
            _ = session.is_opened() => {}
            // Who asks, too, does not want to wait for that.
            () = stop::asked() => {}
        }
    }
    let _ = tokio::time::timeout(settings.grace, session.open.drained()).await;
}

/// What became of what was written. A client that closed our output wanted no more.
fn told(written: Result<io::Result<()>, JoinError>) -> io::Result<()> {
    match written {
        Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}
