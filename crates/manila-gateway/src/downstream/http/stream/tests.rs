use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::{KEPT_BYTES_MAX, Reader, Stream};
use crate::downstream::http::retention::Retention;
use crate::protocol::caller::{Outbound, Undelivered};

/// Returns all events that a reader can read now.
fn read(reader: &mut Reader) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some((number, event))) = reader.poll_next(&mut context) {
        found.push((number, String::from_utf8(event.into_bytes().to_vec()).unwrap()));
    }
    found
}

/// Creates a stream of a request, which can be resumed.
fn stream(number: u64) -> Arc<Stream> {
    Stream::of_request(number, 1_000, &Arc::new(Retention::new(usize::MAX)))
}

fn events(texts: &[(u64, &str)]) -> Vec<(u64, String)> {
    texts.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
}

#[test]
fn resumes_an_interrupted_stream() {
    let stream = stream(3);
    for text in ["a", "b"] {
        stream.put(Bytes::from(text)).unwrap();
    }
    let mut first = stream.reader(0);
    assert_eq!(read(&mut first), events(&[(1, "a"), (2, "b")]));
    drop(first);
    assert!(!stream.has_reader());
    stream.put(Bytes::from("c")).unwrap();
    stream.finish(Some(Bytes::from("end").into()));
    let mut second = stream.gapless_reader(1).unwrap();
    assert_eq!(read(&mut second), events(&[(2, "b"), (3, "c"), (4, "end")]));
    assert_eq!(stream.put(Bytes::from("late")), Err(Undelivered));
}

#[test]
fn only_the_newest_reader_gets_events() {
    let stream = stream(1);
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
    let stream = stream(1);
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
    let stream = stream(1);
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

#[test]
fn a_stream_is_resumed_without_gaps_or_not_at_all() {
    let stream = stream(1);
    let mut reader = stream.reader(0);
    for _ in 0..3 {
        stream.put(Bytes::from(vec![b'x'; KEPT_BYTES_MAX / 2])).unwrap();
        assert_eq!(read(&mut reader).len(), 1);
    }
    // The first two events are no longer kept.
    assert!(stream.gapless_reader(1).is_none());
    assert_eq!(read(&mut stream.gapless_reader(2).unwrap()).len(), 1);
}

#[test]
fn the_newest_event_can_be_resumed_however_large_it_is() {
    let stream = stream(1);
    let mut reader = stream.reader(0);
    stream.put(Bytes::from("small")).unwrap();
    assert_eq!(read(&mut reader).len(), 1);
    stream.finish(Some(Bytes::from(vec![b'x'; 3 * KEPT_BYTES_MAX]).into()));
    assert_eq!(read(&mut reader).len(), 1);
    drop(reader);
    // The client got a part of the last event only.
    assert_eq!(read(&mut stream.gapless_reader(1).unwrap()).len(), 1);
}

#[test]
fn drops_the_oldest_kept_bytes_of_all_streams() {
    let retention = Arc::new(Retention::new(1_100));
    let streams = [1, 2, 3].map(|number| Stream::of_request(number, 10_000, &retention));
    for stream in &streams {
        let mut reader = stream.reader(0);
        stream.put(Bytes::from("first")).unwrap();
        assert_eq!(read(&mut reader).len(), 1);
        drop(reader);
        stream.finish(Some(Bytes::from(vec![b'x'; 400]).into()));
    }
    assert!(streams[0].is_lost() && streams[0].gapless_reader(1).is_none());
    assert_eq!(read(&mut streams[2].gapless_reader(1).unwrap()).len(), 1);
    // A client that has read everything can still resume.
    let mut second = streams[1].gapless_reader(1).unwrap();
    assert_eq!(read(&mut second).len(), 1);
    drop(second);
    streams[1].drop_kept();
    assert!(streams[1].gapless_reader(1).is_none());
    assert_eq!(read(&mut streams[1].gapless_reader(2).unwrap()), []);
    assert!(retention.n_bytes() > 0);
    drop(streams);
    assert_eq!(retention.n_bytes(), 0);
}

#[test]
fn what_a_connected_client_has_not_read_is_not_dropped() {
    let retention = Arc::new(Retention::new(0));
    let stream = Stream::of_request(1, 10_000, &retention);
    stream.put(Bytes::from("a")).unwrap();
    let mut reader = stream.reader(0);
    stream.put(Bytes::from("b")).unwrap();
    assert_eq!(read(&mut reader), events(&[(1, "a"), (2, "b")]));
    assert_eq!(stream.n_bytes(), 0);
    drop(reader);
    assert_eq!(read(&mut stream.gapless_reader(2).unwrap()), []);
}

#[test]
fn keeps_nothing_for_a_client_that_cannot_resume() {
    let retention = Arc::new(Retention::new(1_000));
    let unannounced = Stream::of_request(1, 1_000, &retention);
    drop(unannounced.reader(0));
    let once = Stream::once(1_000);
    drop(once.reader(0));
    let abandoned = Stream::of_request(2, 1_000, &retention);
    abandoned.abandon();
    for stream in [unannounced, once, abandoned] {
        assert!(stream.is_lost());
        assert_eq!(stream.put(Bytes::from("a")), Err(Undelivered));
        stream.finish(Some(Bytes::from("end").into()));
        assert!(stream.is_finished() && stream.n_bytes() == 0);
    }
}

#[test]
fn evicts_many_streams_at_once() {
    let retention = Arc::new(Retention::new(1_000_000));
    let small: Vec<_> = (0..10_000).map(|_| Stream::standalone(1_000, &retention)).collect();
    for stream in &small {
        stream.put(Bytes::from("a")).unwrap();
    }
    let large = Stream::standalone(1_000_000, &retention);
    large.put(Bytes::from(vec![b'x'; 990_000])).unwrap();
    assert!(small.iter().filter(|stream| stream.n_bytes() > 0).count() < 200);
    assert_eq!(large.n_bytes(), 990_064);
    // A stream without a request continues after the gap.
    let mut reader = small[0].reader(0);
    small[0].put(Bytes::from("b")).unwrap();
    assert_eq!(read(&mut reader), events(&[(2, "b")]));
}
