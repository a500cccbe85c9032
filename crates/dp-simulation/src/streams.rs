//! Random streams of simulations, all derived from one seed.
//!
//! Every client and every aggregator of every trial draws from a stream of its own: the result does
//! not depend on threads. The key of a stream is the seed, the purpose and the trial; ChaCha's
//! stream number is the party.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The row of a client.
    Population = 1,
    /// A client's randomization.
    Client = 2,
    /// An aggregator's noise.
    Noise = 3,
    /// The aggregators' common key.
    VerifyKey = 4,
    /// Vectors of synthetic data.
    Synthetic = 5,
}

/// The stream of party number `party` in a trial, for one purpose. **For simulations only**: a seed
/// of 64 bits can be guessed.
pub(crate) fn stream(seed: u64, purpose: Purpose, trial: u64, party: u64) -> ChaCha20Rng {
    let mut key = [0; 32];
    let words = [seed, purpose as u64, trial];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let mut rng = ChaCha20Rng::from_seed(key);
    rng.set_stream(party);
    rng
}
