//! A short uniform seed of a generator.

use alloc::boxed::Box;
use core::fmt::{self, Debug, Formatter};

#[cfg(feature = "os_rng")]
use getrandom::SysRng;
#[cfg(feature = "os_rng")]
use rand_core::TryRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

#[cfg(feature = "os_rng")]
use crate::Error;
use crate::NoiseRng;

/// 32 uniform bytes that determine a whole stream of noise. Wiped when dropped.
///
/// An adversary who knows the seed can compute the noise and remove it: keep it as secret as the
/// data, and never use it twice. A fork copies it: use it in one of the two processes alone, or
/// take a new seed after the fork.
///
/// ```
/// use dp_samplers::{DiscreteLaplace, Seed};
///
/// let laplace = DiscreteLaplace::new(&"20".parse()?)?;
/// let seed = Seed::from_os()?;
/// let (mut here, mut there) = ([0i64; 100], [0i64; 100]);
/// laplace.fill(&mut seed.rng(), &mut here)?;
/// laplace.fill(&mut seed.clone().rng(), &mut there)?;
/// assert_eq!(here, there);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// On the heap: a move copies an address, and leaves no second seed behind.
#[derive(Clone)]
pub struct Seed(pub(crate) Box<[u8; 32]>);

/// A [`NoiseRng`] with a fresh seed from the operating system. With the feature `os_rng`. Take one
/// for each release: a generator that is held across a fork draws the same noise in both processes.
///
/// # Errors
/// [`Error::Entropy`] if the operating system gives no seed.
#[cfg(feature = "os_rng")]
pub fn os_rng() -> Result<NoiseRng, Error> {
    Ok(Seed::from_os()?.rng())
}

impl Seed {
    /// The seed with these bytes, which must be uniformly random and secret. They are moved: the
    /// caller's are overwritten with zeros.
    #[must_use]
    pub fn new(bytes: &mut [u8; 32]) -> Self {
        let mut seed = Self(Box::new([0; 32]));
        seed.0.copy_from_slice(bytes);
        bytes.zeroize();
        seed
    }

    /// A fresh seed from the operating system. With the feature `os_rng`.
    ///
    /// # Errors
    /// [`Error::Entropy`] if the operating system gives no random bytes.
    #[cfg(feature = "os_rng")]
    pub fn from_os() -> Result<Self, Error> {
        let mut seed = Self(Box::new([0; 32]));
        SysRng.try_fill_bytes(&mut *seed.0)?;
        Ok(seed)
    }

    /// A seed expanded from a number, **for tests and simulations only**: 64 bits can be guessed.
    /// With the feature `simulation`.
    ///
    /// [`Self::rng`] has the stream of `rand_chacha::ChaCha20Rng::seed_from_u64(number)`.
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn from_u64(number: u64) -> Self {
        let rng = <chacha20::ChaCha20Rng as rand_core::SeedableRng>::seed_from_u64(number);
        Self(Box::new(rng.get_seed()))
    }

    /// The generator whose key this seed is, at the beginning of its stream.
    ///
    /// Two distributions that draw from two such generators of one seed make correlated noise.
    #[must_use]
    pub fn rng(&self) -> NoiseRng {
        NoiseRng::with_key(&self.0)
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
