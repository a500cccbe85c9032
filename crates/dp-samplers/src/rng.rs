//! The generator behind the noise, and the short uniform seed that it expands.
//!
//! ChaCha with 20 rounds (Bernstein 2008). The generator of the `chacha20` crate yields the
//! stream of `rand_chacha::ChaCha20Rng` and wipes its state when it is dropped.

use std::fmt::{self, Debug, Formatter};

use rand::rngs::SysRng;
use rand_core::{SeedableRng, TryRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Error;

/// The generator for noise that protects somebody: ChaCha20, wiped when dropped.
///
/// Its stream for a seed is that of `rand_chacha::ChaCha20Rng`.
pub type NoiseRng = chacha20::ChaCha20Rng;

/// A [`NoiseRng`] with a fresh seed from the operating system.
///
/// # Errors
/// [`Error::Entropy`] if the operating system gives no seed.
pub fn os_rng() -> Result<NoiseRng, Error> {
    Ok(Seed::from_os()?.rng())
}

/// 32 uniform bytes that determine a whole stream of noise. Wiped when dropped.
///
/// Whoever knows the seed can compute the noise and remove it: keep it as secret as the data, and
/// never use it twice.
///
/// ```
/// use dp_samplers::Seed;
/// use rand_core::Rng;
///
/// let seed = Seed::from_u64(7); // for tests and simulations only
/// assert_eq!(seed.rng().next_u64(), seed.rng().next_u64());
/// ```
#[derive(Clone)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed with these bytes, which must be uniformly random and secret.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A fresh seed from the operating system.
    ///
    /// # Errors
    /// [`Error::Entropy`] if the operating system gives no random bytes.
    pub fn from_os() -> Result<Self, Error> {
        let mut seed = Self([0; 32]);
        SysRng.try_fill_bytes(&mut seed.0)?;
        Ok(seed)
    }

    /// A seed expanded from a number, **for tests and simulations only**: 64 bits can be guessed.
    ///
    /// The stream is that of `rand_chacha::ChaCha20Rng::seed_from_u64(number)`.
    #[must_use]
    pub fn from_u64(number: u64) -> Self {
        Self(NoiseRng::seed_from_u64(number).get_seed())
    }

    /// The generator that expands this seed, at the beginning of its stream.
    #[must_use]
    pub fn rng(&self) -> NoiseRng {
        NoiseRng::from_seed(self.0)
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ZeroizeOnDrop for Seed {}

impl Debug for Seed {
    /// Never shows the bytes.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seed(..)")
    }
}
