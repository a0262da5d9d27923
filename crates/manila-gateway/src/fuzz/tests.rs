use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;

use super::{deliver_events, parse_events, serve_connection};

#[track_caller]
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn a_connection_without_a_socket_is_served() {
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let received = block_on(async {
        tokio::time::timeout(Duration::from_secs(60), serve_connection(request)).await.unwrap()
    });
    let received = String::from_utf8(received).unwrap();
    assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
}

proptest! {
    #[test]
    fn events_arrive_as_they_were_sent(
        messages in prop::collection::vec("\\PC{0,40}", 0..6),
        large in prop::option::of(10_000_usize..200_000),
        has_ids: bool,
        piece_bytes in 1_usize..50_000,
    ) {
        let large = large.map(|n_bytes| "x".repeat(n_bytes));
        let messages: Vec<Bytes> = messages.into_iter().chain(large).map(Bytes::from).collect();
        let sent = block_on(deliver_events(&messages, has_ids));
        prop_assert_eq!(parse_events(sent.chunks(piece_bytes)), messages);
    }
}
