//! A generator that records what it draws and repeats it.

use std::convert::Infallible;
use std::hint::black_box;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng, TryCryptoRng, TryRng};

/// Words that are recorded as they are drawn, and given again after [`Self::rewind`].
///
/// Every request takes whole 64-bit words, so it is the same words that a sampler gets when it
/// asks in the same order, in whatever portions.
///
/// A processor may take a load for one of the bytes just stored if their addresses agree in the
/// last 12 bits, and lose time. Generators store their state at each draw. So that such a clash
/// with one place of a sampler's tables is not taken for a leak, the state is kept at another
/// place of a page after each [`Self::rewind`].
#[derive(Clone, Debug)]
pub struct Tape {
    source: ChaCha20Rng,
    words: Vec<u64>,
    /// A page, of which one place holds the number of words given.
    page: Box<[usize; PAGE]>,
    place: usize,
}

/// Lanes of 16 bits in a word.
pub(super) const LANES: usize = 4;

/// Numbers in a page of 4096 bytes.
pub(super) const PAGE: usize = 512;

impl Tape {
    /// An empty tape.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            source: ChaCha20Rng::seed_from_u64(seed),
            words: Vec::new(),
            page: Box::new([0; PAGE]),
            place: 0,
        }
    }

    /// How many words are on the tape.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many of the words were given since the last [`Self::rewind`].
    #[must_use]
    pub fn position(&self) -> usize {
        self.page[self.place % PAGE]
    }

    /// Goes back to the first word.
    pub fn rewind(&mut self) {
        // 509 is prime: every place but three is visited, together with every place of the stack.
        self.place = (self.place + 197) % 509;
        self.page[self.place] = 0;
    }

    /// Forgets the words behind the first `length`, and goes to their end.
    pub fn cut(&mut self, length: usize) {
        self.words.truncate(length);
        self.page[self.place % PAGE] = self.words.len();
    }

    /// Goes to a word; those behind it are given again.
    pub(super) fn seek(&mut self, position: usize) {
        self.page[self.place % PAGE] = position;
    }

    /// Draws 16 bits anew: the lanes of word w are 4w to 4w + 3.
    pub(super) fn redraw(&mut self, lane: usize) {
        let mask = 0xffff << (lane % LANES * 16);
        let fresh = self.source.next_u64();
        if let Some(word) = self.words.get_mut(lane / LANES) {
            *word = (*word & !mask) | (fresh & mask);
        }
    }

    /// The lanes of a word, or sets them.
    pub(super) fn at(&mut self, lane: usize) -> Option<&mut u64> {
        self.words.get_mut(lane / LANES)
    }

    /// Brings the next words into the caches.
    pub(super) fn touch(&self, words: usize) {
        let next = self.words.iter().skip(self.position()).take(words);
        black_box(next.fold(0, |sum, word| sum ^ word));
    }

    #[inline]
    fn word(&mut self) -> u64 {
        let next = &mut self.page[self.place % PAGE];
        let word = self.words.get(*next);
        *next += 1;
        match word {
            Some(word) => *word,
            None => self.record(),
        }
    }

    #[cold]
    #[inline(never)]
    fn record(&mut self) -> u64 {
        let word = self.source.next_u64();
        self.words.push(word);
        word
    }
}

impl TryRng for Tape {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        // The upper half.
        Ok(u32::try_from(self.word() >> 32).unwrap_or(0))
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.word())
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let (words, rest) = bytes.as_chunks_mut::<8>();
        for word in words {
            *word = self.word().to_le_bytes();
        }
        if !rest.is_empty() {
            let word = self.word().to_le_bytes();
            rest.copy_from_slice(&word[..rest.len()]);
        }
        Ok(())
    }
}

/// What it yields comes from ChaCha20. Not a generator for noise that protects somebody.
impl TryCryptoRng for Tape {}
