use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::{KEPT_BYTES_MAX, Reader, Stream};
use crate::protocol::caller::{Outbound, Undelivered};

/// Returns all events that a reader can read now.
fn read(reader: &mut Reader) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some((number, event))) = reader.poll_next(&mut context) {
        found.push((number, String::from_utf8(event.to_vec()).unwrap()));
    }
    found
}

fn events(texts: &[(u64, &str)]) -> Vec<(u64, String)> {
    texts.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
}

#[test]
fn resumes_an_interrupted_stream() {
    let stream = Arc::new(Stream::new(3, 1_000));
    for text in ["a", "b"] {
        stream.put(Bytes::from(text)).unwrap();
    }
    let mut first = stream.reader(0);
    assert_eq!(read(&mut first), events(&[(1, "a"), (2, "b")]));
    drop(first);
    assert!(!stream.has_reader());
    stream.put(Bytes::from("c")).unwrap();
    stream.finish(Some(Bytes::from("end")));
    let mut second = stream.reader(1);
    assert_eq!(read(&mut second), events(&[(2, "b"), (3, "c"), (4, "end")]));
    assert_eq!(stream.put(Bytes::from("late")), Err(Undelivered));
}

#[test]
fn only_the_newest_reader_gets_events() {
    let stream = Arc::new(Stream::new(0, 1_000));
    let mut old = stream.reader(0);
    let mut new = stream.reader(0);
    stream.put(Bytes::from("a")).unwrap();
    assert_eq!(read(&mut old), []);
    assert_eq!(read(&mut new), events(&[(1, "a")]));
    drop(old);
    assert!(stream.has_reader());
}

#[test]
fn queues_repeated_events_once_without_a_reader() {
    let stream = Arc::new(Stream::new(0, 1_000));
    for text in ["a", "a", "b", "b", "a"] {
        stream.put(Bytes::from(text)).unwrap();
    }
    let mut reader = stream.reader(0);
    assert_eq!(read(&mut reader), events(&[(1, "a"), (2, "b"), (3, "a")]));
    // With a reader, repeated events are delivered.
    stream.put(Bytes::from("a")).unwrap();
    assert_eq!(read(&mut reader), events(&[(4, "a")]));
}

#[test]
fn limits_unread_events_and_drops_read_events() {
    let stream = Arc::new(Stream::new(0, 1_000));
    let n_queued =
        (0..100_u8).take_while(|n| stream.put(Bytes::from(vec![*n; 100])).is_ok()).count();
    assert_eq!(n_queued, 7);
    let mut reader = stream.reader(0);
    assert_eq!(read(&mut reader).len(), 7);
    for _ in 0..3 {
        stream.put(Bytes::from(vec![b'x'; KEPT_BYTES_MAX / 2])).unwrap();
        assert_eq!(read(&mut reader).len(), 1);
    }
    assert!(stream.n_bytes() <= KEPT_BYTES_MAX);
}
