//! The one primitive: every threshold of a law is compared with every random word.
//!
//! No address depends on a secret. A slice is drawn in blocks of 256 by words of 16 bits, with a second pass of fixed
//! size; a single draw by a word of 64 bits ([`row`]).
//!
//! # Exactness
//! A word of 16 bits is a magnitude of w = 15 bits and a sign for a law that is symmetric about 0, and a number of
//! w = 16 bits for any other. The *first pass* counts the thresholds that the number exceeds: with m(0), m(1), … whole
//! words for the outcomes in order, the thresholds are their cumulative sums, and the count is the position of the
//! outcome, or the number of thresholds if the word is undecided. A draw that got nothing comes from the *second
//! pass*, which draws from the remainder by a word of 64 bits of its own. The words are independent, so that the law of
//! a draw is p, exactly ([`law`](crate::law)), and draws are independent of each other.
//!
//! # Timing
//! For each block the second pass draws K remainders, needed or not. The undecided draws are numbered, and for every
//! draw every remainder is put in its place under a mask. So words, arithmetic and addresses are the same whatever
//! comes out. Only if more than K draws of a block are undecided, or a remainder that is needed is itself undecided,
//! the block takes the *exceptional path*. With U of the 2^w words undecided, the former has a probability of at most
//! C(256, K + 1)·(U/2^w)^(K + 1), the expected number of sets of K + 1 undecided draws; K is the least multiple of 4
//! for which this is at most 2^−50. A remainder is undecided with probability 2^b/2^64.

pub(crate) mod lanes;
mod row;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::zip;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rand_core::Rng;
use zeroize::{optimization_barrier, zeroize_stack};

use self::lanes::{LANES, magnitudes, number, place, value, whole_rows};
use self::row::Row;
use crate::law::{Law, Remainder, Shares};
use crate::masks::{less, tell};
use crate::{Error, FromDraw, Pass, bulk};

/// The most thresholds of 16 bits.
pub(crate) const MAX_THRESHOLDS: usize = 256;

/// Thresholds that are compared with a word at a time.
const AT_A_TIME: usize = 8;

/// The most remainders that are drawn for a block.
const MAX_SPARE: usize = 64;

/// Fewer draws than this are made one by one.
const SHORT: usize = 16;

/// What a second pass yields for a word that does not decide.
const UNDECIDED: i16 = i16::MIN;

/// The least multiple of 4, at most `most`, such that more of 256 draws of which each is undecided with probability
/// undecided/2^bits occur with a probability of at most 2^−50; and that probability in units of 2^−64, rounded up.
pub(crate) fn enough(undecided: u64, bits: u32, most: usize) -> Option<(usize, u64)> {
    (4..=most).step_by(4).find_map(|count| {
        let mut sets = BigUint::from(1_u8);
        for taken in 0..=count {
            sets = sets * (LANES - taken) / (taken + 1);
        }
        let power = u32::try_from(count + 1).ok()?;
        let of = (sets * BigUint::from(undecided).pow(power)) << 64_u32;
        let overflow = (of >> (bits * power)).to_u64()? + 1;
        (overflow <= 1 << 14).then_some((count, overflow))
    })
}

/// An engine for laws of few likely outcomes.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    /// The last word of each outcome, as a signed number of 16 bits, and some that no word exceeds.
    first: Box<[i16]>,
    /// The number of positions: that of the undecided words.
    full: i16,
    /// w, and U.
    word_bits: u32,
    rest: u64,
    second: Row,
    /// Single draws.
    one: Row,
    /// All ones if a word of 16 bits begins, and a word of 64 bits ends, with a sign, else 0.
    signed: i16,
    /// The outcome at position 0.
    origin: i64,
    /// K, and of 2^64 blocks, so many have more undecided draws, at most.
    spare: usize,
    overflow: u64,
}

impl Scan {
    /// The engine for a law of magnitudes, to each of which a fair sign is drawn; `None` if it has too many
    /// thresholds.
    pub(crate) fn symmetric(law: impl Law + 'static) -> Option<Self> {
        Self::with_sign(Arc::new(law), 1)
    }

    /// The engine for any law; `None` if it has too many thresholds.
    pub(crate) fn new(law: impl Law + 'static) -> Option<Self> {
        Self::with_sign(Arc::new(law), 0)
    }

    pub(crate) fn with_sign(law: Arc<dyn Law>, sign_bits: u32) -> Option<Self> {
        let whole = Shares::all(&law.lower_bounds(32)?, 16 - sign_bits)?;
        if whole.masses.is_empty() || (sign_bits == 1 && whole.first != 0) {
            return None;
        }
        let (spare, overflow) = enough(whole.undecided, whole.word_bits, MAX_SPARE)?;
        let origin = whole.first;
        let remainder = Remainder { law: Arc::clone(&law), shares: whole.clone() };
        Some(Self {
            first: thresholds(&whole)?,
            full: i16::try_from(whole.masses.len()).ok()?,
            word_bits: whole.word_bits,
            rest: whole.undecided,
            second: Row::new(Arc::new(remainder), 64, origin)?,
            one: Row::new(law, 64 - sign_bits, origin)?,
            signed: -i16::try_from(sign_bits).ok()?,
            origin,
            spare,
            overflow,
        })
    }

    /// The size of the thresholds in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.first) + self.second.bytes() + self.one.bytes()
    }

    /// How many of 2^64 single draws, and of blocks, take the exceptional path, at most.
    pub(crate) fn undecided(&self) -> u64 {
        // Of the K remainders those that are needed count: U/2^w·256 are expected.
        let needed = (self.rest * LANES as u64).div_ceil(1 << self.word_bits);
        let blocks = self.overflow + self.second.undecided() * needed;
        let sign_bits = u32::from(self.signed != 0);
        blocks.max(self.one.undecided() << sign_bits)
    }

    /// An upper bound, in units of 2^−64, of the probability of all outcomes outside of `inside`.
    pub(crate) fn beyond(&self, inside: impl Fn(i64) -> bool) -> u64 {
        let Some(law) = self.one.law.lower_bounds(100) else {
            return u64::MAX;
        };
        let within = zip(law.first.., &law.bounds).filter(|(outcome, _)| inside(*outcome));
        let within: BigUint = within.map(|(_, bound)| BigUint::from(*bound)).sum();
        let left = (BigUint::from(1_u8) << 128_u32) - within;
        (left >> 64_u32).to_u64().map_or(u64::MAX, |units| units + 1)
    }

    /// Both passes, counted in the thresholds.
    pub(crate) fn passes(&self) -> Vec<Pass> {
        let least = if self.word_bits < 16 { 0 } else { i16::MIN };
        let starts =
            core::iter::once(i64::from(least) - 1).chain(self.first.iter().copied().map(i64::from));
        let masses =
            zip(&self.first, starts).map(|(end, start)| (i64::from(*end) - start).unsigned_abs());
        let first = zip(self.origin.., masses.take(usize::from(self.full.unsigned_abs())));
        let second = self.second.shares();
        let pass = |word_bits, words| Pass { word_bits, words };
        vec![
            pass(self.word_bits, first.filter(|cell| cell.1 > 0).collect()),
            pass(64, zip(second.first.., second.masses).filter(|cell| cell.1 > 0).collect()),
        ]
    }

    /// A draw by a word of 64 bits.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        let word = rng.next_u64();
        let signed = i64::from(self.signed);
        let negative = (word & 1).cast_signed().wrapping_neg() & signed;
        let (mut outcome, undecided) = self.one.look_up(word >> (signed & 1));
        if tell(undecided) {
            outcome = self.one.draw_remainder(rng);
        }
        (outcome ^ negative).wrapping_sub(negative)
    }

    /// Fills with draws in blocks, the last ones one by one if they are few. Wipes what it used.
    pub(crate) fn fill<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        let rest = out.len() % LANES;
        let blocks = if rest < SHORT { out.len() - rest } else { out.len() };
        let mut unfit = None;
        if blocks > 0 {
            // Here, so that what is called has its part of the stack below, where it is wiped.
            let block = &mut Block::default();
            unfit = self.fill_blocks(rng, block, &mut out[..blocks]);
            zeroize_stack::<{ bulk::STACK }>();
        }
        if blocks < out.len() && unfit.is_none() {
            let end = bulk::one_by_one(&mut out[blocks..], || T::from_i64(self.draw(rng)));
            unfit = end.map(|position| blocks + position);
            zeroize_stack::<{ bulk::STACK_OF_FEW }>();
        }
        bulk::complete::<T>(unfit)
    }

    /// The position of a draw that does not fit. Apart from its caller, so that its part of the stack can be wiped.
    #[inline(never)]
    fn fill_blocks<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        block: &mut Block,
        out: &mut [T],
    ) -> Option<usize> {
        out.chunks_mut(LANES).enumerate().find_map(|(at, out)| {
            let unfit = self.fill_block(rng, block, out);
            unfit.map(|place| at * LANES + place)
        })
    }

    /// At most [`LANES`] draws.
    #[inline]
    fn fill_block<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        block: &mut Block,
        out: &mut [T],
    ) -> Option<usize> {
        let lanes = whole_rows(out.len());
        let words = out.len().div_ceil(4);
        let count = self.spare.min(MAX_SPARE);
        let bytes = &mut block.bytes[..8 * (words + count)];
        rng.fill_bytes(bytes);
        let (drawn, more) = bytes.split_at(8 * words);

        // The second pass first: its results have to lie ready.
        for (word, bytes) in zip(&mut block.spare_words, more.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let remainders = &mut block.spare[..count];
        self.second.positions(&block.spare_words[..count], remainders);

        let drawn = drawn.as_chunks().0;
        let (words, positions) = (&mut block.words[..lanes], &mut block.positions[..lanes]);
        magnitudes(drawn, self.signed, words);
        self.positions(words, positions);
        // Lanes beyond the draws are not undecided: nothing is to be put there.
        positions[out.len()..].fill(0);
        let ranks = &mut block.ranks[..lanes];
        let undecided = u64::from(number(positions, self.full, ranks).unsigned_abs());
        place(remainders, ranks, positions);

        let needed = zip(&*remainders, 0..).fold(0, |any, (&position, rank)| {
            any | (less(rank, undecided) & u64::from(position.unsigned_abs() >> 15))
        });
        if tell(needed | less(count as u64, undecided)) {
            return self.fill_slowly(rng, block, out);
        }
        zip(out, zip(positions, drawn)).position(|(place, (&mut position, &lane))| {
            let draw = self.origin + i64::from(value(position, lane, self.signed));
            T::from_i64(draw).map(|draw| *place = draw).is_none()
        })
    }

    /// The end of a block in which more is undecided than the second pass has drawn.
    #[cold]
    #[inline(never)]
    fn fill_slowly<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        block: &Block,
        out: &mut [T],
    ) -> Option<usize> {
        let mut draws: [i64; LANES] =
            core::array::from_fn(|lane| self.origin.wrapping_add(i64::from(block.positions[lane])));
        let ranks = &block.ranks[..whole_rows(out.len())];
        let ranked = |rank: i16| ranks.iter().position(|&other| other == rank);
        for (rank, lane) in (1..).map_while(|rank| Some((rank, ranked(rank)?))) {
            let spare = usize::from(rank.unsigned_abs()) - 1;
            match block.spare[..self.spare].get(spare) {
                Some(&UNDECIDED) => draws[lane] = self.second.draw_remainder(rng),
                Some(_) => {}
                None => {
                    let (outcome, undecided) = self.second.look_up(rng.next_u64());
                    draws[lane] =
                        if undecided == 0 { outcome } else { self.second.draw_remainder(rng) };
                }
            }
        }
        let lanes = block.bytes.as_chunks().0;
        zip(out, zip(draws, lanes)).position(|(place, (draw, &lane))| {
            let negative = i64::from(value(1, lane, self.signed)) >> 63;
            let draw = (draw ^ negative).wrapping_sub(negative);
            T::from_i64(draw).map(|draw| *place = draw).is_none()
        })
    }

    /// The position of the outcome of each word, or the number of positions if it is undecided.
    #[inline(never)]
    fn positions(&self, words: &[i16], positions: &mut [i16]) {
        positions.fill(0);
        for thresholds in self.first.as_chunks::<AT_A_TIME>().0 {
            for (&word, position) in zip(words, &mut *positions) {
                *position +=
                    thresholds.iter().fold(0, |sum, &threshold| sum + i16::from(word > threshold));
            }
        }
    }
}

/// The last word of each outcome. Words of 16 bits are compared as signed ones: a uniform one is uniform in either
/// reading.
fn thresholds(whole: &Shares) -> Option<Box<[i16]>> {
    if whole.masses.len() > MAX_THRESHOLDS {
        return None;
    }
    let least = if whole.word_bits < 16 { 0 } else { i16::MIN };
    let mut sum = i64::from(least) - 1;
    let thresholds = whole.masses.iter().map(|&mass| {
        sum += i64::try_from(mass).ok()?;
        i16::try_from(sum).ok()
    });
    let mut thresholds = thresholds.collect::<Option<Vec<i16>>>()?;
    // No word exceeds the largest.
    thresholds.resize(thresholds.len().next_multiple_of(AT_A_TIME), i16::MAX);
    Some(thresholds.into())
}

/// What a block is worked on with. Wiped when dropped.
struct Block {
    /// Words as they come from the generator: those of the first pass, then those of the second.
    bytes: [u8; 2 * LANES + 8 * MAX_SPARE],
    words: [i16; LANES],
    positions: [i16; LANES],
    /// Which of the undecided draws each one is, from 1; 0 for the others.
    ranks: [i16; LANES],
    spare_words: [u64; MAX_SPARE],
    spare: [i16; MAX_SPARE],
}

impl Default for Block {
    fn default() -> Self {
        Self {
            bytes: [0; _],
            words: [0; _],
            positions: [0; _],
            ranks: [0; _],
            spare_words: [0; _],
            spare: [0; _],
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.bytes = [0; _];
        self.words = [0; _];
        self.positions = [0; _];
        self.ranks = [0; _];
        self.spare_words = [0; _];
        self.spare = [0; _];
        optimization_barrier(self);
    }
}

#[cfg(test)]
pub(crate) mod tests;
