use proptest::prelude::*;

use super::{Event, Events};

fn read(pieces: &[&[u8]]) -> (Vec<String>, Option<String>) {
    read_within(1_000, pieces)
}

/// Reads events with this limit. Parts of an event over the limit are joined behind a `>`.
fn read_within(bytes_max: usize, pieces: &[&[u8]]) -> (Vec<String>, Option<String>) {
    let text = |data: bytes::BytesMut| String::from_utf8(data.to_vec()).unwrap();
    let mut events = Events::new(bytes_max);
    let (mut found, mut parts) = (Vec::new(), String::from(">"));
    for piece in pieces {
        events.feed(piece, |event| match event {
            Event::Message(data) => found.push(text(data)),
            Event::OversizedPart(part) => parts += &text(part),
            Event::OversizedEnd { is_message } => {
                let parts = std::mem::replace(&mut parts, String::from(">"));
                found.push(if is_message { parts } else { "ignored".to_owned() });
            }
        });
    }
    (found, events.last_id)
}

#[test]
fn events_end_with_an_empty_line() {
    let text = b"\xEF\xBB\xBF: hello\nid: 7\nevent: message\ndata: {\"a\":\ndata:1}\n\n\
        data: two\r\n\r\nid: 8\n\ndata\n\ndata: unfinished";
    let (events, id) = read(&[text]);
    assert_eq!(events, ["{\"a\":\n1}", "two", ""]);
    assert_eq!(id.as_deref(), Some("8"));
}

#[test]
fn restart_discards_an_incomplete_event() {
    let mut events = Events::new(20);
    let mut found = Vec::new();
    events.feed(b"id: 1\ndata: a\n\nid: 2\ndata: hal", |_| ());
    assert_eq!(events.last_id.as_deref(), Some("1"));
    events.restart();
    events.feed(b"id: 2\ndata: b\n\n", |event| found.push(event));
    events.feed(&[b'x'; 30], |event| found.push(event));
    events.restart();
    events.feed(b"data: c\n\n", |event| found.push(event));
    assert_eq!(found, [b"b", b"c"].map(|data| Event::Message(data[..].into())));
    assert_eq!(events.last_id.as_deref(), Some("2"));
}

#[test]
fn ignores_events_with_other_names() {
    let text = b"event: ping\ndata: {}\n\nevent: message\ndata: a\n\ndata: b\n\n";
    assert_eq!(read(&[text]).0, ["a", "b"]);
}

#[track_caller]
fn check_oversized(text: &str, expected: &[&str]) {
    for n_piece in [1, 3, text.len()] {
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(n_piece).collect();
        let (found, last_id) = read_within(10, &pieces);
        // The parts of a line need not be separated as in a message.
        let found: Vec<String> = found.iter().map(|it| it.replace(' ', "")).collect();
        assert_eq!(found, expected, "{text:?} in pieces of {n_piece}");
        assert_eq!(last_id.as_deref(), Some("7"), "{text:?}");
    }
}

#[test]
fn events_over_the_limit_are_passed_in_parts() {
    check_oversized("data: 0123456789\nid: 7\n\ndata: a\n\n", &[">0123456789", "a"]);
    check_oversized("id: 7\ndata: 01\ndata: 0123456789\ndata: b\n\n", &[">010123456789b"]);
    check_oversized("data: 0\ndata: 0\ndata: 012\ndata:3\ndata: 45\nid: 7\n\n", &[">0\n0012345"]);
    check_oversized("data: 0123456789\nevent: x\n\nid: 7\ndata: a\n\n", &["ignored", "a"]);
    check_oversized(": 0123456789\ndata: a\nid: 7\n\n", &["a"]);
}

proptest! {
    #[test]
    fn events_do_not_depend_on_the_pieces_they_arrive_in(
        text in "(data: [a-c]{0,3}|id: 1|:x|)(\n|\r\n|\r){1,2}.{0,20}",
        at in 0usize..40,
    ) {
        let bytes = text.as_bytes();
        let at = at.min(bytes.len());
        let whole = read(&[bytes]);
        prop_assert_eq!(read(&[&bytes[..at], &bytes[at..]]), whole);
    }
}
