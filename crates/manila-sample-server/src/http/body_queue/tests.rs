use std::io;
use std::task::{Context, Poll, Waker};
use std::thread;

use super::{QUEUED_BYTES_MAX, Receiver, Truncated, queue};

/// Returns the available pieces, and then `end`, `cut` or `more`.
fn drain(receiver: &Receiver) -> Vec<String> {
    let cx = Context::from_waker(Waker::noop());
    let mut drained = Vec::new();
    loop {
        let last = match receiver.poll_next(&cx) {
            Poll::Ready(Some(Ok(piece))) => {
                drained.push(String::from_utf8_lossy(&piece).into_owned());
                continue;
            }
            Poll::Ready(Some(Err(Truncated))) => "cut",
            Poll::Ready(None) => "end",
            Poll::Pending => "more",
        };
        drained.push(last.to_owned());
        return drained;
    }
}

#[test]
fn ends_complete_or_truncated() {
    for (finishes, end) in [(true, "end"), (false, "cut")] {
        let (sender, receiver) = queue();
        assert_eq!(drain(&receiver), ["more"]);
        sender.push(b"a".to_vec()).unwrap();
        sender.push(b"b".to_vec()).unwrap();
        if finishes {
            sender.finish();
        } else {
            drop(sender);
        }
        assert_eq!(drain(&receiver), ["a", "b", end]);
    }
}

#[test]
fn writer_waits_for_room_and_fails_without_a_reader() {
    let (sender, receiver) = queue();
    sender.push(vec![b'x'; QUEUED_BYTES_MAX]).unwrap();
    let writing = thread::spawn(move || {
        let waited = sender.push(b"y".to_vec());
        (waited, sender.push(vec![b'x'; QUEUED_BYTES_MAX]), sender.push(b"z".to_vec()))
    });
    let cx = Context::from_waker(Waker::noop());
    // After two pieces, the writer fills the queue again and then has no room.
    let mut n_pieces = 0;
    while n_pieces < 2 {
        n_pieces += usize::from(receiver.poll_next(&cx).is_ready());
    }
    drop(receiver);
    let (waited, _, last) = writing.join().unwrap();
    assert!(waited.is_ok());
    assert_eq!(last.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
