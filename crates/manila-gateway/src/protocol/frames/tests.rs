use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use proptest::prelude::*;
use tokio::io::{AsyncRead, ReadBuf};

use super::{Frame, Frames, write_all};
use crate::protocol::outgoing::{Outgoing, Part};
use crate::rt::queue::queue;

#[track_caller]
fn check(input: &str, expected: &[&str]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut frames = Frames::new(input.as_bytes(), 20);
        let mut found = Vec::new();
        while let Some(frame) = frames.next().await.unwrap() {
            found.push(match frame {
                Frame::Line(line) | Frame::Unterminated(line) => {
                    String::from_utf8(line.to_vec()).unwrap()
                }
                Frame::TooLong(scanned) => format!("too long {:?}", scanned.id),
            });
        }
        assert_eq!(found, expected, "{input:?}");
    });
}

/// A source that returns its bytes in pieces.
struct Pieces<'a>(std::slice::Chunks<'a, u8>);

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if let Some(piece) = self.0.next() {
            buffer.put_slice(piece);
        }
        Poll::Ready(Ok(()))
    }
}

proptest! {
    #[test]
    fn lines_do_not_depend_on_the_pieces_they_arrive_in(
        lines in prop::collection::vec("[a-z{}\":,\\\\]{0,30}", 0..8),
        n_piece in 1..40usize,
    ) {
        let input = lines.join("\n");
        let fits = |line: &&str| !line.is_empty();
        let expected: Vec<&str> = lines.iter().map(|it| it.trim()).filter(fits).collect();
        let expected: Vec<Option<&str>> =
            expected.into_iter().map(|it| (it.len() <= 20).then_some(it)).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let found = runtime.block_on(async {
            let pieces = Pieces(input.as_bytes().chunks(n_piece));
            let mut frames = Frames::new(pieces, 20);
            let mut found = Vec::new();
            while let Some(frame) = frames.next().await.unwrap() {
                found.push(match frame {
                    Frame::Line(line) | Frame::Unterminated(line) => {
                        Some(String::from_utf8(line.to_vec()).unwrap())
                    }
                    Frame::TooLong(_) => None,
                });
            }
            found
        });
        let found: Vec<Option<&str>> = found.iter().map(|it| it.as_deref()).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_line_that_is_not_a_message_is_not_stored() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let nonsense = format!("  {}", "x".repeat(3 * 1024 * 1024));
        let input = format!("{nonsense}\n{{}}\n");
        let pieces = Pieces(input.as_bytes().chunks(16 * 1024));
        let mut frames = Frames::new(pieces, 64 * 1024 * 1024);
        assert!(
            matches!(frames.next().await.unwrap(), Some(Frame::TooLong(it)) if it.id.is_none())
        );
        assert!(matches!(frames.next().await.unwrap(), Some(Frame::Line(line)) if line == "{}"));
    });
}

#[test]
fn lines_of_every_kind() {
    check("a\nb\r\n\n  \nc", &["a", "b", "c"]);
    check("", &[]);
    let long = format!(r#"{{"id":3,"t":"{}"}}"#, "x".repeat(100_000));
    check(&format!("a\n{long}\nb\n"), &["a", "too long Some(3)", "b"]);
    check(&long, &["too long Some(3)"]);
    check(r#"{"id":4,"t":"xxxxxxxxxxxxxxxxx"}"#, &["too long Some(4)"]);
}

#[tokio::test]
async fn messages_are_written_as_lines() {
    let large = |part: Part| [Part::Raw("[".into()), part, Part::Raw("]".into())];
    let text = || Bytes::from("\"".repeat(1_000_000));
    let messages: [Outgoing; 5] = [
        Bytes::from("small").into(),
        large(Part::Text(text())).into_iter().collect(),
        Bytes::from("x".repeat(200_000)).into(),
        large(Part::Raw(text())).into_iter().collect(),
        [Part::Raw(text())].into_iter().collect(),
    ];
    let expected: Vec<u8> =
        messages.iter().flat_map(|it| [&*it.clone().into_bytes(), b"\n"].concat()).collect();
    let (sender, receiver) = queue(10_000_000);
    for message in messages {
        sender.push(message).unwrap();
    }
    drop(sender);
    let mut written = Vec::new();
    write_all(&mut written, receiver).await.unwrap();
    assert_eq!(written, expected);
}
