//! Being asked to stop, or to read the configuration again.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a hang-up means that the configuration is to be read again.
static IS_RELOADING: AtomicBool = AtomicBool::new(false);

/// Waits until somebody asks this process to stop: SIGTERM, SIGINT, or SIGHUP unless that has
/// another meaning.
#[cfg(unix)]
pub async fn asked() {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).ok();
    let mut terminate = listen(SignalKind::terminate());
    let mut interrupt = listen(SignalKind::interrupt());
    let mut hang_up = listen(SignalKind::hangup());
    let is_stop = !IS_RELOADING.load(Ordering::Relaxed);
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

/// Waits until somebody asks this process to stop: Ctrl-C.
#[cfg(not(unix))]
pub async fn asked() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Wishes that the configuration be read again, by SIGHUP. As long as this is there, that does not
/// stop us.
pub struct Reloads {
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
}

impl Reloads {
    /// Listens from now on. This needs the runtime.
    #[must_use]
    pub fn listen() -> Reloads {
        IS_RELOADING.store(true, Ordering::Relaxed);
        Reloads {
            #[cfg(unix)]
            hang_up: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        if next(&mut self.hang_up).await.is_some() {
            return;
        }
        std::future::pending::<()>().await;
    }
}
