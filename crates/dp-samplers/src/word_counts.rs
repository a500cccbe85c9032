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
use core::ops::{Range, RangeInclusive};

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

    /// Lower bounds for all outcomes likelier than 2^−`depth`, up to a depth of 100. One that is
    /// too large makes the draws wrong; one that is too small leaves more to the remainder. `None`
    /// for more than [`MAX_OUTCOMES`].
    fn lower_bounds(&self, _depth: u32) -> Option<LowerBounds> {
        let probability = self.probability(PRECISION);
        let support = self.support();
        let first = *support.start();
        let bounds =
            support.take(MAX_OUTCOMES + 1).map(|outcome| lower_bound(&probability(outcome)));
        LowerBounds::new(first, bounds.collect())
    }
}

/// The most outcomes of a distribution for which lower bounds are kept.
pub(crate) const MAX_OUTCOMES: usize = 1 << 12;

/// Certified lower bounds for the probabilities of successive outcomes, in units of 2^−128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LowerBounds {
    /// The outcome of the first bound.
    pub(crate) first: i64,
    /// Bounds for the outcomes `first`, `first` + 1, …, in units of 2^−128.
    pub(crate) bounds: Vec<u128>,
}

impl LowerBounds {
    /// `bounds` for the outcomes `first`, `first` + 1, …, in units of 2^−128; `None` if these are
    /// more than [`MAX_OUTCOMES`].
    pub(crate) fn new(first: i64, bounds: Vec<u128>) -> Option<Self> {
        (bounds.len() <= MAX_OUTCOMES).then_some(Self { first, bounds })
    }

    /// Falling bounds for the outcomes 0, 1, 2, … before the first below 2^−`depth`; all but the
    /// first are doubled if `is_doubled`. `None` for more than [`MAX_OUTCOMES`].
    pub(crate) fn falling(
        depth: u32,
        is_doubled: bool,
        bounds: impl Iterator<Item = u128>,
    ) -> Option<Self> {
        let least = 1 << (FRACTION_BITS - depth.clamp(1, FRACTION_BITS));
        let doubled = (0..).zip(bounds).map(|(outcome, bound)| match is_doubled && outcome > 0 {
            // Of two outcomes that are certain together, the best bound is the largest number.
            true => bound.saturating_mul(2),
            false => bound,
        });
        let likely = doubled.take_while(|bound| *bound >= least);
        Self::new(0, likely.take(MAX_OUTCOMES + 1).collect())
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
    /// Gives each outcome ⌊2^w·bound⌋ words of w = `word_bits` ≤ 32 bits, its bound taken from
    /// `distribution`; the likeliest gets one less where no word would be undecided. `None` if the
    /// bounds add up to more than 1.
    pub(crate) fn all(distribution: &LowerBounds, word_bits: u32) -> Option<Self> {
        let (first, mut masses) = whole_words(distribution, word_bits)?;
        let mut undecided = (1 << word_bits) - masses.iter().sum::<u64>();
        if undecided == 0 {
            // All probabilities are whole words. The remainder has to be a distribution
            // nevertheless.
            *masses.iter_mut().max().expect("all words are those of some outcome") -= 1;
            undecided = 1;
        }
        Some(Self { word_bits, first, masses, undecided })
    }

    /// Leaves C = 2^b words undecided, for the least b with which the 2^b likeliest outcomes take
    /// the others. `None` if b would exceed `most_bits`, or the bounds add up to more than 1.
    pub(crate) fn all_but_few(
        distribution: &LowerBounds,
        word_bits: u32,
        most_bits: u32,
    ) -> Option<Self> {
        let (first, words) = whole_words(distribution, word_bits)?;
        let (bits, kept, mut excess) = fewest(&words, word_bits, most_bits.min(word_bits - 1))?;
        let first = first.checked_add(i64::try_from(kept.start).ok()?)?;
        let mut masses = words[kept].to_vec();
        // From the likeliest outcomes first.
        while excess > 0 {
            let largest = masses.iter_mut().max().expect("an outcome has the words in excess");
            // An excess beyond 64 bits is more than the outcome has.
            let taken = u64::try_from(excess).map_or(*largest, |excess| excess.min(*largest));
            *largest -= taken;
            excess -= u128::from(taken);
        }
        Some(Self { word_bits, first, masses, undecided: 1 << bits })
    }

    /// m(`outcome`), the number of words that yield `outcome`; 0 for outcomes that are not listed.
    fn mass(&self, outcome: i64) -> u64 {
        let position = outcome.checked_sub(self.first).map(usize::try_from);
        let mass = position.and_then(|position| self.masses.get(position.ok()?));
        // Outcomes before the first mass or after the last have no words.
        mass.copied().unwrap_or(0)
    }
}

/// The first outcome that gets a word, and ⌊2^w·bound⌋ for each from there to the last. `None` if
/// the bounds add up to more than 1: then some bound exceeds its probability.
fn whole_words(distribution: &LowerBounds, word_bits: u32) -> Option<(i64, Vec<u64>)> {
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
    Some((distribution.first.checked_add(i64::try_from(leading).ok()?)?, masses))
}

/// The least b ≤ `most` for which the 2^b likeliest outcomes have 2^w − 2^b words or more, w being
/// `word_bits`; the positions of these outcomes in `words`; and how many words they have too many.
/// `None` if there is no such b.
fn fewest(words: &[u64], word_bits: u32, most: u32) -> Option<(u32, Range<usize>, u128)> {
    let mut kept = 0..words.len();
    let mut total: u128 = words.iter().copied().map(u128::from).sum();
    let mut fitting = None;
    // The outcomes for a smaller b are some of those for a larger one. Those that are kept are
    // successive: the less likely end goes first.
    for bits in (0..=most).rev() {
        while let [first, .., last] | [first @ last] = &words[kept.clone()]
            && kept.len() > 1 << bits
        {
            if first < last {
                total -= u128::from(*first);
                kept.start += 1;
            } else {
                total -= u128::from(*last);
                kept.end -= 1;
            }
        }
        // Too few words for 2^b outcomes are too few for any smaller b.
        match (total + (1 << bits)).checked_sub(1 << word_bits) {
            Some(excess) => fitting = Some((bits, kept.clone(), excess)),
            None => break,
        }
    }
    fitting
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

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        // An outcome with r(x) > 2^−depth has p(x) > 2^−depth·C/2^w.
        let mut distribution = self.distribution.lower_bounds(depth + self.counts.word_bits)?;
        for (outcome, bound) in (distribution.first..).zip(&mut distribution.bounds) {
            *bound = self.bound(outcome, *bound);
        }
        Some(distribution)
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
