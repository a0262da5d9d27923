//! The server over HTTP: one endpoint, and a thread for each connection.
//!
//! Nothing is shared with the gateway's own HTTP, and answers go to the socket as they are
//! written, so that a connection can be cut at any byte.

mod connection;
mod encoded;
mod endpoint;
mod guard;
mod incoming;
mod mirror;
mod reader;
mod response;
mod sessions;

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use sessions::Sessions;

use super::server::Server;
use super::{Ending, Fault, OVERTIME_S, Options, give_up};

/// The path of the one endpoint.
pub const ENDPOINT: &str = "/mcp";

/// How many connections are served at once; more are closed as soon as they are there.
const CONNECTIONS_MAX: usize = 1024;

/// What all connections share.
struct Site {
    server: Arc<Server>,
    sessions: Sessions,
    /// Whether streams begin with events that are no messages.
    is_noisy: bool,
    is_closing: AtomicBool,
    n_connections: AtomicUsize,
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
        is_closing: AtomicBool::new(false),
        n_connections: AtomicUsize::new(0),
    });
    if fault == Some(Fault::Silent) {
        site.server.mute();
    }
    let address = listener.local_addr()?;
    let accepting = Arc::clone(&site);
    thread::Builder::new()
        .name("accept".to_owned())
        .spawn(move || accept(&listener, &accepting))?;
    asked()?;
    if fault == Some(Fault::Stubborn) {
        thread::sleep(Duration::from_secs(OVERTIME_S));
    }
    site.is_closing.store(true, Ordering::Relaxed);
    // Whoever accepts looks at the flag only when somebody comes.
    drop(TcpStream::connect(address));
    for session in site.server.listening() {
        session.subscriptions.finish();
        session.end();
    }
    Ok(Ending::Asked)
}

fn accept(listener: &TcpListener, site: &Arc<Site>) {
    for stream in listener.incoming() {
        if site.is_closing.load(Ordering::Relaxed) {
            return;
        }
        match stream {
            Ok(stream) => start(stream, site),
            // Out of descriptors, most likely: the connections that end will free some.
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn start(stream: TcpStream, site: &Arc<Site>) {
    if site.n_connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
        site.n_connections.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let (serving, place) = (Arc::clone(site), Arc::clone(site));
    let run = move || {
        // A connection that breaks concerns nobody but its client.
        let _ = connection::converse(&stream, &serving);
        serving.n_connections.fetch_sub(1, Ordering::Relaxed);
    };
    if thread::Builder::new().name("connection".to_owned()).spawn(run).is_err() {
        place.n_connections.fetch_sub(1, Ordering::Relaxed);
    }
}
