//! Connections: how many there are, and how each begins and ends.

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
use super::{Site, exchange};

/// How many connections are served at once; more are closed as soon as they are there.
pub(super) const CONNECTIONS_MAX: usize = 1024;

/// How long a request may be before its body.
const HEAD_BYTES_MAX: usize = 32 << 10;

/// How many headers a request may have.
const HEADERS_MAX: usize = 64;

/// How long a connection may wait for the head of a request.
const IDLE_MAX: Duration = Duration::from_secs(315);

/// How long the server waits when it stops, for what it has written to be sent.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the server reads what a client sends after its last request.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Accepts and serves connections until `stopping` is true and all responses have been sent.
pub(super) async fn accept(
    listener: net::TcpListener,
    site: &Arc<Site>,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stopping) => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) if connections.len() < CONNECTIONS_MAX => {
                connections.spawn(serve(stream, Arc::clone(site), stopping.clone()));
            }
            Ok(_) => {}
            // Out of descriptors, most likely: the connections that end will free some.
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// Serves all requests of a connection.
async fn serve(stream: TcpStream, site: Arc<Site>, mut stopping: watch::Receiver<bool>) {
    // An answer is one write, and whoever waits for it should not wait for more.
    let _ = stream.set_nodelay(true);
    let turn = Arc::new(Turn::default());
    let service = service_fn(|request| Box::pin(exchange::begin(&site, &turn, request).head()));
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
        () = stopped(&mut stopping) => None,
    };
    match ended {
        Some(Err(error)) if !error.is_parse() => {}
        Some(_) => {
            let stream = connection.into_parts().io.into_inner();
            tokio::select! {
                _ = timeout(DRAIN_TIMEOUT, drain(stream)) => {}
                () = stopped(&mut stopping) => {}
            }
        }
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            // A response that is whole is sent; any other is cut off.
            if turn.is_over() {
                let _ = timeout(SEND_TIMEOUT, connection).await;
            }
        }
    }
}

/// Waits until the server stops.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // Without a sender the server has stopped, too.
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}

/// Reads what the client still sends: a socket that is closed before that takes our last answer
/// away from it.
async fn drain(mut stream: TcpStream) -> io::Result<()> {
    const BYTES_MAX: u64 = 256 << 20;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(BYTES_MAX), &mut tokio::io::sink()).await?;
    Ok(())
}
