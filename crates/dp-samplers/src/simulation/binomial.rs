//! The binomial distribution in simulation mode.

use std::fmt::Debug;

use dp_exact::{Rational, Real};
use rand_core::Rng;

use super::lanes::{self, Lanes};
use crate::alias::Short;
use crate::words::Direct;
use crate::{Error, FromDraw, bulk, laws};

/// The binomial distribution, exactly, for simulations only.
///
/// [`crate::Binomial`] is the one that may protect somebody; it also serves here for standard
/// deviations above about 3000, where short words gain nothing.
#[derive(Debug)]
pub struct Binomial<P = Rational> {
    engine: Engine<P>,
}

#[derive(Debug)]
enum Engine<P> {
    Sixteen(Short<laws::Binomial<P>>, Count),
    ThirtyTwo(Short<laws::Binomial<P>>, Count),
    Full(crate::Binomial<P>),
}

/// What is counted: successes, or failures of so many trials.
#[derive(Clone, Copy, Debug)]
struct Count(Option<i64>);

impl Count {
    #[inline]
    fn successes(self, outcome: i64) -> i64 {
        self.0.map_or(outcome, |trials| trials - outcome)
    }
}

impl<P: Real + Debug> Binomial<P> {
    /// The number of successes in `trials` independent trials of this probability.
    ///
    /// # Errors
    /// As [`crate::Binomial::new`].
    pub fn new(trials: u64, probability: P) -> Result<Self, Error> {
        let full = crate::Binomial::new(trials, probability)?;
        let table = |word_bits| {
            let law = full.law()?;
            let trials = law.complement.then(|| i64::try_from(trials));
            Some((
                Short::new(law.clone(), word_bits)?,
                Count(trials.transpose().ok()?),
            ))
        };
        let engine = if let Some((table, count)) = table(16) {
            Engine::Sixteen(table, count)
        } else if let Some((table, count)) = table(32) {
            Engine::ThirtyTwo(table, count)
        } else {
            Engine::Full(full)
        };
        Ok(Self { engine })
    }

    /// Draws a number of successes.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        let mut source = Direct(rng);
        let outcome = match &self.engine {
            Engine::Sixteen(table, count) => {
                count.successes(Lanes::<_, 16>::new(&mut source).draw(table))
            }
            Engine::ThirtyTwo(table, count) => {
                count.successes(Lanes::<_, 32>::new(&mut source).draw(table))
            }
            Engine::Full(law) => return law.draw_count(rng),
        };
        // Between 0 and the number of trials.
        outcome.try_into().unwrap_or(0)
    }

    /// Fills a slice with independent draws, several from a word.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`.
    pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        match &self.engine {
            Engine::Sixteen(table, count) => bulk::complete(
                lanes::fill::<16, 4, _, _, _>(table, rng, out, |outcome| count.successes(outcome)),
                out,
            ),
            Engine::ThirtyTwo(table, count) => bulk::complete(
                lanes::fill::<32, 2, _, _, _>(table, rng, out, |outcome| count.successes(outcome)),
                out,
            ),
            Engine::Full(law) => law.fill_with(rng, out),
        }
    }

    /// The size of the tables in bytes, at most 1.5 MiB.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &self.engine {
            Engine::Sixteen(table, _) | Engine::ThirtyTwo(table, _) => table.bytes(),
            Engine::Full(law) => law.table_bytes(),
        }
    }
}
