//! Offload: long work leaves the thread that serves all clients.
//!
//! All asynchronous code runs on one thread, the reactor. Work on a large message would make every
//! client wait, so it continues on a small pool of threads. Small messages stay on the reactor,
//! because moving them would take longer than handling them.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use tokio::sync::OwnedSemaphorePermit;

use self::pool::Lane;
use super::unsettled::Settling;

mod pool;

/// Work that may take long.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Finding the end of a message and its parts, in bytes.
    Scan(usize),
    /// Redacting, sealing and encoding a message, in bytes.
    Process(usize),
    /// Checking a value against a schema, in steps.
    Check(u64),
    /// Compiling schemas, in bytes. It may take long however short they are.
    Compile(usize),
}

impl Work {
    /// Returns whether the work belongs on the pool.
    pub(crate) fn is_long(self) -> bool {
        self.lane().is_some()
    }

    /// Returns the lane of the pool for this work; `None` if it belongs on the reactor.
    ///
    /// Below the first limits, work typically takes less than half a millisecond. Work above the
    /// second ones takes so long that other long work should not wait for it.
    fn lane(self) -> Option<Lane> {
        const SCAN_BYTES_MAX: usize = 512 * 1024;
        const PROCESS_BYTES_MAX: usize = 128 * 1024;
        const CHECK_STEPS_MAX: u64 = 100_000;
        const LANE_BYTES_MAX: usize = 4 * 1024 * 1024;
        const LANE_STEPS_MAX: u64 = 5_000_000;
        const LANE_SCHEMA_BYTES_MAX: usize = 32 * 1024;
        let (is_long, is_very_long) = match self {
            Work::Scan(n_bytes) => (n_bytes > SCAN_BYTES_MAX, n_bytes > LANE_BYTES_MAX),
            Work::Process(n_bytes) => (n_bytes > PROCESS_BYTES_MAX, n_bytes > LANE_BYTES_MAX),
            Work::Check(n_steps) => (n_steps > CHECK_STEPS_MAX, n_steps > LANE_STEPS_MAX),
            Work::Compile(n_bytes) => (true, n_bytes > LANE_SCHEMA_BYTES_MAX),
        };
        is_long.then_some(if is_very_long { Lane::VeryLong } else { Lane::Long })
    }
}

/// Does work on the pool if it is long, else immediately.
pub(crate) async fn run<T: Send + 'static>(
    work: Work,
    run: impl FnOnce() -> T + Send + 'static,
) -> T {
    match work.lane() {
        Some(lane) if PLACE.get() != Place::Pool => {
            let permit = lane.wait_for_room().await;
            pool::run(permit, lane, || run_in(Place::Pool, run).0).await
        }
        Some(_) | None => run(),
    }
}

/// Moves the surrounding [`Offloadable`] to the pool before long work, until it waits next.
pub(crate) async fn leave_reactor(work: Work) {
    leave(work, || None).await;
}

/// Like [`leave_reactor`], before handling a response that `begin` counts as unsettled until the
/// future is back on the reactor and has run there once.
pub(crate) async fn leave_reactor_unsettled(work: Work, begin: impl FnOnce() -> Settling) {
    leave(work, || Some(begin())).await;
}

async fn leave(work: Work, begin: impl FnOnce() -> Option<Settling>) {
    let Some(lane) = work.lane() else { return };
    if !PLACE.get().can_leave() {
        return;
    }
    let settling = begin();
    let mut waiting = pin!(lane.wait_for_room());
    let permit = poll_fn(|cx| {
        // Another part of the future may have moved it meanwhile.
        if !PLACE.get().can_leave() {
            return Poll::Ready(None);
        }
        let polled = waiting.as_mut().poll(cx);
        if polled.is_pending() && PLACE.get() == Place::Offloadable {
            PLACE.set(Place::Queued);
        }
        polled.map(Some)
    });
    let Some(permit) = permit.await else { return };
    let mut departure = Some(Departure { permit, lane, settling });
    poll_fn(|cx| {
        // If another part is leaving in the same poll, this one continues there.
        let is_leaving = PLACE.get() == Place::Leaving;
        if !PLACE.get().can_leave() || (departure.is_none() && !is_leaving) {
            return Poll::Ready(());
        }
        if !is_leaving {
            PLACE.set(Place::Leaving);
            DEPARTURE.set(departure.take());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Moves the surrounding [`Offloadable`] back to the reactor, where nothing else runs meanwhile.
pub(crate) async fn return_to_reactor() {
    let mut has_waited = false;
    poll_fn(|cx| {
        if has_waited || PLACE.get() != Place::Pool {
            return Poll::Ready(());
        }
        has_waited = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Where the code of the current thread runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// On the reactor, in a future that cannot be moved.
    Reactor,
    /// On the reactor, in an [`Offloadable`].
    Offloadable,
    /// On the reactor, in an [`Offloadable`] that waits for room on the pool.
    Queued,
    /// On the reactor, in an [`Offloadable`] that moves to the pool when this poll ends.
    Leaving,
    Pool,
}

impl Place {
    fn can_leave(self) -> bool {
        matches!(self, Place::Offloadable | Place::Queued | Place::Leaving)
    }
}

/// What a future needs to leave the reactor.
struct Departure {
    permit: OwnedSemaphorePermit,
    lane: Lane,
    /// The response that it has begun to handle.
    settling: Option<Settling>,
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::Reactor) };
    /// The departure of the future that is leaving.
    static DEPARTURE: Cell<Option<Departure>> = const { Cell::new(None) };
}

/// Runs `work` in this place. Returns the place at its end, too.
fn run_in<T>(place: Place, work: impl FnOnce() -> T) -> (T, Place) {
    /// Restores the previous place even after a panic.
    struct Restore(Place);
    impl Drop for Restore {
        fn drop(&mut self) {
            PLACE.set(self.0);
        }
    }
    let _restore = Restore(PLACE.replace(place));
    let done = work();
    (done, PLACE.get())
}

/// A future that can continue on the pool.
pub(crate) struct Offloadable<T> {
    state: State<T>,
    /// Whether it waits for room on the pool.
    is_queued: bool,
    /// The response that it handles on the pool.
    settling: Option<Settling>,
}

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

enum State<T> {
    Here(BoxFuture<T>),
    Away(BoxFuture<Returned<T>>),
    Finished,
}

/// What comes back from the pool.
enum Returned<T> {
    Finished(T),
    Waiting(BoxFuture<T>),
}

impl<T: Send + 'static> Offloadable<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Offloadable<T> {
        Offloadable::from_box(Box::pin(future))
    }

    /// Like `new`, without another copy of a large future.
    pub(crate) fn from_box(future: BoxFuture<T>) -> Offloadable<T> {
        Offloadable { state: State::Here(future), is_queued: false, settling: None }
    }

    /// Creates a future that has finished with this output.
    pub(crate) fn ready(output: T) -> Offloadable<T> {
        Offloadable::new(std::future::ready(output))
    }

    /// Polls the future once, on the pool if it moves there. Returns the output if it has finished.
    ///
    /// The poll wakes nothing: the future must be polled again by the task that owns it.
    pub(crate) async fn poll_first(&mut self) -> Option<T> {
        let mut noop = Context::from_waker(std::task::Waker::noop());
        let mut first = tokio::task::unconstrained(&mut *self);
        if let Poll::Ready(output) = Pin::new(&mut first).poll(&mut noop) {
            return Some(output);
        }
        poll_fn(|cx| {
            if self.is_queued
                && let Poll::Ready(output) = self.poll_here(cx)
            {
                return Poll::Ready(Some(output));
            }
            match &mut self.state {
                State::Away(away) => {
                    let returned = ready!(away.as_mut().poll(cx));
                    Poll::Ready(self.take_back(returned))
                }
                State::Here(_) if self.is_queued => Poll::Pending,
                State::Here(_) | State::Finished => Poll::Ready(None),
            }
        })
        .await
    }

    /// Returns the output of a future that has finished on the pool, or keeps the future.
    fn take_back(&mut self, returned: Returned<T>) -> Option<T> {
        match returned {
            Returned::Finished(output) => {
                self.state = State::Finished;
                self.settling = None;
                Some(output)
            }
            Returned::Waiting(future) => {
                self.state = State::Here(future);
                None
            }
        }
    }

    /// Polls the future on this thread, and moves it to the pool if it asks for that.
    fn poll_here(&mut self, cx: &mut Context<'_>) -> Poll<T> {
        let State::Here(future) = &mut self.state else { return Poll::Pending };
        let place = if PLACE.get() == Place::Pool { Place::Pool } else { Place::Offloadable };
        let (polled, place) = run_in(place, || future.as_mut().poll(cx));
        if polled.is_ready() {
            self.state = State::Finished;
            self.settling = None;
        }
        let departure = DEPARTURE.take();
        self.is_queued = polled.is_pending() && place == Place::Queued;
        if polled.is_pending()
            && let Some(Departure { permit, lane, settling }) = departure
            && let State::Here(future) = std::mem::replace(&mut self.state, State::Finished)
        {
            self.settling = self.settling.take().or(settling);
            let waker = cx.waker().clone();
            let poll = move || run_in(Place::Pool, || poll_away(future, &waker)).0;
            self.state = State::Away(Box::pin(pool::run(permit, lane, poll)));
        }
        polled
    }
}

/// Polls a future on a thread of the pool, where it is also dropped if it has finished.
fn poll_away<T>(mut future: BoxFuture<T>, waker: &std::task::Waker) -> Returned<T> {
    match future.as_mut().poll(&mut Context::from_waker(waker)) {
        Poll::Ready(output) => Returned::Finished(output),
        Poll::Pending => Returned::Waiting(future),
    }
}

impl<T: Send + 'static> Future for Offloadable<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        loop {
            if let State::Away(away) = &mut self.state {
                let returned = ready!(away.as_mut().poll(cx));
                if let Some(output) = self.take_back(returned) {
                    return Poll::Ready(output);
                }
                // The future may have been woken while it was away, so it is polled again.
            }
            if let Poll::Ready(output) = self.poll_here(cx) {
                return Poll::Ready(output);
            }
            if !matches!(self.state, State::Away(_)) {
                self.settling = None;
                return Poll::Pending;
            }
        }
    }
}

#[cfg(test)]
mod tests;
