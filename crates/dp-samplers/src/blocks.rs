//! Draws by 16-bit words in blocks, with a second pass of fixed size.
//!
//! # Exactness
//! A word of 16 bits is a magnitude of w = 15 bits and a sign for a symmetric law, and a number of
//! w = 16 bits for any other. The *first pass* gives outcome x to exactly c(x) of the 2^w numbers and
//! nothing to U of them, which are undecided. A draw that got nothing comes from the *second pass*,
//! which draws from the remainder r(x) = (2^w·p(x) − c(x))/U by a word of 64 bits of its own
//! ([`alias/mixture.rs`](crate::alias)). The words are independent, so that the law of a draw is
//! c(x)/2^w + (U/2^w)·r(x) = p(x), exactly, and draws are independent of each other.
//!
//! # Timing
//! For each block of up to 256 draws the second pass draws K remainders, whether needed or not. The
//! undecided draws of the block are numbered, and for every draw every remainder is put in its place
//! under a mask. So the words, the arithmetic and, beside those of the passes themselves, the
//! addresses are the same whatever comes out. Only if more than K draws of a block are undecided, or
//! a remainder that is needed is itself undecided, does the block take longer. With n draws the former
//! has a probability of at most C(n, K + 1)·(U/2^w)^(K + 1), the expected number of sets of K + 1
//! undecided draws; K is such that this is at most 2^−50 for 256 of them, and the more for fewer.

mod lanes;
mod spare;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;
use core::iter::zip;

use rand_core::Rng;
use zeroize::{optimization_barrier, zeroize_stack};

use self::lanes::{LANES, magnitudes, number, place, value};
use crate::alias::Whole;
use crate::words::{Direct, Source};
use crate::{Error, FromDraw, Pass, bulk};

pub(crate) use self::spare::{MAX_SPARE, Spare};

/// Fewer draws than this are made one by one.
pub(crate) const SHORT: usize = 16;

/// What a second pass yields for a word that does not decide.
pub(crate) const UNDECIDED: i16 = i16::MIN;

/// What the first pass of a block does.
pub(crate) trait First {
    /// The position of the outcome of each word, or the number of positions if it is undecided.
    fn positions(&self, words: &[i16], positions: &mut [i16]);

    /// Reads what the words will, where that is little.
    fn prepare(&self) {}
}

/// What the second pass does: exact draws by words of 64 bits.
pub(crate) trait Second {
    /// The position of the outcome of each word, or [`UNDECIDED`], for a multiple of 4 words.
    fn positions(&self, words: &[u64], positions: &mut [i16]);

    /// The outcome of a word, unless it is undecided.
    fn look_up(&self, word: u64) -> Option<i64>;

    /// The outcome after a word that did not decide.
    fn draw_undecided(&self, source: &mut dyn Source) -> i64;

    /// How many of the 2^64 words are undecided.
    fn undecided(&self) -> u64;

    /// The first outcome, and how many words yield that and the next ones.
    fn words(&self) -> (i64, Vec<u64>);
}

/// Draws in blocks, by these two passes.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<F, S> {
    pub(crate) first: F,
    pub(crate) second: S,
    /// All ones if the uppermost bit of a word is a sign, else 0.
    signed: i16,
    /// The outcome at position 0.
    origin: i64,
    /// The number of positions.
    full: i16,
    /// w, and U: so many of the 2^w words of the first pass are undecided.
    word_bits: u32,
    rest: u64,
    /// How many remainders are drawn for each block.
    spare: Spare,
}

impl<F: First, S: Second> Blocks<F, S> {
    /// From the split that `first` follows, with words that have a sign if 15 bits are left.
    pub(crate) fn new(whole: &Whole, first: F, second: S) -> Option<Self> {
        let signed = whole.word_bits < 16;
        if whole.masses.is_empty() || (signed && whole.first != 0) {
            return None;
        }
        Some(Self {
            first,
            second,
            signed: -i16::from(signed),
            origin: whole.first,
            full: i16::try_from(whole.masses.len()).ok()?,
            word_bits: whole.word_bits,
            rest: whole.undecided,
            spare: Spare::new(whole)?,
        })
    }

    /// Both passes, counted in the tables; of magnitudes where words have a sign.
    pub(crate) fn passes(&self) -> Vec<Pass> {
        let mut counts = BTreeMap::new();
        for outcome in (0..=u16::MAX).filter_map(|word| self.outcome(word)) {
            let outcome = if self.signed == 0 {
                outcome
            } else {
                outcome.abs()
            };
            *counts.entry(outcome).or_insert(0u64) += 1;
        }
        // Every word without its sign is there twice.
        let halves = u32::from(self.signed != 0);
        let first = counts
            .into_iter()
            .map(|(outcome, words)| (outcome, words >> halves));
        let (least, words) = self.second.words();
        let pass = |word_bits, words| Pass { word_bits, words };
        vec![
            pass(self.word_bits, first.collect()),
            pass(64, zip(least.., words).filter(|cell| cell.1 > 0).collect()),
        ]
    }

    /// How many of 2^64 draws of a slice take longer, at most: the draws of a block share the chance
    /// that it has too few remainders, and a draw needs its remainder with probability U/2^w.
    pub(crate) fn undecided(&self) -> u64 {
        let needed = u128::from(self.second.undecided()) * u128::from(self.rest);
        let needed = u64::try_from(needed >> self.word_bits).unwrap_or(u64::MAX);
        self.spare.overflow / LANES as u64 + needed + 2
    }

    /// Fills with draws; the position of a draw that does not fit, if any. Wipes what it used.
    pub(crate) fn fill<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Option<usize> {
        let mut block = Block::new();
        let unfit = self.fill_apart(rng, &mut block, out);
        zeroize_stack::<{ bulk::STACK }>();
        unfit
    }

    /// Apart from its caller, so that its part of the stack can be wiped.
    #[inline(never)]
    fn fill_apart<T: FromDraw, R: Rng + ?Sized>(
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
        let lanes = lanes::whole_rows(out.len());
        let words = out.len().div_ceil(4);
        let count = self.spare.count.min(MAX_SPARE);
        let bytes = &mut block.bytes[..8 * (words + count)];
        rng.fill_bytes(bytes);
        let (drawn, more) = bytes.split_at(8 * words);

        // The second pass first: its results have to lie ready.
        let mut spare_words = [0; MAX_SPARE];
        for (word, bytes) in zip(&mut spare_words, more.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let remainders = &mut block.spare[..count];
        self.second.positions(&spare_words[..count], remainders);

        let drawn = drawn.as_chunks().0;
        let (words, positions) = (&mut block.words[..lanes], &mut block.positions[..lanes]);
        magnitudes(drawn, self.signed, words);
        self.first.prepare();
        self.first.positions(words, positions);
        // Lanes beyond the draws are not undecided: nothing is to be put there.
        positions[out.len()..].fill(0);
        let ranks = &mut block.ranks[..lanes];
        let undecided = number(positions, self.full, ranks);
        place(remainders, ranks, positions);

        let needed = zip(&*remainders, 0..).fold(false, |any, (&position, rank)| {
            any | ((rank < undecided) & (position == UNDECIDED))
        });
        if needed | (usize::from(undecided.unsigned_abs()) > count) {
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
        let ranks = &block.ranks[..lanes::whole_rows(out.len())];
        let ranked = |rank: i16| ranks.iter().position(|&other| other == rank);
        for (rank, lane) in (1..).map_while(|rank| Some((rank, ranked(rank)?))) {
            let spare = usize::from(rank.unsigned_abs()) - 1;
            let remainder = block.spare[..self.spare.count].get(spare).copied();
            if remainder.is_none_or(|position| position == UNDECIDED) {
                draws[lane] = match remainder {
                    Some(_) => self.second.draw_undecided(&mut Direct(rng)),
                    None => self.draw_remainder(rng),
                };
            }
        }
        let lanes = block.bytes.as_chunks().0;
        zip(out, zip(draws, lanes)).position(|(place, (draw, &lane))| {
            let negative = i64::from(value(1, lane, self.signed)) >> 63;
            let draw = (draw ^ negative).wrapping_sub(negative);
            T::from_i64(draw).map(|draw| *place = draw).is_none()
        })
    }

    /// The position of a lane; the number of positions if it is undecided.
    #[inline]
    fn position(&self, lane: [u8; 2]) -> i16 {
        let (mut magnitude, mut position) = ([0], [0]);
        magnitudes(&[lane], self.signed, &mut magnitude);
        self.first.positions(&magnitude, &mut position);
        position[0]
    }

    /// The outcome of a word of 16 bits, unless it is undecided.
    pub(crate) fn outcome(&self, word: u16) -> Option<i64> {
        let lane = word.to_le_bytes();
        let position = self.position(lane);
        let draw = i64::from(value(position, lane, self.signed));
        (position != self.full).then(|| self.origin.wrapping_add(draw))
    }

    /// A draw by one word for each pass.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        let [word, more] = Direct(rng).words();
        let [low, high, ..] = word.to_le_bytes();
        let position = self.position([low, high]);
        // A mask and no condition: time must not tell which pass it was.
        let undecided = black_box(-i64::from(position == self.full));
        let negative = i64::from(value(1, [low, high], self.signed)) >> 63;
        let remainder = self.second.look_up(more);
        let remainder = if (undecided != 0) & remainder.is_none() {
            self.second.draw_undecided(&mut Direct(rng))
        } else {
            remainder.unwrap_or(0)
        };
        let decided = self.origin.wrapping_add(i64::from(position));
        let draw = (remainder & undecided) | (decided & !undecided);
        (draw ^ negative).wrapping_sub(negative)
    }

    /// One draw from the remainder.
    fn draw_remainder<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        match self.second.look_up(rng.next_u64()) {
            Some(outcome) => outcome,
            None => self.second.draw_undecided(&mut Direct(rng)),
        }
    }

    /// Fills with draws in blocks, the last ones by `single` if they are few.
    pub(crate) fn fill_and_end<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
        single: impl FnMut(&mut R) -> Option<T>,
    ) -> Result<(), Error> {
        let rest = out.len() % LANES;
        let in_blocks = if rest < SHORT {
            out.len() - rest
        } else {
            out.len()
        };
        let (blocks, end) = out.split_at_mut(in_blocks);
        let unfit = if blocks.is_empty() {
            None
        } else {
            self.fill(rng, blocks)
        };
        let unfit = unfit.or_else(|| Some(in_blocks + one_by_one(rng, end, single)?));
        bulk::complete(unfit, out)
    }
}

/// What a block is worked on with. Wiped when dropped.
struct Block {
    /// Words as they come from the generator: those of the first pass, then those of the second.
    bytes: [u8; 2 * LANES + 8 * MAX_SPARE],
    words: [i16; LANES],
    positions: [i16; LANES],
    /// Which of the undecided draws each one is, from 1; 0 for the others.
    ranks: [i16; LANES],
    spare: [i16; MAX_SPARE],
}

impl Block {
    fn new() -> Self {
        Self {
            bytes: [0; _],
            words: [0; _],
            positions: [0; _],
            ranks: [0; _],
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
        self.spare = [0; _];
        optimization_barrier(self);
    }
}

/// What few draws may leave on the stack: a word, and what the generator computed with.
const STACK_OF_FEW: usize = 1024;

/// Few draws; the position of one that does not fit, if any. Wipes the stack that they used.
fn one_by_one<T, R: ?Sized>(
    rng: &mut R,
    out: &mut [T],
    single: impl FnMut(&mut R) -> Option<T>,
) -> Option<usize> {
    if out.is_empty() {
        return None;
    }
    let unfit = one_by_one_apart(rng, out, single);
    zeroize_stack::<STACK_OF_FEW>();
    unfit
}

/// Apart from its caller, so that its part of the stack can be wiped.
#[inline(never)]
fn one_by_one_apart<T, R: ?Sized>(
    rng: &mut R,
    out: &mut [T],
    mut single: impl FnMut(&mut R) -> Option<T>,
) -> Option<usize> {
    out.iter_mut()
        .position(|place| single(rng).map(|draw| *place = draw).is_none())
}

#[cfg(test)]
pub(crate) mod tests;
