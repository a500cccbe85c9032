//! Binomial numbers and random subsets from fair coins, thousands of millions at a time.
//!
//! A table gives the number of heads among 2^i fair coins ([`Binomial`]), and any number of coins
//! is a sum of powers of 2. Binomial numbers of any probability, and subsets, are made of coins
//! digit by digit. Only the probabilities are rounded, to 128 binary digits: for 10^12 clients the
//! total variation distance to the exact distribution is at most 10^−26.

use std::sync::OnceLock;

use dp_exact::{Interval, ParameterError, Rational};
use dp_samplers::Binomial;
use num_traits::ToPrimitive as _;
use rand_core::CryptoRng;

use crate::Error;

/// The most coins that are thrown at once.
const MAX_COINS: u64 = Binomial::MAX_TRIALS;

/// At index i the table for 2^(i + 6) coins, built at its first use.
static TABLES: [OnceLock<Binomial>; 40] = [const { OnceLock::new() }; 40];

/// Fewer than 2^6 coins are bits of a word and need no table.
const IN_A_WORD: u32 = 6;

/// A probability in units of 2^−128, rounded down; the largest value stands for 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probability(pub(super) u128);

impl Probability {
    /// numerator/denominator, rounded down; 1 if the numerator is not below the denominator.
    pub(super) const fn ratio(numerator: u64, denominator: u64) -> Self {
        if numerator >= denominator {
            return Self(u128::MAX);
        }
        let (numerator, denominator) = ((numerator as u128) << 64, denominator as u128);
        let rest = (numerator % denominator) << 64;
        Self(((numerator / denominator) << 64) | (rest / denominator))
    }

    /// The lower end of an interval, rounded down; 0 if the end is negative.
    pub(super) fn enclosed(enclosure: &Interval) -> Self {
        Self(enclosure.lower().floor_shifted(128).to_u128().unwrap_or(0))
    }
}

/// Fair coins and the counts made of them: [`FairCoins`] at random, the tests by enumerating all
/// outcomes.
pub(super) trait DrawCounts {
    /// The number of heads among `count` fair coins.
    fn heads(&mut self, count: u64) -> u64;

    /// How many of `count` independent events of this probability happen.
    ///
    /// An event happens if U < p for its own uniform U, whose binary digits are thrown one by one.
    /// An event is open while its digits equal the digits of p. At a digit 1 of p, open events that
    /// throw 0 happen; at a digit 0, open events that throw 1 do not happen.
    fn successes(&mut self, count: u64, probability: Probability) -> u64 {
        if probability.0 == u128::MAX {
            return count;
        }
        let (mut happened, mut open, mut digits) = (0, count, probability.0);
        while open > 0 && digits != 0 {
            let zeros = self.heads(open);
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

    /// The number of things of each kind in a uniformly random subset of `size` things. There are
    /// `counts[i]` things of kind i, at least `size` together.
    ///
    /// Each thing has a uniform number, and the things with the smallest numbers are drawn. Binary
    /// digits are thrown one by one, only for the things that may or may not be drawn.
    fn subset(&mut self, counts: &[u64], mut size: u64) -> Vec<u64> {
        let mut drawn = vec![0; counts.len()];
        let mut open = counts.to_vec();
        while size > 0 {
            let low = match open.iter().sum::<u64>() <= size {
                true => open.clone(),
                false => open.iter().map(|open| self.heads(*open)).collect(),
            };
            let all: u64 = low.iter().sum();
            if all > size {
                open = low;
                continue;
            }
            for ((drawn, open), low) in drawn.iter_mut().zip(&mut open).zip(low) {
                *drawn += low;
                *open -= low;
            }
            size -= all;
        }
        drawn
    }

    /// How many of `count` things fall into each class. `conditional[i]` is the probability of
    /// class i given that the thing is in no class before it; a last class takes the rest.
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

/// The tables for throwing up to `count` coins at once; `Err` if `count` exceeds [`MAX_COINS`].
pub(super) fn tables(count: u64) -> Result<Vec<&'static Binomial>, Error> {
    if count > MAX_COINS {
        let accepted = format!("at most {MAX_COINS} without Prio3 (--ideal)");
        return Err(ParameterError::new("clients", count, accepted).into());
    }
    let half = "1/2".parse::<Rational>()?;
    let powers = (IN_A_WORD..u64::BITS - count.leading_zeros()).zip(&TABLES);
    let tables = powers.map(|(power, table)| {
        if let Some(table) = table.get() {
            return Ok(table);
        }
        let built = Binomial::new(1 << power, half.clone()).map_err(dp_prio3::Error::from)?;
        Ok(table.get_or_init(|| built))
    });
    tables.collect()
}

/// Fair coins from a random generator.
#[derive(Debug)]
pub(super) struct FairCoins<'a, R> {
    /// At index i the table for 2^(i + 6) coins.
    pub(super) tables: &'a [&'static Binomial],
    pub(super) rng: R,
}

impl<R: CryptoRng> DrawCounts for FairCoins<'_, R> {
    fn heads(&mut self, count: u64) -> u64 {
        if count == 0 {
            return 0;
        }
        let few = count & ((1 << IN_A_WORD) - 1);
        let word = self.rng.next_u64() & ((1 << few) - 1);
        let mut heads = u64::from(word.count_ones());
        for (power, table) in (IN_A_WORD..).zip(self.tables) {
            if count >> power & 1 == 1 {
                heads += table.sample(&mut self.rng);
            }
        }
        heads
    }
}
