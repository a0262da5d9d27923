use std::future::pending;
use std::sync::mpsc;
use std::thread::{self, ThreadId};

use super::*;
use crate::rt::unsettled::Unsettled;

const SHORT: Work = Work::Process(1);
const LONG: Work = Work::Process(usize::MAX);

#[track_caller]
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn here() -> ThreadId {
    thread::current().id()
}

#[test]
fn short_work_stays_on_the_reactor() {
    let reactor = here();
    assert_eq!(block_on(run(SHORT, here)), reactor);
    let future = Offloadable::new(async {
        leave_reactor(SHORT).await;
        here()
    });
    assert_eq!(block_on(future), reactor);
}

#[test]
fn long_work_leaves_the_reactor() {
    let reactor = here();
    assert_ne!(block_on(run(LONG, here)), reactor);
    let places = Offloadable::new(async {
        let start = here();
        leave_reactor(LONG).await;
        let away = here();
        // On the pool, it stays.
        let nested = run(LONG, here).await;
        leave_reactor(LONG).await;
        let still_away = here();
        // It returns when it waits.
        tokio::task::yield_now().await;
        [start, away, nested, still_away, here()]
    });
    let [start, away, nested, still_away, end] = block_on(places);
    assert_eq!((start, end), (reactor, reactor));
    assert_ne!(away, reactor);
    assert_eq!((nested, still_away), (away, away));
}

#[test]
fn a_future_that_cannot_move_continues() {
    let reactor = here();
    let place = block_on(async {
        leave_reactor(LONG).await;
        here()
    });
    assert_eq!(place, reactor);
}

#[test]
fn the_reactor_serves_others_meanwhile() {
    let (release, released) = mpsc::channel();
    let blocked = Offloadable::new(async move {
        leave_reactor(LONG).await;
        released.recv().unwrap();
    });
    block_on(async {
        // On one thread, `blocked` would wait for a message that is never sent.
        tokio::join!(blocked, async { release.send(()).unwrap() });
    });
}

#[test]
fn a_wake_up_while_it_is_away_is_not_lost() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let (is_away, away) = tokio::sync::oneshot::channel();
    let future = Offloadable::new(async move {
        leave_reactor(LONG).await;
        is_away.send(()).unwrap();
        receiver.await.unwrap()
    });
    let got = block_on(async {
        let future = tokio::spawn(future);
        away.await.unwrap();
        sender.send(7).unwrap();
        future.await.unwrap()
    });
    assert_eq!(got, 7);
}

#[test]
fn the_first_poll_includes_the_work_on_the_pool() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let (did_work, work) = mpsc::channel();
    block_on(async {
        let mut future = Offloadable::new(async move {
            leave_reactor(LONG).await;
            did_work.send(()).unwrap();
            receiver.await.unwrap()
        });
        assert_eq!(future.poll_first().await, None);
        work.try_recv().unwrap();
        sender.send(7).unwrap();
        assert_eq!(future.await, 7);
        assert_eq!(Offloadable::ready(8).poll_first().await, Some(8));
    });
}

#[test]
fn a_panic_on_the_pool_reaches_the_task() {
    let result = block_on(async {
        let future = Offloadable::new(async {
            leave_reactor(LONG).await;
            panic!("expected in this test");
        });
        tokio::spawn(future).await
    });
    let panic: Result<(), _> = result;
    assert!(panic.unwrap_err().is_panic());
}

#[test]
fn a_future_dropped_while_it_is_away_ends_there() {
    struct OnDrop(Option<tokio::sync::oneshot::Sender<ThreadId>>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.take().unwrap().send(here()).unwrap();
        }
    }
    let (dropped, is_dropped) = tokio::sync::oneshot::channel();
    let (is_away, away) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let guard = OnDrop(Some(dropped));
    let future = Offloadable::new(async move {
        let _guard = guard;
        leave_reactor(LONG).await;
        is_away.send(()).unwrap();
        // Fails as soon as the other end is dropped.
        released.recv().unwrap_err();
        pending::<()>().await;
    });
    let place = block_on(async {
        let task = tokio::spawn(future);
        away.await.unwrap();
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        drop(release);
        is_dropped.await.unwrap()
    });
    assert_ne!(place, here());
}

#[test]
fn a_response_is_settled_after_the_first_poll_on_the_reactor() {
    let unsettled = Unsettled::default();
    let (begun, reactor) = (unsettled.clone(), here());
    let (sender, receiver) = mpsc::channel();
    let (send_result, sent) = (sender.clone(), sender);
    let (wait, waiting) = mpsc::channel();
    let handling = Offloadable::new(async move {
        leave_reactor_unsettled(LONG, || begun.begin()).await;
        assert_ne!(here(), reactor);
        waiting.recv().unwrap();
        return_to_reactor().await;
        assert_eq!(here(), reactor);
        send_result.send("result").unwrap();
    });
    block_on(async {
        tokio::join!(handling, async {
            let mut settled = std::pin::pin!(unsettled.wait_settled());
            assert!(poll_fn(|cx| Poll::Ready(settled.as_mut().poll(cx))).await.is_pending());
            wait.send(()).unwrap();
            settled.await;
            sent.send("later").unwrap();
        });
    });
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["result", "later"]);
}

/// Work that needs the other lane.
const VERY_LONG: Work = Work::Check(u64::MAX);

/// Occupies all threads of the lane of `work`, until the returned value is dropped.
fn occupy(work: Work) -> (impl Future<Output = ()>, mpsc::Sender<()>) {
    let (release, released) = mpsc::channel::<()>();
    let released = std::sync::Arc::new(std::sync::Mutex::new(released));
    let n_threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let occupying = async move {
        let mut jobs = tokio::task::JoinSet::new();
        for _ in 0..n_threads.saturating_sub(1).max(1) {
            let released = std::sync::Arc::clone(&released);
            jobs.spawn(run(work, move || drop(released.lock().map(|it| it.recv()))));
        }
        jobs.join_all().await;
    };
    (occupying, release)
}

#[test]
fn very_long_work_does_not_delay_long_work() {
    let (occupying, release) = occupy(VERY_LONG);
    block_on(async {
        tokio::join!(occupying, async {
            // The other future runs first.
            tokio::task::yield_now().await;
            assert_ne!(run(LANE_LONG, here).await, here());
            drop(release);
        });
    });
}

/// Work in the lane of `Work::Compile`.
const LANE_LONG: Work = Work::Compile(0);

#[test]
fn a_future_that_waits_for_room_can_be_cancelled_from_within() {
    let (occupying, release) = occupy(LANE_LONG);
    block_on(async {
        tokio::join!(occupying, async {
            tokio::task::yield_now().await;
            let (stop, stopped) = tokio::sync::oneshot::channel();
            let waiting = tokio::spawn(Offloadable::new(async {
                tokio::select! {
                    () = leave_reactor(LANE_LONG) => "left",
                    _ = stopped => "stopped",
                }
            }));
            tokio::task::yield_now().await;
            stop.send(()).unwrap();
            assert_eq!(waiting.await.unwrap(), "stopped");
            drop(release);
        });
    });
}

#[test]
fn two_parts_of_a_future_can_leave_in_the_same_poll() {
    let reactor = here();
    let places = Offloadable::new(async {
        let part = || async {
            leave_reactor(LONG).await;
            here()
        };
        tokio::join!(part(), part())
    });
    let (first, second) = block_on(places);
    assert_ne!(first, reactor);
    assert_eq!(first, second);
}
