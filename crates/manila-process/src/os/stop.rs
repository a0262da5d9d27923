//! Signals that stop this process or reload its configuration.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether SIGHUP reloads the configuration.
static SIGHUP_RELOADS: AtomicBool = AtomicBool::new(false);

/// Waits for a signal to stop: SIGTERM, SIGINT, or SIGHUP unless that reloads the configuration.
#[cfg(unix)]
pub async fn wait_for_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).ok();
    let mut terminate = listen(SignalKind::terminate());
    let mut interrupt = listen(SignalKind::interrupt());
    let mut hang_up = listen(SignalKind::hangup());
    let is_stop = !SIGHUP_RELOADS.load(Ordering::Relaxed);
    tokio::select! {
        Some(()) = next(&mut terminate) => {}
        Some(()) = next(&mut interrupt) => {}
        Some(()) = next(&mut hang_up), if is_stop => {}
        else => std::future::pending().await,
    }
}

#[cfg(unix)]
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) -> Option<()> {
    match signal {
        Some(signal) => signal.recv().await,
        None => None,
    }
}

/// Waits for a signal to stop: Ctrl-C.
#[cfg(not(unix))]
pub async fn wait_for_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Requests to reload the configuration, by SIGHUP. Once this exists, SIGHUP does not stop the
/// process.
pub struct Reloads {
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
}

impl Reloads {
    /// Starts to listen. Must be called within a Tokio runtime.
    #[must_use]
    pub fn listen() -> Reloads {
        SIGHUP_RELOADS.store(true, Ordering::Relaxed);
        Reloads {
            #[cfg(unix)]
            hang_up: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    /// Waits for the next request.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        if next(&mut self.hang_up).await.is_some() {
            return;
        }
        std::future::pending::<()>().await;
    }
}
