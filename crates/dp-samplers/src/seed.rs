//! A short uniform seed, and the keys that are derived from it.
//!
//! Two distributions that drew from one generator state would give correlated noise, so the key of
//! a stream is an HMAC of the sampler's algorithm and its parameters. The message is one to one
//! with them, and HMAC is a pseudorandom function of it (RFC 2104; Bellare 2006): keys of different
//! distributions are as good as independent, and none of them reveals the seed.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt::{self, Debug, Formatter};

use dp_exact::Rational;
#[cfg(feature = "os_rng")]
use getrandom::SysRng;
use hmac::{Hmac, KeyInit, Mac};
#[cfg(feature = "os_rng")]
use rand_core::TryRng;
use sha2::Sha256;
use zeroize::{Zeroize, ZeroizeOnDrop, zeroize_stack};

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
/// laplace.expand(&seed, &mut here)?;
/// laplace.expand(&seed.clone(), &mut there)?;
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

/// The beginning of every HMAC message from which a key is derived.
const CONTEXT: &[u8] = b"dp-samplers noise";

/// Bytes of stack that deriving a key may leave behind, with room to spare.
const STACK: usize = 4096;

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
    /// [`DiscreteLaplace::expand`](crate::DiscreteLaplace::expand) and its like do not.
    #[must_use]
    pub fn rng(&self) -> NoiseRng {
        NoiseRng::with_key(&self.0)
    }

    /// The key of the noise of one distribution, derived from this seed by HMAC.
    pub(crate) fn derive(&self, algorithm: &str, parameters: &str) -> Self {
        let mut derived = Self(Box::new([0; 32]));
        authenticate(&self.0, &[algorithm, parameters], &mut derived.0);
        zeroize_stack::<STACK>();
        derived
    }
}

/// `name=numerator/denominator` of a reduced fraction; the denominator is written even if it is 1.
pub(crate) fn fraction(name: &str, value: &Rational) -> String {
    format!("{name}={}/{}", value.numerator(), value.denominator())
}

/// Writes the HMAC of [`CONTEXT`] and the parts to `code`, each part with its length before it. Not
/// inlined, so that the caller can wipe its stack.
#[inline(never)]
fn authenticate(key: &[u8; 32], parts: &[&str], code: &mut [u8; 32]) {
    // The key is as long as HMAC takes it at most without hashing: it is padded with zeros.
    let mut padded = [0; 64];
    padded[..32].copy_from_slice(key);
    let mut hmac = Hmac::<Sha256>::new(&padded.into());
    padded.zeroize();
    hmac.update(CONTEXT);
    for part in parts {
        hmac.update(&(part.len() as u64).to_le_bytes());
        hmac.update(part.as_bytes());
    }
    let mut output = hmac.finalize().into_bytes();
    code.copy_from_slice(&output);
    output.zeroize();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_another_implementation_of_hmac() {
        // Python's hmac and hashlib.
        for (seed, algorithm, parameters, key) in [
            (
                [9; 32],
                "discrete_laplace/2",
                "scale=20/1",
                "5bb4c241edd066cab2613ffba85a4068caf8a58cb4914c6e90b01f8f5bbb2d12",
            ),
            (
                core::array::from_fn(|place| u8::try_from(place + 1).unwrap()),
                "discrete_gaussian/2",
                "variance=1/4",
                "33b4e1093d4dd1c6d2994d9cc4d769b2967c2b7393549d452778840094a44758",
            ),
        ] {
            let mut seed: [u8; 32] = seed;
            let derived = Seed::new(&mut seed).derive(algorithm, parameters);
            let text: String = derived.0.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(text, key);
        }
    }

    #[test]
    fn what_moves_from_one_part_of_the_message_to_the_next_gives_another_key() {
        let key = |algorithm, parameters| *Seed::new(&mut [9; 32]).derive(algorithm, parameters).0;
        assert_ne!(key("ab", "c"), key("a", "bc"));
        assert_ne!(key("", "abc"), key("abc", ""));
    }
}
