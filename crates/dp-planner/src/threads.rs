//! Two computations at the same time.

/// The results of two independent computations, on two threads where there are threads.
pub(crate) fn join<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    #[cfg(not(target_family = "wasm"))]
    return std::thread::scope(|scope| {
        match std::thread::Builder::new().spawn_scoped(scope, &other) {
            Ok(thread) => {
                let one = one();
                (one, thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            }
            // One after the other, where no more threads start.
            Err(_) => (one(), other()),
        }
    });
    #[cfg(target_family = "wasm")]
    (one(), other())
}
