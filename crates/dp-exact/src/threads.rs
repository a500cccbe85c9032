//! Two parts of an answer at the same time.

/// Two parts of an answer that do not need each other: on two threads where there are threads.
///
/// ```
/// assert_eq!(dp_exact::join(|| 3, || "four"), (3, "four"));
/// ```
#[cfg(all(feature = "std", not(target_family = "wasm")))]
pub fn join<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    use std::thread;

    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, &other) {
        Ok(beside) => {
            let one = one();
            let other = beside.join();
            (one, other.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        }
        // One after the other, where no more threads start.
        Err(_) => (one(), other()),
    })
}

/// Two parts of an answer that do not need each other, one after the other: here are no threads.
#[cfg(any(not(feature = "std"), target_family = "wasm"))]
pub fn join<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    (one(), other())
}
