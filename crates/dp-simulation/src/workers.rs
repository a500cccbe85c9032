//! Clients worked off in small chunks by all threads, each with a state of its own.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::ThreadPool;

use crate::Error;

/// Clients that one thread takes at a time.
const CHUNK: u64 = 32;

/// Hands every client of a range to one of the threads, in chunks from the first client on, and returns the states
/// of all: there are never more of them than threads. After an error no further chunk is begun.
///
/// # Errors
/// That of the first chunk in which there is one, whatever the number of threads.
pub(crate) fn in_chunks<S: Send>(
    pool: &ThreadPool,
    clients: Range<u64>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<u64>) -> Result<(), Error> + Sync,
) -> Result<Vec<S>, Error> {
    let next = AtomicU64::new(clients.start);
    let failed = AtomicBool::new(false);
    let results = pool.broadcast(|_| {
        let mut state = state();
        while !failed.load(Ordering::Relaxed) {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= clients.end {
                break;
            }
            let chunk = first..clients.end.min(first.saturating_add(CHUNK));
            if let Err(error) = work(&mut state, chunk) {
                failed.store(true, Ordering::Relaxed);
                return Err((first, error));
            }
        }
        Ok(state)
    });
    let mut states = Vec::with_capacity(results.len());
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(state) => states.push(state),
            Err(failure) => failures.push(failure),
        }
    }
    match failures.into_iter().min_by_key(|(first, _)| *first) {
        Some((_, error)) => Err(error),
        None => Ok(states),
    }
}
