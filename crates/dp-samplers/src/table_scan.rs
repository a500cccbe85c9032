//! The one primitive: every threshold of a distribution is compared with every random word. A slice
//! is drawn in blocks of 256 by words of 16 bits, with a second pass of fixed size; a single draw
//! by a word of 64 bits ([`row`]).
//!
//! # Exactness
//! A word of 16 bits is a magnitude of w = 15 bits and a sign for a distribution that
//! is symmetric about 0, and a number of w = 16 bits for any other. The thresholds are cumulative
//! sums of whole words m(0), m(1), …; the *first pass* counts those that the number exceeds: the
//! position of the outcome, or the number of thresholds if the word is undecided. Then the draw
//! comes from the *second pass*, which draws from the remainder by a word of 64 bits of its own.
//! The words are independent, so that a draw is distributed as p, exactly
//! ([`word_counts`](crate::word_counts)).
//!
//! # Timing
//! For each block the second pass draws K remainders, needed or not. The undecided draws
//! are numbered, and for every draw every remainder is put in its place under a mask: words,
//! arithmetic and addresses do not depend on the outcomes. Only if more than K draws of a block are
//! undecided, or a remainder that is needed is itself undecided, the block takes the *exceptional
//! path*. With U of the 2^w words undecided, the former has a probability of at most C(256, K +
//! 1)·(U/2^w)^(K + 1), the expected number of sets of K + 1 undecided draws; K is the least even
//! number for which this is at most 2^−50. A remainder is undecided with the probability
//! of the undecided words of its row.

mod block;
pub(crate) mod lanes;
#[cfg(feature = "verification")]
mod passes;
mod row;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::zip;

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rand_core::CryptoRng;
use zeroize::{Zeroizing, zeroize_stack};

pub(crate) use self::block::{Block, wiped_memory};
use self::lanes::{LANES, apply_signs, magnitudes, number, place, whole_rows};
use self::row::Row;
use crate::masks::declassify;
use crate::word_counts::{Distribution, LowerBounds, Remainder, WordCounts};
use crate::{Error, FromDraw, bulk};

/// The most thresholds of 16 bits.
pub(crate) const MAX_THRESHOLDS: usize = 256;

/// Thresholds that are compared with a word at a time.
const AT_A_TIME: usize = 8;

/// The most remainders that the second pass draws for a block, needed or not.
const MAX_SPARE: usize = 64;

/// An end of a slice with fewer draws than this is filled one by one.
const SHORT: usize = 16;

/// The position that a second pass gives to an undecided word.
const UNDECIDED: i16 = i16::MIN;

/// The least multiple K of `step`, at most `most`, such that more than K of 256 draws are undecided
/// with probability at most 2^−50; and an upper bound on that probability in units of 2^−64. Each
/// draw is undecided with probability `undecided`/2^`bits`. `None` if `most` is too small.
pub(crate) fn enough(undecided: u64, bits: u32, step: usize, most: usize) -> Option<(usize, u64)> {
    (step..=most).step_by(step).find_map(|count| {
        // C(256, K + 1) sets of K + 1 draws, each undecided with probability (U/2^w)^(K + 1).
        let mut sets = BigUint::from(1_u8);
        for taken in 0..=count {
            sets = sets * (LANES - taken) / (taken + 1);
        }
        let power = u32::try_from(count + 1).ok()?;
        let expected = (sets * BigUint::from(undecided).pow(power)) << 64_u32;
        let overflow = (expected >> (bits * power)).to_u64()? + 1;
        // 2^−50 in units of 2^−64.
        (overflow <= 1 << 14).then_some((count, overflow))
    })
}

/// A sampler of a distribution with few likely outcomes, or of two such digits that make one draw.
#[derive(Clone, Debug)]
pub(crate) struct TableScan {
    /// The last word of 16 bits of each outcome, as a signed number, padded with numbers that no
    /// word exceeds.
    first: Box<[i16]>,
    /// The number of positions: the position of an undecided word.
    full: i16,
    /// The bits w of a word of the first pass, without its sign.
    word_bits: u32,
    /// The number of undecided words of the first pass, of 2^w words.
    rest: u64,
    /// The second pass, for the remainders of undecided words.
    second: Row,
    /// The thresholds of 64 bits for single draws.
    one: Row,
    /// Lower bounds on the probabilities.
    bounds: Arc<LowerBounds>,
    /// All ones if a word of 16 bits begins, and a word of 64 bits ends, with a sign, else 0.
    signed: i16,
    /// The outcome at position 0.
    origin: i64,
    /// The number K of remainders that the second pass draws for each block.
    spare: u8,
    /// Upper bound on the probability that a block has more than K undecided draws, in units of
    /// 2^−64.
    overflow: u64,
    /// The high digit, if there is one; all other fields then draw the low digit.
    high: Option<High>,
}

/// The high digit H of outcomes L + 2^b·H and L − 2^b·H, L the low digit.
#[derive(Clone, Debug)]
struct High {
    /// Draws H.
    scan: Box<TableScan>,
    /// b, the bits of the low digit.
    low_bits: u32,
    /// The low digit at position 0.
    low_origin: i16,
}

impl TableScan {
    /// The scan of two digits, L from `low` and H ≥ 0 from `high`: L + 2^`low_bits`·H where L ≥ 0,
    /// else L − 2^`low_bits`·H. `None` if there would be too many thresholds.
    pub(crate) fn of_digits(
        low: impl Distribution + 'static,
        high: impl Distribution + 'static,
        low_bits: u32,
    ) -> Option<Self> {
        let low = Self::new(Arc::new(low))?;
        let high = Self::new(Arc::new(high))?;
        // All outcomes of the second pass fit a lane.
        i16::try_from((i64::from(high.second.end()?) + 1) << low_bits).ok()?;
        let low_origin = i16::try_from(low.origin).ok()?;
        Some(Self { high: Some(High { scan: Box::new(high), low_bits, low_origin }), ..low })
    }

    /// The scan of `distribution`; `None` if there would be too many thresholds or undecided words,
    /// or numbers do not fit their lanes.
    pub(crate) fn new(distribution: Arc<dyn Distribution>) -> Option<Self> {
        let is_signed = distribution.is_signed();
        let sign_bits = u32::from(is_signed);
        let bounds = distribution.lower_bounds();
        let whole = WordCounts::new(&bounds, 16 - sign_bits)?;
        if is_signed && whole.first != 0 {
            return None;
        }
        let (spare, overflow) = enough(whole.undecided, whole.word_bits, 2, MAX_SPARE)?;
        let origin = whole.first;
        let remainder =
            Remainder { distribution: Arc::clone(&distribution), counts: whole.clone() };
        Some(Self {
            first: thresholds(&whole)?,
            full: i16::try_from(whole.masses.len()).ok()?,
            word_bits: whole.word_bits,
            rest: whole.undecided,
            second: {
                let bounds = remainder.bounds(&bounds);
                Row::new(Arc::new(remainder), &bounds, 64, origin)?
            },
            one: Row::new(distribution, &bounds, 64 - sign_bits, origin)?,
            bounds: Arc::new(bounds),
            signed: -i16::from(is_signed),
            origin,
            spare: u8::try_from(spare).ok()?,
            overflow,
            high: None,
        })
    }

    /// Upper bound on the probability that a single draw, or a block, takes the exceptional path,
    /// in units of 2^−64.
    pub(crate) fn undecided(&self) -> u64 {
        // Of the K remainders those that are needed count: U/2^w·256 are expected.
        let needed = (self.rest * LANES as u64).div_ceil(1 << self.word_bits);
        let blocks = self.overflow + self.second.undecided * needed;
        let sign_bits = u32::from(self.signed != 0);
        let own = blocks.max(self.one.undecided << sign_bits);
        own + self.high.as_ref().map_or(0, |high| high.scan.undecided())
    }

    /// Upper bound on the probability, in units of 2^−64, that the magnitude exceeds `limit`.
    /// Outcomes m and −1 − m have magnitude m.
    pub(crate) fn beyond(&self, limit: i64) -> u64 {
        if let Some(high) = &self.high {
            return high.scan.beyond(((limit + 1) >> high.low_bits) - 1);
        }
        let inside = |outcome: i64| outcome ^ (outcome >> 63) <= limit;
        let within =
            zip(self.bounds.first.., &self.bounds.bounds).filter(|(outcome, _)| inside(*outcome));
        let within: BigUint = within.map(|(_, bound)| BigUint::from(*bound)).sum();
        let left = (BigUint::from(1_u8) << 128_u32) - within;
        // 2^64 units, all that there is, are cut to the largest number.
        (left >> 64_u32).to_u64().map_or(u64::MAX, |units| units + 1)
    }

    /// A draw by a word of 64 bits for each digit, the high one first.
    #[inline]
    pub(crate) fn draw<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        match &self.high {
            None => self.draw_digit(rng),
            Some(high) => {
                let high_digit = high.scan.draw_digit(rng);
                high.join(self.draw_digit(rng), high_digit)
            }
        }
    }

    /// A draw of the low digit, or of the only one, by a word of 64 bits.
    #[inline]
    fn draw_digit<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        let word = rng.next_u64();
        let signed = i64::from(self.signed);
        // All ones if the distribution is signed and the word's last bit is 1, else 0.
        let negative = (word & 1).cast_signed().wrapping_neg() & signed;
        let (mut outcome, undecided) = self.one.look_up(word >> (signed & 1));
        if declassify(undecided) {
            outcome = self.one.draw_remainder(rng);
        }
        // −x = !x + 1
        (outcome ^ negative).wrapping_sub(negative)
    }

    /// Fills `out` with draws in blocks, the last ones one by one if they are few. Wipes the stack
    /// that it used. `Err` if a draw does not fit `T`.
    pub(crate) fn fill<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        let rest = out.len() % LANES;
        let blocks = if rest < SHORT { out.len() - rest } else { out.len() };
        let mut unfit = None;
        if blocks > 0 {
            // Allocated here, so that the stack of called functions lies below, where it is wiped.
            let block = &mut Block::default();
            unfit = self.fill_blocks(rng, block, &mut out[..blocks]);
            zeroize_stack::<{ bulk::STACK }>();
        }
        if blocks < out.len() && unfit.is_none() {
            let end = bulk::one_by_one(&mut out[blocks..], || T::try_from(self.draw(rng)).ok());
            unfit = end.map(|position| blocks + position);
            zeroize_stack::<{ bulk::STACK_OF_FEW }>();
        }
        bulk::complete::<T>(unfit)
    }

    /// Fills `out` block by block. Returns the position of a draw that does not fit `T`, else
    /// `None`. Not inlined, so that the caller can wipe its stack.
    #[inline(never)]
    fn fill_blocks<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        block: &mut Block,
        out: &mut [T],
    ) -> Option<usize> {
        out.chunks_mut(LANES).enumerate().find_map(|(at, out)| {
            let exceptional = self.outcomes(rng, block, out.len());
            // Whether the draw does not fit.
            let write = |(out, draw): (&mut T, i64)| {
                T::try_from(draw).map(|fitting| *out = fitting).is_err()
            };
            let unfit = match exceptional {
                None => {
                    let origin = self.lanes_origin();
                    let draws = block.outcomes.iter().map(|&draw| origin + i64::from(draw));
                    zip(out, draws).position(write)
                }
                Some(draws) => zip(out, draws.iter().copied()).position(write),
            };
            unfit.map(|position| at * LANES + position)
        })
    }

    /// The number to be added to each of [`Block::outcomes`] to get an outcome; 0 for two digits.
    pub(crate) fn lanes_origin(&self) -> i64 {
        if self.high.is_some() { 0 } else { self.origin }
    }

    /// Draws `count` outcomes, at most [`LANES`]. They are in [`Block::outcomes`], less
    /// [`Self::lanes_origin`], if `None` comes back; else they are returned, and the exceptional
    /// path was taken.
    #[inline]
    pub(crate) fn outcomes<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        block: &mut Block,
        count: usize,
    ) -> Option<Zeroizing<Vec<i64>>> {
        let Some(high) = &self.high else {
            return self.digits(rng, block, count);
        };
        let exceptional_high = high.scan.digits(rng, block, count);
        block.high = block.outcomes;
        let exceptional_low = self.digits(rng, block, count);
        if exceptional_low.is_none() && exceptional_high.is_none() {
            high.join_lanes(&mut block.outcomes, &block.high);
            return None;
        }
        let low = exceptional_low.unwrap_or_else(|| widened(&block.outcomes, self.origin));
        let high_digits =
            exceptional_high.unwrap_or_else(|| widened(&block.high, high.scan.origin));
        let joined = zip(&*low, &*high_digits).map(|(&low, &digit)| high.join(low, digit));
        Some(Zeroizing::new(joined.collect()))
    }

    /// Draws `length` outcomes of one digit. `None` if they are in [`Block::outcomes`], less the
    /// origin; else they are returned. [`Self::outcomes`] joins two digits.
    #[inline]
    fn digits<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        block: &mut Block,
        length: usize,
    ) -> Option<Zeroizing<Vec<i64>>> {
        let lanes = whole_rows(length);
        let first_words = length.div_ceil(4);
        // No more by construction: the compiler is told, and checks no index.
        let spare = usize::from(self.spare).min(MAX_SPARE);
        let bytes = &mut block.bytes[..8 * (first_words + spare)];
        rng.fill_bytes(bytes);
        let (first_bytes, second_bytes) = bytes.split_at(8 * first_words);

        // The second pass first: its results have to lie ready.
        for (word, bytes) in zip(&mut block.spare_words, second_bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let fours = spare.next_multiple_of(4);
        self.second.positions(&block.spare_words[..fours], &mut block.spare[..fours]);

        // The first pass: in each lane the position of its outcome, `full` if it is undecided.
        let drawn = first_bytes.as_chunks().0;
        let (words, positions) = (&mut block.words[..lanes], &mut block.outcomes[..lanes]);
        magnitudes(drawn, self.signed, words);
        self.positions(words, positions);
        // Lanes beyond the draws are not undecided: nothing is to be put there.
        positions[length..].fill(0);

        // Undecided lane number r gets remainder number r, the others keep their positions.
        let ranks = &mut block.ranks[..lanes];
        let masks = &mut block.masks[..lanes];
        let undecided = number(positions, self.full, ranks, masks);
        place(&block.spare[..spare.next_multiple_of(8)], ranks, masks, positions);

        // 1 if some remainder is UNDECIDED and needed. |UNDECIDED| = 2^15 alone has the highest
        // bit; a remainder is needed if its index from 0 is below the number of undecided lanes,
        // from 0 to 256, where their difference is negative.
        let needed = zip(&block.spare[..spare], 0_i16..).fold(0, |any, (position, index)| {
            any | ((position.unsigned_abs() & (index - undecided).cast_unsigned()) >> 15)
        });
        // 1 if there are more undecided lanes than remainders.
        let overflow = (i16::from(self.spare) - undecided).cast_unsigned() >> 15;
        if declassify(u64::from(needed | overflow)) {
            return Some(self.exceptional(rng, block, length));
        }
        if self.signed != 0 {
            apply_signs(drawn, positions);
        }
        None
    }

    /// The outcomes of a block, signs and origin included, where the second pass drew too few
    /// remainders, or drew undecided words.
    #[cold]
    #[inline(never)]
    fn exceptional<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        block: &Block,
        length: usize,
    ) -> Zeroizing<Vec<i64>> {
        let outcome = |&position: &i16| self.origin.wrapping_add(i64::from(position));
        let mut draws: Zeroizing<Vec<i64>> =
            Zeroizing::new(block.outcomes[..length].iter().map(outcome).collect());
        let ranks = &block.ranks[..whole_rows(length)];
        let ranked = |rank: i16| ranks.iter().position(|&other| other == rank);
        for (rank, lane) in (1..).map_while(|rank| Some((rank, ranked(rank)?))) {
            let index = usize::from(rank.unsigned_abs()) - 1;
            match block.spare[..usize::from(self.spare)].get(index) {
                Some(&UNDECIDED) => draws[lane] = self.second.draw_remainder(rng),
                Some(_) => {}
                None => {
                    let (outcome, undecided) = self.second.look_up(rng.next_u64());
                    draws[lane] =
                        if undecided == 0 { outcome } else { self.second.draw_remainder(rng) };
                }
            }
        }
        for (draw, [_, upper]) in zip(&mut *draws, block.bytes.as_chunks().0) {
            // All ones if the distribution is signed and the word's highest bit is 1, else 0.
            let negative = i64::from(upper.cast_signed() >> 7) & i64::from(self.signed);
            *draw = (*draw ^ negative).wrapping_sub(negative);
        }
        draws
    }

    /// Fills `positions` with the number of thresholds that each word exceeds: the position of its
    /// outcome, or the number of positions if the word is undecided.
    #[inline(never)]
    fn positions(&self, words: &[i16], positions: &mut [i16]) {
        let mut chunks = self.first.as_chunks().0.iter();
        if let Some(thresholds) = chunks.next() {
            for (&word, position) in zip(words, &mut *positions) {
                *position = exceeded(word, thresholds);
            }
        }
        for thresholds in chunks {
            for (&word, position) in zip(words, &mut *positions) {
                *position += exceeded(word, thresholds);
            }
        }
    }
}

impl High {
    /// L + 2^b·H, or L − 2^b·H if the low digit L = `low` is negative; H = `digit`.
    #[inline]
    fn join(&self, low: i64, digit: i64) -> i64 {
        // All ones for a negative L: the outcome is then −1 − (−1 − L + 2^b·H), and −1 − x is !x.
        let side = low >> 63;
        (low ^ side).wrapping_add(digit << self.low_bits) ^ side
    }

    /// Makes each low digit, which lacks its origin, the outcome of both digits ([`Self::join`]).
    #[inline]
    fn join_lanes(&self, low_digits: &mut [i16; LANES], high_digits: &[i16; LANES]) {
        for (lane, &digit) in zip(low_digits, high_digits) {
            let low = *lane + self.low_origin;
            let side = low >> 15;
            *lane = ((low ^ side) + (digit << self.low_bits)) ^ side;
        }
    }
}

/// How many of the thresholds a word exceeds.
#[inline(always)]
fn exceeded(word: i16, thresholds: &[i16; AT_A_TIME]) -> i16 {
    thresholds.iter().fold(0, |sum, &threshold| sum + i16::from(word > threshold))
}

/// Lanes, which lack their origin, as outcomes of 64 bits.
fn widened(lanes: &[i16; LANES], origin: i64) -> Zeroizing<Vec<i64>> {
    Zeroizing::new(lanes.iter().map(|&lane| i64::from(lane) + origin).collect())
}

/// The last word of each outcome, padded to a multiple of 8 with 2^15 − 1; `None` if there are more
/// than [`MAX_THRESHOLDS`]. Words of 16 bits are compared as signed numbers: a uniform word is
/// uniform in either reading.
fn thresholds(whole: &WordCounts) -> Option<Box<[i16]>> {
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

#[cfg(test)]
pub(crate) mod tests;
