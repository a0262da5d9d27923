use proptest::prelude::*;

use super::{Events, TooLarge};

fn read(pieces: &[&[u8]]) -> (Vec<String>, Option<String>) {
    let mut events = Events::new(1_000);
    let mut found = Vec::new();
    for piece in pieces {
        let take = |event: super::Event| found.push(String::from_utf8(event.data).unwrap());
        events.feed(piece, take).unwrap();
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
    events.feed(b"id: 1\ndata: a\n\nid: 2\ndata: hal", |_| ()).unwrap();
    assert_eq!(events.last_id.as_deref(), Some("1"));
    events.restart();
    events.feed(b"id: 2\ndata: b\n\n", |event| found.push(event.data)).unwrap();
    assert_eq!(found, [b"b"]);
    assert!(events.feed(&[b'x'; 30], |_| ()).is_err());
    events.restart();
    assert_eq!(events.feed(b"data: c\n\n", |event| found.push(event.data)), Ok(()));
    assert_eq!(events.last_id.as_deref(), Some("2"));
}

#[test]
fn ignores_events_with_other_names() {
    let text = b"event: ping\ndata: {}\n\nevent: message\ndata: a\n\ndata: b\n\n";
    assert_eq!(read(&[text]).0, ["a", "b"]);
}

#[test]
fn refuses_an_event_over_the_limit() {
    let mut events = Events::new(10);
    assert_eq!(events.feed(b"data: 0123456789", |_| ()), Err(TooLarge));
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
