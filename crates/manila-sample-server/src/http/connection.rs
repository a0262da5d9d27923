//! Connections: their number, and the start and end of each.

use std::future::poll_fn;
use std::io;
use std::net;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::turn::Turn;
use super::{HttpState, exchange};

/// The maximum number of connections. The server closes any further one at once.
pub(super) const CONNECTIONS_MAX: usize = 1024;

/// The maximum size of a request's head.
const HEAD_BYTES_MAX: usize = 32 << 10;

/// The maximum number of headers of a request.
const HEADERS_MAX: usize = 64;

/// The maximum time that a client may take to send the head of a request.
const IDLE_MAX: Duration = Duration::from_secs(315);

/// The maximum time that a stopping server waits for a complete response to be sent.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum time that the server reads further input after the last request of a connection.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Accepts and serves connections until `stopping` is true and all connections have ended.
pub(super) async fn accept(
    listener: net::TcpListener,
    state: &Arc<HttpState>,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = wait_for_stop(&mut stopping) => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) if connections.len() < CONNECTIONS_MAX => {
                connections.spawn(serve(stream, Arc::clone(state), stopping.clone()));
            }
            Ok(_) => {}
            // Most likely, no descriptors are left. Connections that end will free some.
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// Serves all requests of a connection.
async fn serve(stream: TcpStream, state: Arc<HttpState>, mut stopping: watch::Receiver<bool>) {
    // A response is one write, so the client should not wait for more data.
    let _ = stream.set_nodelay(true);
    let turn = Arc::new(Turn::default());
    let service = service_fn(|request| Box::pin(exchange::begin(&state, &turn, request).head()));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_MAX)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .title_case_headers(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    let ended = tokio::select! {
        ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => Some(ended),
        () = wait_for_stop(&mut stopping) => None,
    };
    match ended {
        Some(Err(error)) if !error.is_parse() => {}
        Some(_) => {
            let stream = connection.into_parts().io.into_inner();
            tokio::select! {
                _ = timeout(DRAIN_TIMEOUT, drain(stream)) => {}
                () = wait_for_stop(&mut stopping) => {}
            }
        }
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            // A complete response is sent; any other is truncated.
            if turn.is_over() {
                let _ = timeout(SEND_TIMEOUT, connection).await;
            }
        }
    }
}

/// Waits until the server stops.
async fn wait_for_stop(stopping: &mut watch::Receiver<bool>) {
    // An error means that the sender is dropped, so the server has stopped, too.
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}

/// Reads the rest of the client's input. If the server closed the socket before that, the client
/// could lose the last response.
async fn drain(mut stream: TcpStream) -> io::Result<()> {
    const BYTES_MAX: u64 = 256 << 20;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(BYTES_MAX), &mut tokio::io::sink()).await?;
    Ok(())
}
