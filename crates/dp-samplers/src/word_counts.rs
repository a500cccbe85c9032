//! What an engine needs to know of a distribution, and how whole words are shared out to its
//! outcomes.
//!
//! With words of w bits each outcome x of a distribution p gets a whole number m(x) ≤ 2^w·p(x) of
//! words, certified by a lower bound of p(x). The C = 2^w − Σ m(x) words that are left are
//! *undecided*, and followed by a draw from the *remainder* r(x) = (2^w·p(x) − m(x))/C, which is
//! not negative and sums to 1. Together they yield x with probability m(x)/2^w + (C/2^w)·r(x) =
//! p(x), exactly. [`draw_remainder`] draws from r by inversion with enclosures of any precision,
//! and counts the masses in the thresholds as they are in memory, so that exactness rests on the
//! lower bounds alone.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::iter::zip;
use core::ops::RangeInclusive;

use dp_exact::Interval;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use rand_core::CryptoRng;

use crate::fixed::{ALMOST_ONE, FRACTION_BITS, lower_bound};
use crate::threshold::ceil_shifted;

/// Bits of the enclosures from which lower bounds of 128 bits are cut.
pub(crate) const PRECISION: u32 = 192;

/// A distribution on the integers whose probabilities are known by enclosures.
pub(crate) trait Distribution: Debug + Send + Sync {
    /// The probability of each outcome, enclosed with a width of at most about 2^−`precision`. Work
    /// that depends on the precision alone is done once for all outcomes.
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_>;

    /// The outcomes, 0, 1, 2, … if not stated otherwise; all others have probability 0.
    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::MAX
    }

    /// Whether outcomes are magnitudes, which get a fair sign.
    fn is_signed(&self) -> bool {
        false
    }

    /// Lower bounds for all outcomes likelier than 2^−100. One that is too large makes the draws
    /// wrong; one that is too small leaves more to the remainder.
    fn lower_bounds(&self) -> LowerBounds {
        let probability = self.probability(PRECISION);
        let support = self.support();
        LowerBounds::new(
            *support.start(),
            support.map(|outcome| lower_bound(&probability(outcome))),
        )
    }
}

/// The most outcomes for which lower bounds are kept.
pub(crate) const MAX_OUTCOMES: usize = 1 << 12;

/// The least lower bound that is kept, 2^−100 in units of 2^−128.
pub(crate) const LEAST_BOUND: u128 = 1 << (FRACTION_BITS - 100);

/// Certified lower bounds for the probabilities of successive outcomes, in units of 2^−128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LowerBounds {
    /// The outcome of the first bound.
    pub(crate) first: i64,
    /// Bounds for the outcomes `first`, `first` + 1, …, in units of 2^−128.
    pub(crate) bounds: Vec<u128>,
}

impl LowerBounds {
    /// Of rising, then falling `bounds` for the outcomes `first`, `first` + 1, …, in units of
    /// 2^−128, those of at least [`LEAST_BOUND`], as far as they are among the first
    /// [`MAX_OUTCOMES`].
    pub(crate) fn new(first: i64, bounds: impl IntoIterator<Item = u128>) -> Self {
        let mut first = first;
        let mut kept = Vec::new();
        for bound in bounds.into_iter().take(MAX_OUTCOMES) {
            match (bound >= LEAST_BOUND, kept.is_empty()) {
                (true, _) => kept.push(bound),
                (false, true) => first += 1,
                (false, false) => break,
            }
        }
        Self { first, bounds: kept }
    }
}

/// How many words of w bits yield each outcome x: m(x) ≤ 2^w·p(x), p the probability of x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordCounts {
    /// w, the bits of a word.
    pub(crate) word_bits: u32,
    /// The outcome of the first mass.
    pub(crate) first: i64,
    /// The masses m(first), m(first + 1), …: how many words yield each outcome.
    pub(crate) masses: Vec<u64>,
    /// C = 2^w − Σ m, the number of words that yield no outcome; at least 1.
    pub(crate) undecided: u64,
}

impl WordCounts {
    /// Gives each outcome ⌊2^w·bound⌋ words of w = `word_bits` ≤ 64 bits, its bound taken from
    /// `distribution`; the likeliest gets one less where no word would be undecided. `None` if no
    /// outcome gets a word, or if the bounds add up to more than 1: then some bound exceeds its
    /// probability.
    pub(crate) fn new(distribution: &LowerBounds, word_bits: u32) -> Option<Self> {
        let sum = distribution.bounds.iter().copied().map(BigInt::from).sum::<BigInt>();
        if sum > BigInt::one() << FRACTION_BITS {
            return None;
        }
        let words = distribution.bounds.iter().map(|bound| {
            // A certain outcome, whose bound is just below 1, has all words but one.
            let words = bound >> (FRACTION_BITS - word_bits);
            u64::try_from(words).expect("words have at most 64 bits")
        });
        let mut masses: Vec<u64> = words.collect();
        let leading = masses.iter().take_while(|mass| **mass == 0).count();
        masses.drain(..leading);
        while masses.last() == Some(&0) {
            masses.pop();
        }
        let total: u128 = masses.iter().copied().map(u128::from).sum();
        let mut undecided = u64::try_from((1 << word_bits) - total).ok()?;
        if undecided == 0 {
            // All probabilities are whole words. The remainder has to be a distribution
            // nevertheless.
            *masses.iter_mut().max()? -= 1;
            undecided = 1;
        }
        let first = distribution.first.checked_add(i64::try_from(leading).ok()?)?;
        (!masses.is_empty()).then_some(Self { word_bits, first, masses, undecided })
    }

    /// m(`outcome`), the number of words that yield `outcome`; 0 for outcomes that are not listed.
    fn mass(&self, outcome: i64) -> u64 {
        let position = outcome.checked_sub(self.first).map(usize::try_from);
        let mass = position.and_then(|position| self.masses.get(position.ok()?));
        // Outcomes before the first mass or after the last have no words.
        mass.copied().unwrap_or(0)
    }
}

/// The distribution r(x) = (2^w·p(x) − m(x))/C that is left of the distribution p once m(x) words
/// of w bits have decided for each x. C words are undecided.
#[derive(Clone, Debug)]
pub(crate) struct Remainder {
    /// p, the distribution that is drawn.
    pub(crate) distribution: Arc<dyn Distribution>,
    /// m, the words of each outcome, and C, the number of undecided words.
    pub(crate) counts: WordCounts,
}

impl Remainder {
    /// Lower bounds on r, in units of 2^−128, from `bounds` on p.
    pub(crate) fn bounds(&self, bounds: &LowerBounds) -> LowerBounds {
        let rest = zip(bounds.first.., &bounds.bounds);
        let rest = rest.map(|(outcome, bound)| self.bound(outcome, *bound));
        LowerBounds { first: bounds.first, bounds: rest.collect() }
    }

    /// Lower bound on r(`outcome`) = (2^w·p − m)/C, the probability under the remainder, in units
    /// of 2^−128; 0 if nothing is known to be left. `bound` is a lower bound on p(`outcome`), in
    /// the same units.
    fn bound(&self, outcome: i64, bound: u128) -> u128 {
        let words = BigUint::from(bound) << self.counts.word_bits;
        let given = BigUint::from(self.counts.mass(outcome)) << FRACTION_BITS;
        if words < given {
            // Looser than the bound that the whole words come from: nothing is known to be left.
            return 0;
        }
        // Where r(x) = 1 the best lower bound is the largest number.
        u128::try_from((words - given) / self.counts.undecided).unwrap_or(ALMOST_ONE)
    }
}

impl Distribution for Remainder {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let word_bits = self.counts.word_bits;
        let precision = precision.saturating_add(word_bits + 8);
        let probability = self.distribution.probability(precision);
        let undecided = Interval::integer(self.counts.undecided, precision);
        Box::new(move |outcome| {
            let words = probability(outcome).shifted(i64::from(word_bits));
            let rest = words - Interval::integer(self.counts.mass(outcome), precision + 64);
            rest.checked_div(&undecided).expect("C is at least 1")
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        self.distribution.support()
    }
}

/// Draws from the remainder r of `distribution` after `counts`.
///
/// The outcomes are put in a row: outcomes with counts first, then outward on both sides by turns.
/// With U uniform on [0, 1), the result is the first x whose cumulative remainder K(x) exceeds U.
/// Both are known by enclosures: U by its first n bits, K by sums of enclosed probabilities. Where
/// an enclosure of K meets the interval that U lies in, 64 more bits of U are drawn, and K is
/// summed anew with 64 more bits of precision.
#[cold]
#[inline(never)]
pub(crate) fn draw_remainder<R: CryptoRng + ?Sized>(
    distribution: &dyn Distribution,
    counts: &WordCounts,
    rng: &mut R,
) -> i64 {
    let mut known = BigInt::zero();
    let mut bits = 0_u32;
    let word_bits = counts.word_bits;
    loop {
        known = (known << 64_u32) + rng.next_u64();
        bits += 64;
        // U·C/2^w lies between these two units of 2^−fraction.
        let fraction = bits + word_bits + 64;
        let scale = BigInt::from(counts.undecided) << 64_u32;
        let (low, high) = (&known * &scale, (&known + BigInt::one()) * &scale);

        let probability = distribution.probability(fraction + 16);
        let (mut sum_low, mut sum_high) = (BigInt::zero(), BigInt::zero());
        for outcome in outward(counts.first, counts.masses.len(), distribution.support()) {
            // K(x)·C/2^w grows by p(x) − m(x)/2^w, rounded down and up.
            let enclosure = probability(outcome);
            let mass = BigInt::from(counts.mass(outcome)) << (fraction - word_bits);
            sum_low += enclosure.lower().floor_shifted(u64::from(fraction)) - &mass;
            sum_high += ceil_shifted(enclosure.upper(), u64::from(fraction)) - &mass;
            // All of U's interval is below K(x), and no interval before met K.
            if high <= sum_low {
                return outcome;
            }
            // K(x) lies within U's interval, or may: more bits of U are needed.
            if low < sum_high {
                break;
            }
        }
    }
}

/// `first` and the `count` − 1 outcomes after it, then the other outcomes of `support`, above and
/// below by turns.
pub(crate) fn outward(
    first: i64,
    count: usize,
    support: RangeInclusive<i64>,
) -> impl Iterator<Item = i64> {
    let count = i64::try_from(count).expect("there are at most 2^12 masses");
    let next = first + count;
    let (start, end) = support.into_inner();
    let mut above = next..=end;
    let mut below = start..=first - 1;
    let sides = core::iter::from_fn(move || Some([above.next(), below.next_back()]));
    let beyond = sides.take_while(|pair| pair.iter().any(Option::is_some)).flatten().flatten();
    (first..next).chain(beyond)
}

#[cfg(test)]
pub(crate) mod tests;
