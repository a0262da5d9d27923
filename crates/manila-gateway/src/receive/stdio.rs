//! One client over standard input and output.

use std::sync::Arc;

use super::pump::pump;
use super::session::Session;
use crate::frames::{self, Frames};
use crate::gateway::Gateway;
use crate::os::{stdio, stop};
use crate::queue::queue;
use crate::upstream::Inbox;

/// Why serving ended.
#[derive(PartialEq, Eq)]
enum End {
    /// The client closed our input. It may still read what it has asked for.
    Input,
    /// We were asked to stop.
    Asked,
    /// Nobody reads what we write.
    Output,
}

/// Serves one client until it closes our input or we are asked to stop. What is open then is
/// finished within the grace period; in the end the server is gone.
pub async fn serve(gateway: Arc<Gateway>, inbox: Inbox) {
    let (to_client, outbox) = queue(gateway.settings.queue_bytes_max);
    let session = Arc::new(Session::new(Arc::clone(&gateway), to_client));
    let mut writer = tokio::spawn(frames::write_all(stdio::output(), outbox));
    let pump = tokio::spawn(pump(Arc::clone(&session), inbox));
    let mut frames = Frames::new(stdio::input(), gateway.settings.frame_bytes_max);
    let receiver = Arc::clone(&session);
    let mut reading = Box::pin(async move {
        while let Ok(Some(frame)) = frames.next().await {
            if receiver.receive(frame).is_err() {
                return End::Output;
            }
        }
        End::Input
    });
    let end = tokio::select! {
        end = &mut reading => end,
        () = stop::asked() => End::Asked,
        _ = &mut writer => End::Output,
    };
    if end != End::Output {
        let drained = async {
            // What takes longer ends with the server.
            let _ = tokio::time::timeout(gateway.settings.grace, session.in_flight.drained()).await;
        };
        let answers = async {
            // Calls may wait for an answer of the client's.
            if end == End::Asked {
                let _ = (&mut reading).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = drained => {}
            () = answers => {}
            _ = &mut writer => {}
            // Who asks twice does not want to wait. And whoever closed our input and asks is
            // surprised by what still comes.
            () = stop::asked() => {
                if end == End::Input {
                    session.mute();
                }
            }
        }
    }
    tokio::select! {
        () = gateway.stop() => {}
        () = stop::asked() => {
            gateway.upstream.hurry();
            gateway.stop().await;
        }
    }
    // What was still open has been answered by the server's end.
    session.in_flight.drained_soon().await;
    pump.abort();
    // With the last sender gone, the writer ends when everything is written.
    drop((reading, session));
    if !writer.is_finished() {
        let _ = tokio::time::timeout(gateway.settings.server_grace, writer).await;
    }
}
