//! Clients in small chunks, taken by all threads of a pool.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dp_prio3::Policy;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;
use crate::memory::threads_with_room;

/// How many clients a thread takes at a time.
const CHUNK: u64 = 32;

/// A pool of `threads` threads (0: one for each processor), or of as many as the parties of this
/// policy have memory for.
pub(crate) fn pool(policy: &Policy, threads: usize) -> Result<ThreadPool, Error> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads_with_room(policy, threads)?).build();
    pool.map_err(|error| Error::Threads(error.into()))
}

/// Hands every client to one of the threads, in chunks from the first client on. Returns
/// the states of the threads, at most one each. After an error no further chunk is begun; `Err` is
/// the error of the first chunk that has one, for any number of threads.
pub(crate) fn in_chunks<S: Send>(
    pool: &ThreadPool,
    clients: u64,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<u64>) -> Result<(), Error> + Sync,
) -> Result<Vec<S>, Error> {
    let next = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let mut results = pool.broadcast(|_| {
        let mut state = state();
        while !failed.load(Ordering::Relaxed) {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= clients {
                break;
            }
            let chunk = first..clients.min(first.saturating_add(CHUNK));
            if let Err(error) = work(&mut state, chunk) {
                failed.store(true, Ordering::Relaxed);
                return Err((first, error));
            }
        }
        Ok(state)
    });
    results.sort_by_key(|result| result.as_ref().err().map_or(u64::MAX, |(first, _)| *first));
    results.into_iter().map(|result| result.map_err(|(_, error)| error)).collect()
}
