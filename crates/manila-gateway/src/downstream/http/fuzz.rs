//! Connections and event streams without a socket, for the fuzz targets.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;

use super::body::{Body, EventIds, Events};
use super::retention::Retention;
use super::sessions::Sessions;
use super::stream::Stream;
use super::{HttpState, accept};
use crate::config::{Limits, Settings};
use crate::gateway::Gateway;
use crate::protocol::caller::Outbound;

/// Serves one connection of a gateway without servers. The client sends these bytes, half of them
/// with the first packet, and then closes its side. Returns what the gateway sends.
pub async fn serve_connection(sent: &[u8]) -> Vec<u8> {
    const BUFFER_BYTES: usize = 64 * 1024;
    let gateway = Gateway::with_servers(Vec::new(), Settings::default(), Arc::new(|_| {}), |_| {
        Arc::new(|_| {})
    });
    let limits = Limits::default();
    let sessions = Sessions::new(limits.stream_bytes_max);
    let state = Arc::new(HttpState { gateway, sessions, limits });
    let (client, server) = tokio::io::duplex(BUFFER_BYTES);
    let stopping = watch::Sender::new(false);
    let serving = tokio::spawn(accept::serve_stream(state, server, stopping.subscribe()));
    let (mut reader, mut writer) = tokio::io::split(client);
    let (first, rest) = sent.split_at(sent.len() / 2);
    let sending = async {
        for piece in [first, rest] {
            // The gateway may close the connection at any time.
            let _ = writer.write_all(piece).await;
            tokio::task::yield_now().await;
        }
        let _ = writer.shutdown().await;
    };
    let mut received = Vec::new();
    let reading = reader.read_to_end(&mut received);
    let _ = tokio::join!(sending, reading);
    serving.abort();
    received
}

/// Writes messages to a client's stream of events, and returns what the client gets.
pub async fn deliver_events(messages: &[Bytes], has_ids: bool) -> Vec<u8> {
    let stream = Stream::of_request(1, usize::MAX, &Arc::new(Retention::new(usize::MAX)));
    let reader = stream.reader(0);
    for message in messages {
        let _ = stream.put(message.clone());
    }
    stream.finish(None);
    let ids = if has_ids { EventIds::Included } else { EventIds::Omitted };
    let events = Events::new(reader, ids, Limits::default().keep_alive);
    let mut body = Body::Events(Box::new(events));
    let mut sent = Vec::new();
    while let Some(Ok(frame)) = Pin::new(&mut body).frame().await {
        sent.extend(frame.into_data().unwrap_or_default());
    }
    sent
}
