//! Accepts connections: limits their number, and the time for the head of a request.

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
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::body::RequestBody;
use super::connection_timer::ConnectionTimer;
use super::{HttpState, route};
use crate::rt::fair_stream::FairStream;
use crate::telemetry::event::Event;
use manila_process::os;

/// The pause before the next attempt, if no file descriptor is free.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Accepts connections. At the limit, the next one waits until another is closed.
pub(super) async fn accept_all(
    state: Arc<HttpState>,
    listener: TcpListener,
    stopping: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(state.limits.connections_max));
    let mut spare = os::spare_file();
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(Arc::clone(&state), stream, stopping.clone(), permit));
            }
            Err(error) if is_connection_error(&error) => {
                state.gateway.report(Event::Disconnected(format!("a connection: {error}")));
            }
            Err(error) => {
                // No file descriptor is free. Open connections continue, and the next client gets
                // an error response, for which the spare descriptor is used.
                state.gateway.report(Event::Refused(format!("a connection: {error}")));
                drop(spare.take());
                let accepted = tokio::time::timeout(RETRY_DELAY, listener.accept()).await;
                if let Ok(Ok((stream, _))) = accepted {
                    // If the write fails, the client has disconnected.
                    let _ = stream.try_write(too_many_files_response().as_bytes());
                } else {
                    tokio::time::sleep(RETRY_DELAY).await;
                }
                spare = os::spare_file();
            }
        }
    }
}

/// Returns the response to a client that cannot be served.
fn too_many_files_response() -> String {
    const BODY: &str = "the gateway has too many open files; try again later\n";
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    )
}

/// Returns whether the error concerns only the connection that was being accepted.
fn is_connection_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

async fn serve(
    state: Arc<HttpState>,
    stream: TcpStream,
    stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
) {
    // Each write is a complete message, so Nagle's algorithm would only add latency.
    let _ = stream.set_nodelay(true);
    serve_stream(state, stream, stopping).await;
}

/// Serves the requests that arrive on a stream until it ends, or the gateway stops.
pub(super) async fn serve_stream(
    state: Arc<HttpState>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    mut stopping: watch::Receiver<bool>,
) {
    let timer = ConnectionTimer::new();
    let service = service_fn(|request: Request<Incoming>| {
        let (state, timer) = (Arc::clone(&state), timer.clone());
        let request = request.map(|incoming| RequestBody { incoming, timer });
        async move {
            let is_mcp = route::is_mcp(&request);
            let reply = if is_mcp {
                route::handle(&state, request).await
            } else {
                route::handle_offloadable(state, request).await
            };
            Ok::<_, Infallible>(reply)
        }
    });
    // A request may have 100 headers, which is hyper's default.
    let connection = http1::Builder::new()
        .timer(timer.clone())
        .header_read_timeout(state.limits.head_timeout)
        .max_buf_size(state.limits.head_bytes_max)
        .serve_connection(TokioIo::new(FairStream::new(stream)), service);
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
        state.gateway.report(error_event(&error));
    }
}

/// Returns the event for a connection that ended with an error.
fn error_event(error: &hyper::Error) -> Event {
    let reason = format!("a connection: {}", with_source(error));
    // Invalid HTTP is refused. Clients may disconnect or stay silent at any time.
    if error.is_parse() { Event::Refused(reason) } else { Event::Disconnected(reason) }
}

/// Formats an error and its source.
fn with_source(error: &hyper::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
