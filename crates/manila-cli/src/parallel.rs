//! Runs jobs on all cores and returns their results in order.
//!
//! One thread makes the jobs, one thread per core runs them, and the caller takes the results. The
//! jobs in flight are limited in number and in bytes. The threads are never joined, because one of
//! them may be blocked on a silent pipe.

use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crate::refusal::Refusal;

/// The limit of bytes in flight; a single job may have more.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// An input of the work, and its size.
pub(crate) struct Job<J> {
    pub(crate) what: J,
    pub(crate) n_bytes: u64,
}

/// The results, in the order of the jobs.
pub(crate) struct OrderedResults<R> {
    slots: Receiver<Option<Slot<R>>>,
    /// The next slot, if it was received already.
    ahead: Option<Slot<R>>,
    room: Arc<ByteBudget>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
}

/// The receiver of one result.
struct Slot<R> {
    result: Receiver<R>,
    n_bytes: u64,
}

/// Runs `work` for each job, on all cores.
pub(crate) fn run_in_order<J, R>(
    jobs: impl Iterator<Item = Job<J>> + Send + 'static,
    work: impl Fn(J) -> R + Send + Sync + 'static,
) -> anyhow::Result<OrderedResults<R>>
where
    J: Send + 'static,
    R: Send + 'static,
{
    let n_workers = thread::available_parallelism().map_or(1, NonZero::get);
    let n_waiting = n_workers * 2;
    let (to_caller, slots) = mpsc::sync_channel(n_waiting);
    let (to_workers, from_maker) = mpsc::sync_channel::<(J, SyncSender<R>)>(n_waiting);
    let room = Arc::new(ByteBudget::default());
    let work = Arc::new(work);
    let from_maker = Arc::new(Mutex::new(from_maker));
    for _ in 0..n_workers {
        let (work, from_maker) = (Arc::clone(&work), Arc::clone(&from_maker));
        start("work", move || {
            while let Some((what, result)) = receive_next(&from_maker) {
                // The caller may have dropped the results.
                let _ = result.send(work(what));
            }
        })?;
    }
    let makers_room = Arc::clone(&room);
    start("read", move || make_jobs(jobs, &makers_room, &to_caller, &to_workers))?;
    Ok(OrderedResults { slots, ahead: None, room, state: State::Open })
}

fn start(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        let message = format!("cannot start a thread: {error}");
        Refusal::new(message, "raise the limit of processes (`ulimit -u`), or stop some")
    })
}

fn receive_next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Makes jobs until the caller drops the results.
fn make_jobs<J, R>(
    jobs: impl Iterator<Item = Job<J>>,
    room: &ByteBudget,
    to_caller: &SyncSender<Option<Slot<R>>>,
    to_workers: &SyncSender<(J, SyncSender<R>)>,
) {
    for Job { what, n_bytes } in jobs {
        room.enter(n_bytes);
        let (result, of_worker) = mpsc::sync_channel(1);
        let slot = Slot { result: of_worker, n_bytes };
        if to_caller.send(Some(slot)).is_err() || to_workers.send((what, result)).is_err() {
            return;
        }
    }
    // `None` marks the end; a channel that closes without it means a panic.
    let _ = to_caller.send(None);
}

impl<R> OrderedResults<R> {
    /// Returns the next result, or `None` at the end.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<R>> {
        if self.ahead.is_none() && self.state == State::Open {
            match self.slots.recv() {
                Ok(slot) => self.put(slot),
                Err(_) => return Err(worker_panic().into()),
            }
        }
        let Some(Slot { result, n_bytes }) = self.ahead.take() else { return Ok(None) };
        let result = result.recv().map_err(|_| worker_panic())?;
        self.room.leave(n_bytes);
        Ok(Some(result))
    }

    /// Returns whether the next result may block, because no job is in flight.
    pub(crate) fn may_wait(&mut self) -> bool {
        if self.ahead.is_some() || self.state == State::Ended {
            return false;
        }
        match self.slots.try_recv() {
            Ok(slot) => {
                self.put(slot);
                false
            }
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Disconnected) => false,
        }
    }

    fn put(&mut self, slot: Option<Slot<R>>) {
        if slot.is_none() {
            self.state = State::Ended;
        }
        self.ahead = slot;
    }
}

/// Returns the refusal after a panic, whose message the thread has already printed.
fn worker_panic() -> Refusal {
    let hint = "this is a bug in manila; please report it with the message above";
    Refusal::new("a worker thread panicked", hint)
}

/// The number of bytes in flight.
#[derive(Default)]
struct ByteBudget {
    n_bytes: Mutex<u64>,
    has_changed: Condvar,
}

impl ByteBudget {
    /// Waits until there is room for this many bytes, or nothing else is in flight.
    fn enter(&self, n_bytes: u64) {
        let in_flight = self.n_bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |in_flight: &mut u64| *in_flight > 0 && *in_flight + n_bytes > BYTES_MAX;
        let in_flight = self.has_changed.wait_while(in_flight, is_full);
        *in_flight.unwrap_or_else(PoisonError::into_inner) += n_bytes;
    }

    /// Releases the bytes of a job.
    fn leave(&self, n_bytes: u64) {
        *self.n_bytes.lock().unwrap_or_else(PoisonError::into_inner) -= n_bytes;
        self.has_changed.notify_one();
    }
}

#[cfg(test)]
mod tests;
