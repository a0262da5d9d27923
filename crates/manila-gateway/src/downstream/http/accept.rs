//! Connections: how many there may be, and how long a head may take.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::body::Arriving;
use super::patience::Patience;
use super::{Front, route};
use crate::telemetry::event::Event;
use manila_process::os;

/// How long nothing is tried where nothing can be had.
const MOMENT: Duration = Duration::from_millis(100);

/// What is said to whoever cannot be let in.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\
                    Content-Type: text/plain\r\nContent-Length: 40\r\n\r\n\
                    too many files are open here; try again\n";

/// Accepts connections. Where there are too many, the next one waits until another has gone.
pub(super) async fn all(front: Arc<Front>, listener: TcpListener, stopping: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(front.limits.connections_max));
    let mut spare = os::spare_file();
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(Arc::clone(&front), stream, stopping.clone(), permit));
            }
            Err(error) if is_about_one(&error) => {
                front.gateway.tell(Event::Disconnected(format!("a connection: {error}")));
            }
            Err(error) => {
                // There are no more files to be had. Those who are here are served on, and whoever
                // knocks is told, which takes the one that was kept for that.
                front.gateway.tell(Event::Refused(format!("a connection: {error}")));
                drop(spare.take());
                let knocking = tokio::time::timeout(MOMENT, listener.accept()).await;
                if let Ok(Ok((stream, _))) = knocking {
                    // Whoever does not hear it is gone.
                    let _ = stream.try_write(FULL.as_bytes());
                } else {
                    tokio::time::sleep(MOMENT).await;
                }
                spare = os::spare_file();
            }
        }
    }
}

/// Whether only the one connection is lost that was to be accepted.
fn is_about_one(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

async fn serve(
    front: Arc<Front>,
    stream: TcpStream,
    mut stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
) {
    // An answer is one write, and whoever waits for it should not wait for more.
    let _ = stream.set_nodelay(true);
    let patience = Patience::new();
    let service = service_fn(|request: Request<Incoming>| {
        let (front, patience) = (Arc::clone(&front), patience.clone());
        let request = request.map(|incoming| Arriving { incoming, patience });
        async move { Ok::<_, Infallible>(route::handle(&front, request).await) }
    });
    // A request may have 100 headers, which is what hyper takes unless it is told otherwise.
    let connection = http1::Builder::new()
        .timer(patience.clone())
        .header_read_timeout(front.limits.head_timeout)
        .max_buf_size(front.limits.head_bytes_max)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        _ = stopping.wait_for(|is_stopping| *is_stopping) => None,
    };
    let ended = if let Some(ended) = ended {
        ended
    } else {
        connection.as_mut().graceful_shutdown();
        connection.await
    };
    if let Err(error) = ended {
        front.gateway.tell(failure(&error));
    }
}

/// The event for a connection that did not end in order.
fn failure(error: &hyper::Error) -> Event {
    let reason = format!("a connection: {}", with_source(error));
    // What is no HTTP is refused; a client may go away, or say nothing, whenever it wants to.
    if error.is_parse() { Event::Refused(reason) } else { Event::Disconnected(reason) }
}

/// An error and what lies behind it.
fn with_source(error: &hyper::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
