//! Offload: long work leaves the thread that serves all clients.
//!
//! All asynchronous code runs on one thread, the reactor. Work on a large message would make every
//! client wait, so it continues on a small pool of threads. Small messages stay on the reactor,
//! because moving them would take longer than handling them.

use std::cell::Cell;
use std::future::{Future, pending, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};

use tokio::sync::Semaphore;

use super::unsettled::Settling;

/// Work that may take long.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Finding the end of a message and its parts, in bytes.
    Scan(usize),
    /// Redacting, sealing and encoding a message, in bytes.
    Process(usize),
    /// Checking a value against a schema, in steps.
    Check(u64),
    /// Compiling schemas, which may take long however short they are.
    Compile,
}

impl Work {
    /// Returns whether the work belongs on the pool. Below each of these limits it typically takes
    /// less than half a millisecond.
    fn is_long(self) -> bool {
        const SCAN_BYTES_MAX: usize = 512 * 1024;
        const PROCESS_BYTES_MAX: usize = 128 * 1024;
        const CHECK_STEPS_MAX: u64 = 100_000;
        match self {
            Work::Scan(n_bytes) => n_bytes > SCAN_BYTES_MAX,
            Work::Process(n_bytes) => n_bytes > PROCESS_BYTES_MAX,
            Work::Check(n_steps) => n_steps > CHECK_STEPS_MAX,
            Work::Compile => true,
        }
    }
}

/// Does work on the pool if it is long, else immediately.
pub(crate) async fn run<T: Send + 'static>(
    work: Work,
    run: impl FnOnce() -> T + Send + 'static,
) -> T {
    if work.is_long() && PLACE.get() != Place::Pool { run_on_pool(run).await } else { run() }
}

/// Moves the surrounding [`Offloadable`] to the pool before long work, until it waits next.
pub(crate) async fn leave_reactor(work: Work) {
    if work.is_long() {
        move_from(Place::Offloadable, || PLACE.set(Place::Leaving)).await;
    }
}

/// Like [`leave_reactor`], before handling a response that `begin` counts as unsettled until the
/// future is back on the reactor and has run there once.
pub(crate) async fn leave_reactor_unsettled(work: Work, begin: impl FnOnce() -> Settling) {
    if work.is_long() {
        let leave = || {
            PLACE.set(Place::Leaving);
            SETTLING.set(Some(begin()));
        };
        move_from(Place::Offloadable, leave).await;
    }
}

/// Moves the surrounding [`Offloadable`] back to the reactor, where nothing else runs meanwhile.
pub(crate) async fn return_to_reactor() {
    move_from(Place::Pool, || {}).await;
}

/// In this place, calls `move_on` and waits once. Elsewhere, continues.
async fn move_from(place: Place, move_on: impl FnOnce()) {
    let mut move_on = Some(move_on);
    poll_fn(|cx| {
        if PLACE.get() != place {
            return Poll::Ready(());
        }
        let Some(move_on) = move_on.take() else { return Poll::Ready(()) };
        move_on();
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
    /// On the reactor, in an [`Offloadable`] that moves to the pool when this poll ends.
    Leaving,
    Pool,
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::Reactor) };
    /// The response that the future which is leaving has begun to handle.
    static SETTLING: Cell<Option<Settling>> = const { Cell::new(None) };
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
    /// The response that it handles on the pool.
    settling: Option<Settling>,
}

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

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
        Offloadable { state: State::Here(Box::pin(future)), settling: None }
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
        poll_fn(|cx| match &mut self.state {
            State::Away(away) => {
                let returned = ready!(away.as_mut().poll(cx));
                Poll::Ready(self.take_back(returned))
            }
            State::Here(_) | State::Finished => Poll::Ready(None),
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
        if PLACE.get() == Place::Pool {
            return future.as_mut().poll(cx);
        }
        let (polled, place) = run_in(Place::Offloadable, || future.as_mut().poll(cx));
        let settling = SETTLING.take();
        if polled.is_pending()
            && place == Place::Leaving
            && let State::Here(future) = std::mem::replace(&mut self.state, State::Finished)
        {
            self.settling = self.settling.take().or(settling);
            let waker = cx.waker().clone();
            self.state = State::Away(Box::pin(run_on_pool(move || poll_away(future, &waker))));
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
                self.state = State::Finished;
                self.settling = None;
                return Poll::Ready(output);
            }
            if !matches!(self.state, State::Away(_)) {
                self.settling = None;
                return Poll::Pending;
            }
        }
    }
}

/// Runs `work` on a thread of the pool, as soon as one is free.
async fn run_on_pool<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    /// One core is left for the reactor.
    static FREE: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
        let n_cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Arc::new(Semaphore::new(n_cores.saturating_sub(1).max(1)))
    });
    let Ok(permit) = Arc::clone(&FREE).acquire_owned().await else { return pending().await };
    let running = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        run_in(Place::Pool, work).0
    });
    match running.await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime is shutting down, and drops this future, too.
            Err(_) => pending().await,
        },
    }
}

#[cfg(test)]
mod tests;
