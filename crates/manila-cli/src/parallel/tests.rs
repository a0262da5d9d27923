use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::{BYTES_MAX, Job, OrderedResults, run_in_order};

fn all<R>(mut results: OrderedResults<R>) -> anyhow::Result<Vec<R>> {
    let mut found = Vec::new();
    while let Some(result) = results.next()? {
        found.push(result);
    }
    Ok(found)
}

fn light(what: usize) -> Job<usize> {
    Job { what, n_bytes: 1 }
}

#[test]
fn returns_results_in_the_order_of_the_jobs() {
    // The first jobs take longest.
    let work = |n: usize| (0..(1000 - n) * 5).fold(n, |sum, i| sum ^ std::hint::black_box(i));
    let results = run_in_order((0..1000).map(light), move |n| (n, work(n))).unwrap();
    let found: Vec<usize> = all(results).unwrap().into_iter().map(|(n, _)| n).collect();
    assert_eq!(found, (0..1000).collect::<Vec<_>>());
    assert!(all(run_in_order(std::iter::empty::<Job<()>>(), |()| ()).unwrap()).unwrap().is_empty());
}

#[test]
fn distinguishes_a_panic_from_the_end() {
    let worker = run_in_order((0..100).map(light), |n| assert!(n != 50, "on purpose")).unwrap();
    assert!(all(worker).is_err());
    let maker = (0..100).map(|n| {
        assert!(n != 50, "on purpose");
        light(n)
    });
    assert!(all(run_in_order(maker, |n| n).unwrap()).is_err());
}

#[test]
fn limits_the_bytes_in_flight() {
    let n_made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&n_made);
    let heavy = (0..1000).map(move |what| {
        count.fetch_add(1, Ordering::SeqCst);
        Job { what, n_bytes: BYTES_MAX }
    });
    let mut results = run_in_order(heavy, |n| n).unwrap();
    for n in 0..10 {
        assert_eq!(results.next().unwrap(), Some(n));
        // One was returned, one may be in flight, and one waits for room.
        assert!(n_made.load(Ordering::SeqCst) <= n + 3);
    }
}

/// A pipe may stay silent for hours.
#[test]
fn drops_results_while_the_maker_is_blocked() {
    let (hold, silent) = mpsc::channel::<()>();
    let jobs = (0..).map(light).take(3).chain(std::iter::from_fn(move || {
        let _ = silent.recv();
        None
    }));
    let mut results = run_in_order(jobs, |n| n).unwrap();
    for n in 0..3 {
        assert_eq!(results.next().unwrap(), Some(n));
    }
    while !results.may_wait() {}
    drop(results);
    drop(hold);
}
