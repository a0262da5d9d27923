//! Each message that reaches a client as an event is the message that was sent, and nothing else.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use manila::request_envelope::Message;
use manila_gateway::fuzz::{deliver_events, parse_events};
use tokio::runtime;

/// The input is whether events have ids, the size of the pieces that arrive, and messages between
/// zero bytes.
fuzz_target!(|input: (bool, u8, &[u8])| {
    let (has_ids, piece_bytes, bytes) = input;
    let messages: Vec<Bytes> = bytes.split(|it| *it == 0).filter_map(frame).collect();
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("it needs no resources");
    let sent = runtime.block_on(deliver_events(&messages, has_ids));
    let received = parse_events(sent.chunks(1 + usize::from(piece_bytes)));
    assert_eq!(received, messages);
});

/// Returns a message as the gateway forwards it.
fn frame(bytes: &[u8]) -> Option<Bytes> {
    let frame = match Message::from_json(bytes.to_vec()).ok()? {
        Message::Request(it) => it.frame,
        Message::Notification(it) => it.frame,
        Message::Response(it) => it.frame,
    };
    Some(frame.to_bytes())
}
