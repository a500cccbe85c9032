//! What parts of a plan may cost, so that the whole is answered in about two seconds of one core.

use std::cell::Cell;

use dp_exact::work;

use crate::Error;

/// What all questions about crowds may cost together where the answer depends on them, in units of work.
pub(crate) const OF_CROWDS: u64 = 1_150_000_000;

/// The same where they are only stated.
pub(crate) const OF_STATED_CROWDS: u64 = 950_000_000;

/// What the promises of all policies that add both noises may cost together.
pub(crate) const OF_POLICIES: u64 = 250_000_000;

/// What that of one of them may cost in one trust model.
pub(crate) const OF_HEDGED: u64 = 120_000_000;

/// What the promise of a crowd of clients with noise of their own may cost.
pub(crate) const OF_CROWD: u64 = 400_000_000;

/// From how many clients on a crowd is large.
pub(crate) const LARGE: u64 = 10_000_000;

/// What the promise of a policy that adds both noises may cost in a large crowd.
pub(crate) const OF_LARGE: u64 = 80_000_000;

/// What a question may cost of what is left; none where that is little.
pub(crate) fn pooled<T>(
    pool: &Cell<u64>,
    question: impl FnOnce() -> Result<T, Error>,
) -> Option<T> {
    let before = work::spent();
    let answer = work::limited(pool.get(), question);
    pool.set(pool.get().saturating_sub(work::spent() - before));
    answer.ok()
}
