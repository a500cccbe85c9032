//! Binomial numbers and subsets, from fair coins by the thousand million.
//!
//! How many of 2^i fair coins fall on one side has a table of its own ([`Binomial`]), and any number of coins is a sum of
//! such powers. A binomial number of any probability and a subset are made of coins digit by digit, so that nothing but
//! the probabilities' 128 binary digits is rounded: 10^12 clients are off their law by at most 10^−26 in total variation.

use std::sync::OnceLock;

use dp_exact::{Interval, ParameterError, Rational};
use dp_samplers::Binomial;
use num_traits::ToPrimitive as _;
use rand_core::CryptoRng;

use crate::Error;

/// The most coins that are thrown at once.
const MAX_COINS: u64 = Binomial::MAX_TRIALS;

/// The laws that were asked for, by their number of coins: they are the same for every run.
static LAWS: [OnceLock<Binomial>; 40] = [const { OnceLock::new() }; 40];

/// The last 2^6 − 1 coins are counted in a word, not drawn from a table.
const IN_A_WORD: u32 = 6;

/// A probability in units of 2^−128, rounded down; the largest stands for 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probability(pub(super) u128);

impl Probability {
    /// A fraction; 1 if the numerator is not below the denominator.
    pub(super) const fn ratio(numerator: u64, denominator: u64) -> Self {
        if numerator >= denominator {
            return Self(u128::MAX);
        }
        let (numerator, denominator) = ((numerator as u128) << 64, denominator as u128);
        let rest = (numerator % denominator) << 64;
        Self(((numerator / denominator) << 64) | (rest / denominator))
    }

    /// The lower end of an enclosure.
    pub(super) fn enclosed(enclosure: &Interval) -> Self {
        let digits = enclosure.lower().floor_shifted(128);
        // A negative end is one of a number that is about 0.
        Self(digits.to_u128().unwrap_or(0))
    }
}

/// What totals are drawn with.
pub(super) trait Draws {
    /// How many of `count` independent events of this probability happen.
    fn successes(&mut self, count: u64, probability: Probability) -> u64;

    /// How many of `wanted` things, drawn without replacement, are of each kind, of which there are `counts`,
    /// together at least as many: every subset is as likely as every other.
    fn subset(&mut self, counts: &[u64], wanted: u64) -> Vec<u64>;

    /// How many of `count` things fall into each class, if the first one has the first of these probabilities, the
    /// second one the second among those that are not in the first, and so on; the rest fall into a last class.
    fn classes(&mut self, count: u64, conditional: &[Probability]) -> Vec<u64> {
        let mut left = count;
        let class = |probability: &Probability| {
            let class = self.successes(left, *probability);
            left -= class;
            class
        };
        let mut classes: Vec<u64> = conditional.iter().map(class).collect();
        classes.push(left);
        classes
    }
}

/// The laws of 2^i coins for each i, of which any number of coins is made up.
#[derive(Debug)]
pub(super) struct Tables(Vec<Binomial>);

impl Tables {
    /// For up to so many coins at once.
    ///
    /// # Errors
    /// If that is more than [`MAX_COINS`].
    pub(super) fn new(count: u64) -> Result<Self, Error> {
        if count > MAX_COINS {
            let accepted = format!("at most {MAX_COINS}, where totals are drawn from their laws");
            return Err(ParameterError::new("clients", count, accepted).into());
        }
        let powers = IN_A_WORD..u64::BITS - count.leading_zeros();
        let laws = powers.zip(&LAWS).map(|(power, kept)| {
            if let Some(law) = kept.get() {
                return Ok(law.clone());
            }
            let half = Rational::integer(2).reciprocal();
            let law = Binomial::new(1 << power, half.unwrap_or_else(Rational::one))?;
            Ok(kept.get_or_init(|| law).clone())
        });
        let laws = laws.collect::<Result<_, dp_samplers::Error>>();
        Ok(Self(laws.map_err(dp_prio3::Error::from)?))
    }

    /// A thrower with this generator.
    pub(super) const fn thrown_by<R>(&self, rng: R) -> Coins<'_, R> {
        Coins { tables: self, rng }
    }
}

/// Coins that a generator throws.
#[derive(Debug)]
pub(super) struct Coins<'a, R> {
    tables: &'a Tables,
    rng: R,
}

impl<R: CryptoRng> Coins<'_, R> {
    /// Of `count` fair coins, how many fall on one side.
    fn half(&mut self, count: u64) -> u64 {
        if count == 0 {
            return 0;
        }
        let few = count & ((1 << IN_A_WORD) - 1);
        let word = self.rng.next_u64() & ((1 << few) - 1);
        let mut side = u64::from(word.count_ones());
        for (power, law) in (IN_A_WORD..).zip(&self.tables.0) {
            if count >> power & 1 == 1 {
                side += law.sample(&mut self.rng);
            }
        }
        side
    }
}

impl<R: CryptoRng> Draws for Coins<'_, R> {
    fn successes(&mut self, count: u64, probability: Probability) -> u64 {
        successes(count, probability, &mut |count| self.half(count))
    }

    fn subset(&mut self, counts: &[u64], wanted: u64) -> Vec<u64> {
        subset(counts, wanted, &mut |count| self.half(count))
    }
}

/// Each event is U < p for a uniform U of its own, whose binary digits are thrown one after the other. All
/// events whose digits have been those of p so far are alike, so that only their number matters: where p has
/// the digit 1, those that throw 0 have happened, and the others go on; where it has 0, those that throw 1
/// have not. On average half of them go on each time.
pub(super) fn successes(
    count: u64,
    probability: Probability,
    half: &mut dyn FnMut(u64) -> u64,
) -> u64 {
    if probability.0 == u128::MAX {
        return count;
    }
    let (mut happened, mut open, mut digits) = (0, count, probability.0);
    while open > 0 && digits != 0 {
        let zeros = half(open);
        if digits >> 127 == 1 {
            happened += zeros;
            open -= zeros;
        } else {
            open = zeros;
        }
        digits <<= 1;
    }
    happened
}

/// Each thing has a uniform number, and the things of the least numbers are drawn. Their digits are thrown one
/// after the other, for those alone of which it is open whether they are drawn.
pub(super) fn subset(counts: &[u64], wanted: u64, half: &mut dyn FnMut(u64) -> u64) -> Vec<u64> {
    let mut drawn = vec![0; counts.len()];
    let mut open = counts.to_vec();
    let mut wanted = wanted;
    while wanted > 0 {
        let low = match open.iter().sum::<u64>() <= wanted {
            true => open.clone(),
            false => open.iter().map(|open| half(*open)).collect(),
        };
        let all: u64 = low.iter().sum();
        if all > wanted {
            open = low;
            continue;
        }
        for ((drawn, open), low) in drawn.iter_mut().zip(&mut open).zip(low) {
            *drawn += low;
            *open -= low;
        }
        wanted -= all;
        if open.iter().all(|open| *open == 0) {
            break;
        }
    }
    drawn
}
