//! The threads of the pool, which run at a lower priority than the reactor.

use std::future::pending;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use manila_process::os;

/// A part of the pool. Work in one does not wait for work in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    Long,
    VeryLong,
}

type Job = Box<dyn FnOnce() + Send>;

/// The threads of a lane, which start when they are first needed.
struct Threads {
    room: Arc<Semaphore>,
    jobs: Sender<Job>,
}

impl Lane {
    /// Waits until a thread is free.
    pub(super) async fn wait_for_room(self) -> OwnedSemaphorePermit {
        match Arc::clone(&self.threads().room).acquire_owned().await {
            Ok(permit) => permit,
            Err(_) => pending().await,
        }
    }

    fn threads(self) -> &'static Threads {
        static LONG: LazyLock<Threads> = LazyLock::new(Threads::start);
        static VERY_LONG: LazyLock<Threads> = LazyLock::new(Threads::start);
        match self {
            Lane::Long => &LONG,
            Lane::VeryLong => &VERY_LONG,
        }
    }
}

impl Threads {
    fn start() -> Threads {
        // One core is left for the reactor.
        let n_cores = thread::available_parallelism().map_or(1, NonZero::get);
        let n_threads = n_cores.saturating_sub(1).max(1);
        let (jobs, waiting) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..n_threads {
            let waiting = Arc::clone(&waiting);
            let builder = thread::Builder::new().name("pool".to_owned());
            // Without any thread, the jobs run on the reactor.
            let _ = builder.spawn(move || do_jobs(&waiting));
        }
        Threads { room: Arc::new(Semaphore::new(n_threads)), jobs }
    }
}

fn do_jobs(waiting: &Mutex<Receiver<Job>>) {
    os::lower_thread_priority();
    loop {
        let Ok(waiting) = waiting.lock() else { return };
        let Ok(job) = waiting.recv() else { return };
        drop(waiting);
        job();
    }
}

/// Runs `work` on a thread of this lane, for which the permit reserves room.
pub(super) async fn run<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    lane: Lane,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, done) = oneshot::channel();
    let runtime = Handle::current();
    let job: Job = Box::new(move || {
        let _entered = runtime.enter();
        let done = catch_unwind(AssertUnwindSafe(work));
        drop(permit);
        // The future that waits for the result may have been dropped.
        let _ = sender.send(done);
    });
    if let Err(mpsc::SendError(job)) = lane.threads().jobs.send(job) {
        job();
    }
    match done.await {
        Ok(Ok(done)) => done,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => pending().await,
    }
}
