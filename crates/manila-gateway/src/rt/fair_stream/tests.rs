use std::future::poll_fn;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

/// A stream that accepts and supplies everything at once.
#[derive(Default)]
struct Endless {
    written: Vec<u8>,
}

impl AsyncRead for Endless {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let n_bytes = buffer.remaining();
        buffer.put_slice(&vec![b'x'; n_bytes]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Endless {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.written.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        for part in parts {
            self.written.extend_from_slice(part);
        }
        Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Runs a transfer, and returns how often another task ran meanwhile.
fn n_turns_of_others(transfer: impl Future<Output = ()>) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut transfer = pin!(transfer);
        let mut n_turns = 0;
        poll_fn(|cx| {
            n_turns += 1;
            transfer.as_mut().poll(cx)
        })
        .await;
        n_turns - 1
    })
}

#[test]
fn other_tasks_run_during_a_large_transfer() {
    let large = vec![b'x'; 10 * TURN_BYTES];
    let writing = async {
        let mut stream = FairStream::new(Endless::default());
        stream.write_all(&large).await.unwrap();
        assert_eq!(stream.stream.written, large);
    };
    assert_eq!(n_turns_of_others(writing), 9);
    let reading = async {
        let mut stream = FairStream::new(Endless::default());
        let mut read = vec![0; 10 * TURN_BYTES];
        stream.read_exact(&mut read).await.unwrap();
        assert_eq!(read, large);
    };
    assert!(n_turns_of_others(reading) < 10);
}

#[test]
fn small_writes_need_no_turn() {
    let writing = async {
        let mut stream = FairStream::new(Endless::default());
        for _ in 0..TURN_BYTES / 1024 {
            stream.write_all(&[b'x'; 1024]).await.unwrap();
        }
    };
    assert_eq!(n_turns_of_others(writing), 0);
}

#[test]
fn parts_are_written_in_order() {
    for sizes in [
        vec![1, 2, 3],
        vec![0, TURN_BYTES, 5],
        vec![10, 3 * TURN_BYTES, 7],
        vec![0, 0, 2 * TURN_BYTES + 1, 0, 1],
    ] {
        let parts: Vec<Vec<u8>> =
            sizes.iter().zip(b'a'..).map(|(size, byte)| vec![byte; *size]).collect();
        let expected = parts.concat();
        let writing = async {
            let mut stream = FairStream::new(Endless::default());
            let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|it| IoSlice::new(it)).collect();
            let mut left = slices.as_mut_slice();
            while left.iter().any(|part| !part.is_empty()) {
                let n_written = stream.write_vectored(left).await.unwrap();
                assert_ne!(n_written, 0);
                IoSlice::advance_slices(&mut left, n_written);
            }
            assert!(stream.stream.written == expected, "{sizes:?}");
        };
        assert!(n_turns_of_others(writing) <= expected.len() / TURN_BYTES, "{sizes:?}");
    }
}
