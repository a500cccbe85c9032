//! The generator from which prio draws the seeds of shares.
//!
//! Prio takes no randomness of its caller's: `shard` draws from the generator that `rand` keeps for each thread. A
//! forked process has a copy of it, and it keeps the last words that it gave. Two processes would give a helper
//! equal shares, and the leader alone could subtract its own.

use rand::rngs::ThreadRng;
use rand_core::Rng as _;

use crate::Error;

/// Draws from the thread's generator with a seed that was never used before, of which nothing is left afterwards.
///
/// # Errors
///
/// [`Error::Sampler`] if the operating system gives no seed.
pub(crate) fn with_fresh_seeds<T>(draw: impl FnOnce() -> T) -> Result<T, Error> {
    let generator = &mut rand::rng();
    reseed(generator)?;
    let drawn = draw();
    reseed(generator)?;
    Ok(drawn)
}

/// Replaces the seed, and the words that were drawn from the one before.
fn reseed(generator: &mut ThreadRng) -> Result<(), Error> {
    generator.reseed().map_err(dp_samplers::Error::from)?;
    generator.next_u32();
    Ok(())
}
