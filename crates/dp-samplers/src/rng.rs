//! The generator behind the noise: ChaCha with 20 rounds (Bernstein 2008), from the `chacha20`
//! crate, which wipes key, counter and keystream when they are dropped. They lie on the heap, so
//! that a move copies an address and leaves no second key behind.

use alloc::boxed::Box;
use core::fmt::{self, Debug, Formatter};

use chacha20::ChaCha20Rng;
use rand_core::{Infallible, SeedableRng, TryCryptoRng, TryRng};
use zeroize::{ZeroizeOnDrop, Zeroizing, zeroize_stack};

/// The generator for noise that protects somebody: ChaCha20, wiped when dropped.
///
/// It comes from [`os_rng`](crate::os_rng), or from the 32 secret bytes of a [`Seed`](crate::Seed),
/// with the stream of `rand_chacha::ChaCha20Rng`. It cannot be copied, and a seed from a number
/// takes the feature `simulation`: an observer of its state can compute all noise that it makes.
///
/// **A fork copies it**: both processes would draw the same noise, which cancels out. Take a new
/// generator for each release, after any fork.
pub struct NoiseRng(Box<ChaCha20Rng>);

/// Bytes of stack that building a generator may leave behind, with room to spare.
const STACK: usize = 2048;

impl NoiseRng {
    /// The generator with this key, at the beginning of its stream.
    pub(crate) fn with_key(key: &[u8; 32]) -> Self {
        let rng = on_heap(key);
        zeroize_stack::<STACK>();
        Self(rng)
    }
}

/// Builds the generator of this key on the heap. Not inlined, so that the caller can wipe its
/// stack.
#[inline(never)]
fn on_heap(key: &[u8; 32]) -> Box<ChaCha20Rng> {
    let key = Zeroizing::new(*key);
    Box::new(ChaCha20Rng::from_seed(*key))
}

impl TryRng for NoiseRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

impl TryCryptoRng for NoiseRng {}

impl ZeroizeOnDrop for NoiseRng {}

impl Debug for NoiseRng {
    /// Never shows the state.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("NoiseRng(..)")
    }
}
