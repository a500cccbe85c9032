//! A generator whose words or blocks of bytes are changed on the way: it plants faults, and counts.

use std::convert::Infallible;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, TryCryptoRng, TryRng};

use crate::chi_square::rng;

/// ChaCha20 from a seed, with each word passed through one closure and each block through the
/// other.
pub(crate) struct AlteredRng<W, B> {
    rng: ChaCha20Rng,
    word: W,
    bytes: B,
}

impl<W: FnMut(u64) -> u64, B: FnMut(&mut [u8])> AlteredRng<W, B> {
    pub(crate) fn new(seed: u64, word: W, bytes: B) -> Self {
        Self { rng: rng(seed), word, bytes }
    }
}

impl<W: FnMut(u64) -> u64, B: FnMut(&mut [u8])> TryRng for AlteredRng<W, B> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the samplers draw whole words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok((self.word)(self.rng.next_u64()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rng.fill_bytes(bytes);
        (self.bytes)(bytes);
        Ok(())
    }
}

impl<W: FnMut(u64) -> u64, B: FnMut(&mut [u8])> TryCryptoRng for AlteredRng<W, B> {}
