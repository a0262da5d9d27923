//! Work on all cores, with the results in the order of the jobs.
//!
//! One thread makes the jobs, one for each core does them, and the caller takes the results.
//! What is under way is limited in number and in bytes. Nobody waits for the threads: one of
//! them may be reading a pipe in which nothing comes any more.

use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crate::refusal::Refusal;

/// How many bytes may be under way; a single job may have more.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Something to do, and how many bytes it holds.
pub(crate) struct Job<J> {
    pub(crate) what: J,
    pub(crate) n_bytes: u64,
}

/// The results, in the order of the jobs.
pub(crate) struct InOrder<R> {
    slots: Receiver<Option<Slot<R>>>,
    /// The next one, if it was looked for already.
    ahead: Option<Slot<R>>,
    room: Arc<Room>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
}

/// Where one result will be.
struct Slot<R> {
    result: Receiver<R>,
    n_bytes: u64,
}

/// Does the jobs on all cores.
pub(crate) fn in_order<J, R>(
    jobs: impl Iterator<Item = Job<J>> + Send + 'static,
    work: impl Fn(J) -> R + Send + Sync + 'static,
) -> anyhow::Result<InOrder<R>>
where
    J: Send + 'static,
    R: Send + 'static,
{
    let n_workers = thread::available_parallelism().map_or(1, NonZero::get);
    let n_waiting = n_workers * 2;
    let (to_caller, slots) = mpsc::sync_channel(n_waiting);
    let (to_workers, from_maker) = mpsc::sync_channel::<(J, SyncSender<R>)>(n_waiting);
    let room = Arc::new(Room::default());
    let work = Arc::new(work);
    let from_maker = Arc::new(Mutex::new(from_maker));
    for _ in 0..n_workers {
        let (work, from_maker) = (Arc::clone(&work), Arc::clone(&from_maker));
        start("work", move || {
            while let Some((what, result)) = next_of(&from_maker) {
                // Whoever is not there any more needs no result.
                let _ = result.send(work(what));
            }
        })?;
    }
    let makers_room = Arc::clone(&room);
    start("read", move || make(jobs, &makers_room, &to_caller, &to_workers))?;
    Ok(InOrder { slots, ahead: None, room, state: State::Open })
}

fn start(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        let message = format!("cannot start a thread: {error}");
        Refusal::new(message, "raise the limit of processes (`ulimit -u`), or end some")
    })
}

fn next_of<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Makes jobs as long as somebody wants their results.
fn make<J, R>(
    jobs: impl Iterator<Item = Job<J>>,
    room: &Room,
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
    // Who is not told that this is the end knows that something went wrong.
    let _ = to_caller.send(None);
}

impl<R> InOrder<R> {
    /// The next result, or `None` at the end.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<R>> {
        if self.ahead.is_none() && self.state == State::Open {
            match self.slots.recv() {
                Ok(slot) => self.put(slot),
                Err(_) => return Err(broken().into()),
            }
        }
        let Some(Slot { result, n_bytes }) = self.ahead.take() else { return Ok(None) };
        let result = result.recv().map_err(|_| broken())?;
        self.room.leave(n_bytes);
        Ok(Some(result))
    }

    /// Whether the next result may have to be waited for, because nothing is left to do.
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

/// A thread that ended by a panic has told why already.
fn broken() -> Refusal {
    let hint = "this is a fault in manila; please report it with what stands above";
    Refusal::new("a part of the work ended too early", hint)
}

/// How many bytes are under way.
#[derive(Default)]
struct Room {
    n_bytes: Mutex<u64>,
    has_changed: Condvar,
}

impl Room {
    /// Waits until there is room for this many bytes, or nothing else is under way.
    fn enter(&self, n_bytes: u64) {
        let within = self.n_bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |within: &mut u64| *within > 0 && *within + n_bytes > BYTES_MAX;
        let waited = self.has_changed.wait_while(within, is_full);
        *waited.unwrap_or_else(PoisonError::into_inner) += n_bytes;
    }

    fn leave(&self, n_bytes: u64) {
        *self.n_bytes.lock().unwrap_or_else(PoisonError::into_inner) -= n_bytes;
        self.has_changed.notify_one();
    }
}

#[cfg(test)]
mod tests;
