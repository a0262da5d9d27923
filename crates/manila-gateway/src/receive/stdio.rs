//! One client over standard input and output.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::pump::pump;
use super::session::Session;
use crate::frames::{self, Frames};
use crate::gateway::{Gateway, Inbox};
use crate::os::{stdio, stop};

/// Serves one client until it closes our input or we are asked to stop. What is open then is
/// finished within the grace period; in the end the server is gone.
pub async fn serve(gateway: Arc<Gateway>, inbox: Inbox) {
    const OUTBOX_FRAMES_MAX: usize = 256;
    let (to_client, outbox) = mpsc::channel(OUTBOX_FRAMES_MAX);
    let session = Arc::new(Session::new(Arc::clone(&gateway), to_client));
    let mut writer = tokio::spawn(frames::write_all(stdio::output(), outbox));
    let pump = tokio::spawn(pump(Arc::clone(&session), inbox));
    let mut frames = Frames::new(stdio::input(), gateway.settings.frame_bytes_max);
    let reading = async {
        while let Ok(Some(frame)) = frames.next().await {
            if session.receive(frame).await.is_err() {
                return;
            }
        }
    };
    let is_heard = tokio::select! {
        () = reading => true,
        () = stop::asked() => true,
        // Nobody reads what we write.
        _ = &mut writer => false,
    };
    if is_heard {
        tokio::select! {
            // What takes longer ends with the server.
            _ = tokio::time::timeout(gateway.settings.grace, session.in_flight.drained()) => {}
            // Who asks twice does not want to wait.
            () = stop::asked() => {}
            _ = &mut writer => {}
        }
    }
    gateway.stop().await;
    if is_heard {
        // What was still open has been answered by the server's end.
        let _ = tokio::time::timeout(gateway.settings.grace, session.in_flight.drained()).await;
    }
    pump.abort();
    // With the last sender gone, the writer ends when everything is written.
    drop(session);
    if !writer.is_finished() {
        let _ = tokio::time::timeout(gateway.settings.grace, writer).await;
    }
}
