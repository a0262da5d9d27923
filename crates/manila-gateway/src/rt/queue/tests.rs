use bytes::Bytes;

use super::{PushError, queue};

#[test]
fn send_waits_for_room_and_push_fails_when_full() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (sender, mut receiver) = queue::<Bytes>(1000);
        sender.send(Bytes::from(vec![0; 5000])).await.unwrap();
        // Items of senders that wait do not make `push` fail.
        sender.push(Bytes::from(vec![1; 1000])).unwrap();
        assert_eq!(sender.push(Bytes::new()), Err(PushError::Full));
        let late = tokio::spawn({
            let sender = sender.clone();
            async move { sender.send(Bytes::from_static(b"late")).await }
        });
        tokio::task::yield_now().await;
        assert!(!late.is_finished());
        assert_eq!(receiver.recv().await.unwrap().len(), 5000);
        tokio::task::yield_now().await;
        assert!(!late.is_finished());
        assert_eq!(receiver.recv().await.unwrap().len(), 1000);
        assert_eq!(late.await.unwrap(), Ok(()));
        assert_eq!(receiver.recv().await.unwrap(), "late");
        sender.push(Bytes::from(vec![0; 5000])).unwrap();
        let waiting = tokio::spawn({
            let sender = sender.clone();
            async move { sender.send(Bytes::new()).await }
        });
        tokio::task::yield_now().await;
        drop(receiver);
        assert_eq!(waiting.await.unwrap(), Err(PushError::Closed));
    });
}
