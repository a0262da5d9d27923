//! The server over HTTP: one endpoint on hyper.
//!
//! One thread runs all connections. Each request is served on a thread of its own, because tools
//! block; what they write reaches hyper as [`pieces`]. hyper also cuts a response off where the
//! server misbehaves on purpose: a service or a body that fails closes the connection.

mod body;
mod connection;
mod encoded;
mod endpoint;
mod exchange;
mod guard;
mod incoming;
mod mirror;
mod pieces;
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
use super::{Ending, Fault, OVERTIME_S, Options, give_up};

/// The path of the one endpoint.
pub const ENDPOINT: &str = "/mcp";

/// What all connections share.
struct Site {
    server: Arc<Server>,
    sessions: Sessions,
    /// Whether streams begin with events that are no messages.
    is_noisy: bool,
}

/// Serves what connects to `listener`, until `asked` returns.
pub fn serve_http(
    listener: TcpListener,
    options: Options,
    asked: impl FnOnce() -> io::Result<()>,
) -> io::Result<Ending> {
    let Options { fault, eras } = options;
    if fault == Some(Fault::Exit) {
        return give_up();
    }
    let site = Arc::new(Site {
        server: Arc::new(Server::new(eras)),
        sessions: Sessions::default(),
        is_noisy: fault == Some(Fault::Noise),
    });
    if fault == Some(Fault::Silent) {
        site.server.mute();
    }
    let (stop, stopping) = watch::channel(false);
    let accepting = Arc::clone(&site);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(connection::CONNECTIONS_MAX)
        .build()?;
    let serving = thread::Builder::new().name("http".to_owned()).spawn(move || {
        let ended = runtime.block_on(connection::accept(listener, &accepting, stopping));
        // A tool that still runs must not hold up the end.
        runtime.shutdown_background();
        ended
    })?;
    asked()?;
    if fault == Some(Fault::Stubborn) {
        thread::sleep(Duration::from_secs(OVERTIME_S));
    }
    for session in site.server.listening() {
        session.subscriptions.finish();
        session.end();
    }
    stop.send_replace(true);
    serving.join().map_err(|_| io::Error::other("the thread of the connections panicked"))??;
    Ok(Ending::Asked)
}
