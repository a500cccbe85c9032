//! The flips of up to 1024 coordinates at once, by comparing bits in parallel.
//!
//! A coordinate flips if U < p, with U uniform on [0, 1). Its binary digits are drawn as they are
//! needed, and are compared with the digits of p from the first on, for 64 coordinates in one word:
//!
//! 1. **Six digits for every coordinate**: six words for 64 coordinates, first all words of the
//!    first digit. All but one coordinate in 64 are decided.
//! 2. **Twelve more for 64 coins**, in twelve words: the i-th coordinate of the block that is still
//!    undecided takes the i-th coin, by copies of whole words that do not depend on the
//!    coordinates. A coin is undecided with probability 2^−12.
//! 3. **All others for six coins**, by the 64-bit words and the enclosures of [`BernoulliReal`]:
//!    the first six coins that are undecided take them.
//!
//! Digits and coins are drawn for every block, whether they are needed or not, so that the words
//! drawn, the work and the addresses do not depend on the flips. The digits that decide which coin
//! a coordinate takes are independent of the coin: each flip is U < p exactly, and independent.
//!
//! Where a block has more than 64 undecided coordinates, or more than six undecided coins, the rest
//! is drawn one by one, which takes longer. That happens with probability at most
//! P(Bin(1024, 1/64) > 64) + P(Bin(64, 2^−12) > 6) < 2^−60 + 2^−54; and a coin of the third step
//! leaves at most three of 2^64 words undecided.
//!
//! Few coordinates take a 64-bit word each.

use core::hint::black_box;

use dp_exact::{Interval, PrecisionError, Rational, Real, refine};
use dp_samplers::{BernoulliReal, declassify};
use rand_core::CryptoRng;

use super::deposit::{WORDS, deposit};
use crate::Error;

/// Binary digits of the uniform U that are drawn for every coordinate; a coordinate is flipped if U
/// < p.
const FIRST: u8 = 6;

/// Further binary digits of U, drawn for 64 coins: the coordinates that the first digits leave
/// undecided.
const SECOND: u8 = 12;

/// The number of coins that take all further digits, by [`BernoulliReal`].
const THIRD: usize = 6;

/// Below this number of coordinates, each coordinate takes a 64-bit word of its own.
const FEW: usize = 24;

/// Random bytes of a full block, without the third step.
const BYTES: usize = 8 * (FIRST as usize * WORDS + SECOND as usize);

/// Bytes of stack that flipping a block may leave behind, with room to spare.
pub(super) const STACK: usize = 2048;

/// Draws flips of probability exactly p, which `P` encloses.
#[derive(Clone, Debug)]
pub(super) struct Flips<P> {
    /// The digits of p for the first and the second step, each in all bits of a word.
    digits: [u64; (FIRST + SECOND) as usize],
    /// The coin of probability p.
    whole: BernoulliReal<Rest<P>>,
    /// The coin of probability 2^6·p mod 1: the flip of a coordinate whose first 6 digits agree
    /// with p.
    after_first: BernoulliReal<Rest<P>>,
    /// The coin of probability 2^18·p mod 1: the flip of a coordinate whose first 18 digits agree
    /// with p.
    after_second: BernoulliReal<Rest<P>>,
}

impl<P: Real + Clone> Flips<P> {
    /// The generator of flips of probability `p`, from 0 to below 1. `Err` if 2^16 bits do not
    /// decide the first digits of p.
    pub(super) fn new(p: &P) -> Result<Self, Error> {
        let number = digits(p)?;
        let rest = |bits: u8| {
            let digits = number >> (FIRST + SECOND - bits);
            BernoulliReal::new(Rest { probability: p.clone(), bits, digits })
        };
        Ok(Self {
            // All ones for a digit 1, else 0.
            digits: core::array::from_fn(|place| {
                let digit = number >> (usize::from(FIRST + SECOND) - 1 - place) & 1;
                digit.wrapping_neg()
            }),
            whole: rest(0)?,
            after_first: rest(FIRST)?,
            after_second: rest(FIRST + SECOND)?,
        })
    }

    /// The flip probability p.
    pub(super) fn probability(&self) -> &P {
        &self.whole.probability().probability
    }

    /// A single flip: all bits set with probability p, else none.
    #[inline]
    pub(super) fn single<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> u64 {
        mask(&self.whole, rng)
    }

    /// Fills `masks` with the flips of 1 to 1024 coordinates, 64 to a word, the first in the least
    /// significant bit of the first word. Bits beyond are 0. The caller gives ⌈`coordinates`/64⌉
    /// masks.
    pub(super) fn fill<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        coordinates: usize,
        masks: &mut [u64],
    ) {
        masks.fill(0);
        if let [mask] = masks
            && coordinates < FEW
        {
            for place in 0..coordinates {
                *mask |= (self.single(rng) & 1) << place;
            }
            return;
        }
        let mut bytes = [0; BYTES];
        let words = usize::from(FIRST) * masks.len();
        let bytes = &mut bytes[..8 * (words + usize::from(SECOND))];
        rng.fill_bytes(bytes);
        let planes = bytes.as_chunks().0;
        let (first, second) = planes.split_at(words);

        // All coordinates are undecided; bits of the last word that stand for none are not.
        let mut undecided = [u64::MAX; WORDS];
        let undecided = &mut undecided[..masks.len()];
        if let (Some(last), used @ 1..) = (undecided.last_mut(), coordinates % 64) {
            *last = u64::MAX >> (64 - used);
        }
        for (plane, &digit) in first.chunks_exact(masks.len()).zip(&self.digits) {
            compare(plane, digit, masks, undecided);
        }
        // The coordinates that are still undecided take the coins in order.
        let coins = self.coins(rng, second);
        let taken = deposit(coins, undecided, masks);
        if declassify(u64::from(taken > 64)) {
            self.beyond(rng, undecided, masks);
        }
    }

    /// 64 independent coins, one a bit, each 1 with probability 2^6·p mod 1. `planes` are twelve
    /// random words, each with one binary digit for every coin. Then six draws from `rng`, needed
    /// or not, decide the first six coins that are still undecided; more are drawn one by one.
    fn coins<R: CryptoRng + ?Sized>(&self, rng: &mut R, planes: &[[u8; 8]]) -> u64 {
        let (mut coins, mut undecided) = ([0], [u64::MAX]);
        for (plane, &digit) in
            planes.as_chunks::<1>().0.iter().zip(&self.digits[usize::from(FIRST)..])
        {
            compare(plane, digit, &mut coins, &mut undecided);
        }
        let ([mut coins], [mut undecided]) = (coins, undecided);
        for _ in 0..THIRD {
            // x & −x is the lowest bit of x alone, or 0 where none is undecided: the draw is made
            // in any case.
            let lowest = undecided & undecided.wrapping_neg();
            coins |= lowest & mask(&self.after_second, rng);
            undecided ^= lowest;
        }
        if declassify(u64::from(undecided != 0)) {
            coins |= one_by_one(&self.after_second, rng, undecided);
        }
        coins
    }

    /// Sets the bits in `masks` of the coordinates that flip among the `undecided` ones after the
    /// first 64, each with probability 2^6·p mod 1, one by one.
    #[cold]
    #[inline(never)]
    fn beyond<R: CryptoRng + ?Sized>(&self, rng: &mut R, undecided: &[u64], masks: &mut [u64]) {
        let mut coins = 64;
        for (mask, &word) in masks.iter_mut().zip(undecided) {
            let mut left = word;
            while left != 0 && coins > 0 {
                left &= left - 1;
                coins -= 1;
            }
            *mask |= one_by_one(&self.after_first, rng, left);
        }
    }
}

/// Compares a digit of U, drawn for 64 coordinates in each word of `plane`, with `digit`, a digit
/// of p that is 0 or all ones. Adds the coordinates for which this decides U < p to `less`, and
/// takes all that it decides from `undecided`.
#[inline]
fn compare(plane: &[[u8; 8]], digit: u64, less: &mut [u64], undecided: &mut [u64]) {
    for ((less, undecided), plane) in less.iter_mut().zip(undecided).zip(plane) {
        // Ones for the coordinates whose digit of U is 1. U < p where the digit of p is 1 and that
        // of U is 0; where they agree nothing is decided.
        let ones = u64::from_le_bytes(*plane);
        *less |= *undecided & digit & !ones;
        *undecided &= !(digit ^ ones);
    }
}

/// Tosses the coin: all bits are set if it shows heads, else none, without a branch.
#[inline]
fn mask<P: Real, R: CryptoRng + ?Sized>(coin: &BernoulliReal<Rest<P>>, rng: &mut R) -> u64 {
    // Compilers do not make a branch of an opaque value.
    black_box(u64::from(coin.sample(rng))).wrapping_neg()
}

/// One coin for each bit that is set in `bits`: the result has a 1 where the coin shows heads.
/// Other bits of the result are 0.
#[cold]
#[inline(never)]
fn one_by_one<P: Real, R: CryptoRng + ?Sized>(
    coin: &BernoulliReal<Rest<P>>,
    rng: &mut R,
    mut bits: u64,
) -> u64 {
    let mut heads = 0;
    while bits != 0 {
        let lowest = bits & bits.wrapping_neg();
        heads |= lowest & mask(coin, rng);
        bits ^= lowest;
    }
    heads
}

/// ⌊2^18·p⌋ for the flip probability p. `Err` if 2^16 bits do not decide it. Some precision does
/// for p = 1/(e^ε₀ + 1), which is no fraction; 2^16 bits do for fractions of fewer bits, as the
/// enclosure of a multiple of 2^−18 is the number itself.
fn digits(p: &impl Real) -> Result<u64, PrecisionError> {
    refine(|precision| {
        let enclosure = p.enclose(precision);
        let bits = u64::from(FIRST + SECOND);
        let lower = enclosure.lower().floor_shifted(bits);
        let upper = enclosure.upper().floor_shifted(bits);
        (lower == upper).then(|| u64::try_from(lower).ok()).flatten()
    })
}

/// The probability 2^bits·p − digits that is left of p after its first digits; between 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct Rest<P> {
    /// p, the probability of a flip.
    probability: P,
    /// How many digits of p are taken away.
    bits: u8,
    /// The digits of p that are taken away, as a whole number.
    digits: u64,
}

impl<P: Real> Real for Rest<P> {
    fn enclose(&self, precision: u32) -> Interval {
        // The digits are at most 18 bits.
        let precision = precision.saturating_add(32);
        let shifted = self.probability.enclose(precision).shifted(i64::from(self.bits));
        shifted - Interval::rational(&Rational::integer(self.digits), precision)
    }
}

#[cfg(test)]
mod tests;
