//! Fair coins by the thousand million: how many of n fall on one side.
//!
//! Everything that the ideal functionality draws is made of these, by exact steps: a binomial number of
//! any probability, a multinomial one, a subset ([`super::draws`]).

use std::sync::OnceLock;

use dp_exact::{ParameterError, Rational};
use dp_samplers::Binomial;
use rand_core::CryptoRng;

use crate::Error;

/// The most coins that are thrown at once.
pub(crate) const MAX_COINS: u64 = Binomial::MAX_TRIALS;

/// The laws that were asked for, by their number of coins: they are the same for every run.
static LAWS: [OnceLock<Binomial>; 40] = [const { OnceLock::new() }; 40];

/// Of so many coins the last ones are counted in a word, not drawn from a table.
const IN_A_WORD: u32 = 6;

/// Who throws fair coins.
pub(super) trait Halves {
    /// Of `count` fair coins, at most [`MAX_COINS`], how many fall on one side.
    fn half(&mut self, count: u64) -> u64;
}

/// The laws of 2^i coins for each i, of which any number of coins is made up.
#[derive(Debug)]
pub(crate) struct Tables(Vec<Binomial>);

impl Tables {
    /// For up to so many coins at once.
    ///
    /// # Errors
    /// If that is more than [`MAX_COINS`].
    pub(crate) fn new(count: u64) -> Result<Self, Error> {
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

impl<R: CryptoRng> Halves for Coins<'_, R> {
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
