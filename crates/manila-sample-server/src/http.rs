//! The server over HTTP: one endpoint on hyper.
//!
//! One thread runs all connections. Each request runs on its own thread, because tools block. A
//! [`body_queue`] passes their output to hyper. To truncate a response on purpose, the server lets
//! a service or a body fail, and hyper closes the connection.

mod body;
mod body_queue;
mod connection;
mod endpoint;
mod exchange;
mod guard;
mod header_check;
mod header_value;
mod incoming;
mod presence;
mod reader;
mod response;
mod sessions;
mod turn;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime;
use tokio::sync::watch;

use sessions::Sessions;

use super::server::Server;
use super::{Ending, Fault, LINGER_S, Options, give_up};

/// The path of the endpoint.
pub const ENDPOINT: &str = "/mcp";

/// The state that all connections share.
struct HttpState {
    server: Arc<Server>,
    sessions: Sessions,
    /// Whether streams begin with events that are not messages.
    is_noisy: bool,
}

/// Serves the connections of `listener` until `wait_for_stop` returns.
pub fn serve_http(
    listener: TcpListener,
    options: Options,
    wait_for_stop: impl FnOnce() -> io::Result<()>,
) -> io::Result<Ending> {
    let Options { fault, eras } = options;
    if fault == Some(Fault::Exit) {
        return give_up();
    }
    let state = Arc::new(HttpState {
        server: Arc::new(Server::new(eras)),
        sessions: Sessions::default(),
        is_noisy: fault == Some(Fault::Noise),
    });
    if fault == Some(Fault::Silent) {
        state.server.mute();
    }
    let (stop, stopping) = watch::channel(false);
    let accepting = Arc::clone(&state);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(connection::CONNECTIONS_MAX)
        .build()?;
    let serving = thread::Builder::new().name("http".to_owned()).spawn(move || {
        let ended = runtime.block_on(connection::accept(listener, &accepting, stopping));
        // A tool that is still running must not delay the shutdown.
        runtime.shutdown_background();
        ended
    })?;
    wait_for_stop()?;
    if fault == Some(Fault::Stubborn) {
        thread::sleep(Duration::from_secs(LINGER_S));
    }
    for session in state.server.live_sessions() {
        session.subscriptions.finish();
        session.end();
    }
    stop.send_replace(true);
    serving.join().map_err(|_| io::Error::other("the thread of the connections panicked"))??;
    Ok(Ending::Stopped)
}
