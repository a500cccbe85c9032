//! Where samplers take their 64-bit words from.
//!
//! One at a time from the generator, or through a buffer that is filled in blocks. The buffer
//! never draws a word that is not used: it asks for as many as the draws still to come use at
//! least. So both ways consume the same words in the same order, wherever a generator's bytes
//! are those of its words, the least significant first, as ChaCha's are.

use rand_core::Rng;
use zeroize::optimization_barrier;

/// A stream of uniform 64-bit words.
pub(crate) trait Source {
    fn word(&mut self) -> u64;

    /// The next words, in order.
    #[inline]
    fn words<const N: usize>(&mut self) -> [u64; N]
    where
        Self: Sized,
    {
        core::array::from_fn(|_| self.word())
    }
}

/// Straight from a generator.
pub(crate) struct Direct<'a, R: ?Sized>(pub(crate) &'a mut R);

impl<R: Rng + ?Sized> Source for Direct<'_, R> {
    #[inline]
    fn word(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Bytes in a word.
const WORD: usize = 8;

/// Bytes in a block: a multiple of what generators produce at once, small beside the caches.
const BLOCK: usize = 256 * WORD;

/// From a generator in blocks. What was drawn of the block is wiped when dropped.
pub(crate) struct Words<'a, R: ?Sized> {
    rng: &'a mut R,
    block: [u8; BLOCK],
    /// Bytes already used, and bytes drawn.
    next: usize,
    end: usize,
    /// The most bytes that were drawn at a time.
    most: usize,
    /// Words that are still to be drawn at least.
    owed: usize,
}

impl<'a, R: Rng + ?Sized> Words<'a, R> {
    /// A source for draws that use at least `owed` words together.
    pub(crate) fn new(rng: &'a mut R, owed: usize) -> Self {
        Self {
            rng,
            block: [0; BLOCK],
            next: 0,
            end: 0,
            most: 0,
            owed,
        }
    }

    #[inline(never)]
    fn refill(&mut self) {
        let words = self.owed.clamp(1, BLOCK / WORD);
        self.owed = self.owed.saturating_sub(words);
        self.end = words * WORD;
        self.most = self.most.max(self.end);
        self.next = 0;
        if let Some(drawn) = self.block.get_mut(..self.end) {
            self.rng.fill_bytes(drawn);
        }
    }

    /// The words that lie ready, at least one.
    #[inline]
    pub(crate) fn ready(&mut self) -> &[[u8; WORD]] {
        if self.next == self.end {
            self.refill();
        }
        self.block
            .get(self.next..self.end)
            .map_or(&[], |bytes| bytes.as_chunks().0)
    }

    /// Marks words that lay ready as used.
    #[inline]
    pub(crate) fn used(&mut self, words: usize) {
        self.next = self.end.min(self.next + words * WORD);
    }
}

impl<R: Rng + ?Sized> Source for Words<'_, R> {
    #[inline]
    fn word(&mut self) -> u64 {
        if self.next == self.end {
            self.refill();
        }
        let start = self.next.min(BLOCK - WORD);
        self.next += WORD;
        let mut word = [0; WORD];
        word.copy_from_slice(&self.block[start..start + WORD]);
        u64::from_le_bytes(word)
    }

    #[inline]
    fn words<const N: usize>(&mut self) -> [u64; N] {
        let ready = self.block.get(self.next..self.end);
        let Some(bytes) = ready.and_then(|bytes| bytes.as_chunks().0.first_chunk::<N>()) else {
            return core::array::from_fn(|_| self.word());
        };
        let words = bytes.map(u64::from_le_bytes);
        self.next += N * WORD;
        words
    }
}

impl<R: ?Sized> Drop for Words<'_, R> {
    fn drop(&mut self) {
        let drawn = self.most.min(BLOCK);
        self.block[..drawn].fill(0);
        optimization_barrier(&self.block);
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn a_buffer_yields_the_words_of_the_generator_and_takes_no_more() {
        for owed in [0, 1, 255, 256, 257, 1000] {
            let (mut one, mut other) =
                (ChaCha20Rng::seed_from_u64(1), ChaCha20Rng::seed_from_u64(1));
            let mut words = Words::new(&mut one, owed);
            // A few more than announced, as a cold path would.
            for step in 0..owed + 3 {
                if step % 7 == 0 {
                    let expected: [u64; 3] = core::array::from_fn(|_| other.next_u64());
                    assert_eq!(words.words(), expected);
                } else {
                    assert_eq!(words.word(), other.next_u64());
                }
            }
            drop(words);
            assert_eq!(one.next_u64(), other.next_u64());
        }
    }

    #[test]
    fn words_that_lie_ready_are_those_that_come_next() {
        let (mut one, mut other) = (ChaCha20Rng::seed_from_u64(2), ChaCha20Rng::seed_from_u64(2));
        let mut words = Words::new(&mut one, 600);
        let mut seen = 0;
        while seen < 600 {
            let ready: Vec<u64> = words
                .ready()
                .iter()
                .map(|&b| u64::from_le_bytes(b))
                .collect();
            assert!(!ready.is_empty());
            let part = ready.len().min(100);
            assert!(ready[..part].iter().all(|&word| word == other.next_u64()));
            words.used(part);
            seen += part;
        }
    }
}
