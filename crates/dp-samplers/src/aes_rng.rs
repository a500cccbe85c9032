//! A second generator: AES-128 in counter mode.
//!
//! For processors with instructions for AES, on which a word costs a fraction of ChaCha20's; `aes` finds
//! out when the program runs, and elsewhere computes in constant time without them, slowly.
//!
//! The mode is that of NIST SP 800-38A, 6.5: block i of the output is AES_K(V + i mod 2^128), with V
//! and the block in the order of bytes that the standard has. The first half of the seed is K, the
//! second half V. After 2^16 − 2 blocks, which are a mebibyte less 32 bytes, the next two blocks are K and V of
//! what follows, and nothing keeps those before.
//!
//! **What the output is worth.** With one key, blocks never repeat, as those of uniform bytes would: n blocks are
//! told from uniform ones with an advantage of at most n(n − 1)/2^129 (Bellare, Rogaway 2006, "The
//! security of triple encryption and a framework for code-based game-playing proofs", Lemma 1), and with more only
//! by who tells AES from a random permutation. With n ≤ 2^16 to a key that is below n·2^−113 for each key, and,
//! as a key gives all but two of its blocks, below m·2^−112 for m blocks of output: 2^−76 for a
//! tebibyte. The noise is as good as its generator: that much, beside what AES gives away, adds to the δ of a
//! release that draws so many blocks. ChaCha20 has no such term, and its keys have 256 bits instead of 128.

use alloc::boxed::Box;
use core::fmt::{self, Debug, Formatter};
use core::mem;

use aes::Aes128Enc;
use aes::cipher::consts::U16;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use rand_core::{Infallible, TryCryptoRng, TryRng};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing, zeroize_stack};

#[cfg(feature = "os_rng")]
use crate::Error;

/// A generator for noise that protects somebody where there are instructions for AES: AES-128 in counter mode,
/// wiped when dropped. With the feature `aes`; never the default, which is [`NoiseRng`](crate::NoiseRng).
///
/// Any sampler takes it. A [`Seed`](crate::Seed) expands to no stream of it. **A fork copies it**, and both processes would
/// draw the same noise: take a new generator for each release, after any fork.
///
/// **Limit.** No test tells m blocks of 16 bytes, which are 2·m words, from uniform ones with an advantage above
/// m·2^−112, unless AES itself is broken: the key is replaced after each mebibyte. Keys have 128 bits.
///
/// ```
/// use dp_samplers::{AesRng, DiscreteGaussian};
///
/// let mut rng = AesRng::from_os()?;
/// let mut noise = [0_i64; 1000];
/// DiscreteGaussian::new(&"27".parse()?)?.fill(&mut rng, &mut noise)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// On the heap: a move copies an address, and leaves no second key behind.
pub struct AesRng(Box<State>);

/// Bytes of a seed: a key and the first counter.
const SEED: usize = 32;

/// Blocks that a key gives, besides the two that are the next seed.
const BLOCKS: usize = (1 << 16) - 2;

/// Bytes computed at a time for single words: several times what the widest instructions work on at once, since the
/// stack is wiped after each.
const BUFFER: usize = 4096;

/// What setting up a key, or a batch of blocks, may leave on the stack: round keys, and 64 blocks more than once without
/// optimization. With room to spare.
const STACK: usize = 12_288;

/// A block of AES.
type Block = Array<u8, U16>;

impl AesRng {
    /// The generator with these bytes for a seed, which must be uniformly random and secret. They are moved:
    /// the caller's are overwritten with zeros. Never use them twice.
    #[must_use]
    pub fn new(seed: &mut [u8; 32]) -> Self {
        let rng = on_heap(seed);
        seed.zeroize();
        zeroize_stack::<STACK>();
        rng
    }

    /// The generator with a fresh seed from the operating system. With the feature `os_rng`.
    ///
    /// # Errors
    /// [`Error::Entropy`] if the operating system gives no seed.
    #[cfg(feature = "os_rng")]
    pub fn from_os() -> Result<Self, Error> {
        let mut seed = Zeroizing::new([0; SEED]);
        getrandom::SysRng.try_fill_bytes(&mut *seed)?;
        Ok(Self::new(&mut seed))
    }
}

/// Apart from its caller, so that its part of the stack can be wiped.
#[inline(never)]
fn on_heap(seed: &[u8; SEED]) -> AesRng {
    AesRng(Box::new(State {
        keystream: Keystream::new(seed),
        buffer: [0; BUFFER],
        next: BUFFER,
    }))
}

struct State {
    keystream: Keystream,
    /// What was computed and not yet given begins at `next`.
    buffer: [u8; BUFFER],
    next: usize,
}

impl State {
    fn fill(&mut self, out: &mut [u8]) {
        let ready = self.take(out);
        let rest = &mut out[ready..];
        // Whole blocks are computed where they belong.
        let (blocks, rest) = rest.split_at_mut(rest.len() - rest.len() % size_of::<Block>());
        self.keystream.fill(blocks);
        if !rest.is_empty() {
            self.keystream.fill(&mut self.buffer);
            self.next = 0;
            self.take(rest);
        }
    }

    /// Gives of what lies ready as much as there is place for, and says how much.
    fn take(&mut self, out: &mut [u8]) -> usize {
        let ready = &self.buffer[self.next..];
        let length = ready.len().min(out.len());
        out[..length].copy_from_slice(&ready[..length]);
        self.next += length;
        length
    }

    /// The next `N` bytes.
    #[inline]
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        if let Some(bytes) = self.buffer[self.next..].first_chunk() {
            self.next += N;
            return *bytes;
        }
        self.bytes_apart()
    }

    #[inline(never)]
    fn bytes_apart<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

/// The blocks, from seed to seed.
struct Keystream {
    cipher: Aes128Enc,
    counter: u128,
    /// Blocks that the key still gives.
    left: usize,
}

impl Keystream {
    fn new(seed: &[u8; SEED]) -> Self {
        let mut halves = Zeroizing::new([[0; 16]; 2]);
        halves.as_flattened_mut().copy_from_slice(seed);
        let [key, counter] = &*halves;
        Self {
            cipher: Aes128Enc::new(key.into()),
            counter: u128::from_be_bytes(*counter),
            left: BLOCKS,
        }
    }

    /// Fills whole blocks. Wipes the stack that it used.
    fn fill(&mut self, out: &mut [u8]) {
        if !out.is_empty() {
            self.fill_apart(out);
            zeroize_stack::<STACK>();
        }
    }

    /// Apart from its caller, so that its part of the stack can be wiped.
    #[inline(never)]
    fn fill_apart(&mut self, out: &mut [u8]) {
        let mut out = Block::slice_as_chunks_mut(out).0;
        while !out.is_empty() {
            if self.left == 0 {
                self.replace_key();
            }
            let count = self.left.min(out.len());
            let (now, later) = mem::take(&mut out).split_at_mut(count);
            self.encrypt_counters(now);
            self.left -= count;
            out = later;
        }
    }

    fn encrypt_counters(&mut self, blocks: &mut [Block]) {
        for block in &mut *blocks {
            *block = self.counter.to_be_bytes().into();
            self.counter = self.counter.wrapping_add(1);
        }
        self.cipher.encrypt_blocks(blocks);
    }

    #[cold]
    fn replace_key(&mut self) {
        let mut seed = Zeroizing::new([0; SEED]);
        self.encrypt_counters(Block::slice_as_chunks_mut(&mut *seed).0);
        *self = Self::new(&seed);
    }
}

impl Drop for State {
    /// The round keys wipe themselves.
    fn drop(&mut self) {
        self.buffer.zeroize();
        self.keystream.counter.zeroize();
    }
}

impl TryRng for AesRng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.0.bytes()))
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.0.bytes()))
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for AesRng {}

impl ZeroizeOnDrop for AesRng {}

/// With the feature `simulation`: **for tests and simulations only.**
#[cfg(feature = "simulation")]
impl rand_core::SeedableRng for AesRng {
    type Seed = [u8; SEED];

    fn from_seed(mut seed: Self::Seed) -> Self {
        Self::new(&mut seed)
    }
}

impl Debug for AesRng {
    /// Never shows the state.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("AesRng(..)")
    }
}

#[cfg(test)]
mod tests;
