//! Binomial draws of a large standard deviation: a bucket from a table, a uniform place in it,
//! and acceptance by a certified comparison.
//!
//! With the buckets of `laws/binomial_envelope.rs`, of width W = 2^w and weights e^L, draw
//!
//! 1. a bucket or a tail, from one table;
//! 2. in a bucket, a uniform place: the number of successes is k = c + x. With U uniform on
//!    [0, 1), accept it if U < e^−γ, γ = L − D(x); else start again;
//! 3. in a tail, x at the geometric distance g with P(g) ∝ e^(−s·g), and accept it if
//!    U < e^(D(x) − L + s·g), and if 0 ≤ k ≤ n; else start again.
//!
//! k is proposed with weight e^L/W in a bucket and e^(L − s·g)/W in a tail, and accepted with what
//! makes that e^(D(x))/W = P(k)/(P(c)·W). So the law is the binomial one, exactly.
//!
//! # The comparison with e^−γ
//! L is a whole number of units of 2^−55 and the computed D(x) is within 21 of them, so γ < 1/20
//! is known within 21·2^9 units of 2^−64. As [`exp_minus_small`] computes it, e^−γ is then known within
//! 21·2^8 + 11 units of 2^−63, and what the series leaves out is γ^9/9! < 50 of them. U has its
//! first 64 − w bits from the word whose last w bits are the place. It is undecided within
//! [`MARGIN`] units beside these; then more bits of U are compared with enclosures of the exact
//! e^−γ, from logarithms of factorials, as deep as it takes.
//!
//! # Timing
//! Every round uses two words, one table access and the same arithmetic, and less than 1 in 500
//! rounds is rejected. The number of rounds does not depend on the value that is accepted. A round
//! takes longer only where the word of the table is undecided, as it is for every tail, or the
//! comparison.

use alloc::vec::Vec;
use core::fmt::Debug;

use dp_exact::{Interval, Rational, Real};
use rand_core::Rng;

use crate::alias::{Alias, Law};
use crate::enclosure::unit;
use crate::engine::Engine;
use crate::expansion::Expansion;
use crate::exponential::exp_minus_small;
use crate::laws::{Binomial, ERROR, Envelope, FRACTION, units};
use crate::threshold::refine_tie;
use crate::words::{Direct, Source};
use crate::{Error, FromDraw, Touch, Variant, bulk};

/// Units of 2^−63 within which the first comparison does not decide.
const MARGIN: u64 = ERROR.unsigned_abs() * (1 << (63 - FRACTION)) + 128;

/// The sampler for one law.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<P> {
    table: Alias<Envelope<P>>,
}

/// P(k)/P(c)·e^−`level`
#[derive(Debug)]
struct Acceptance<'a, P> {
    law: &'a Envelope<P>,
    k: u64,
    level: Rational,
}

impl<P: Real + Debug> Real for Acceptance<'_, P> {
    fn enclose(&self, precision: u32) -> Interval {
        let logarithm = self.law.binomial().ln_at(precision);
        let level = Interval::rational(&self.level, precision.saturating_add(64));
        let exact = || (logarithm(self.k)? - logarithm(self.law.centre())? - level).exp();
        exact().unwrap_or_else(|| unit(precision))
    }
}

impl<P: Real + Debug> Buckets<P> {
    /// The buckets of a law whose variance is about `variance`; `None` if it is small.
    pub(crate) fn new(law: &Binomial<P>, variance: u64) -> Option<Self> {
        let table = Alias::new(Envelope::new(law, variance)?)?;
        // Tails are too unlikely for the table: what it holds are buckets.
        let mut ends = <[i64; 2]>::from(table.law().support().into_inner()).into_iter();
        ends.all(|tail| !table.holds(tail))
            .then_some(Self { table })
    }

    /// The binomial law.
    pub(crate) fn law(&self) -> &Binomial<P> {
        self.table.law().binomial()
    }

    #[inline]
    fn draw<S: Source>(&self, source: &mut S) -> i64 {
        loop {
            let [first, second] = source.words();
            let drawn = match self.table.look_up(first) {
                Some(bucket) => self.draw_in(bucket, second, source),
                None => self.draw_undecided(second, source),
            };
            if let Some(k) = drawn {
                return k;
            }
        }
    }

    /// A number of successes in this bucket, if it is accepted.
    #[inline]
    fn draw_in<S: Source>(&self, bucket: i64, word: u64, source: &mut S) -> Option<i64> {
        let law = self.table.law();
        let bits = law.width_bits();
        let x = law.place(bucket, (word & !(u64::MAX << bits)).cast_signed());
        let gamma = law.fall(bucket, x).cast_unsigned() << (64 - FRACTION);
        let threshold = exp_minus_small(gamma);
        // In units of 2^−63, U lies between these two.
        let uniform = word >> bits;
        let low = uniform << (bits - 1);
        let high = low + (1 << (bits - 1));
        let accepted = if high + MARGIN <= threshold {
            true
        } else if low >= threshold + MARGIN {
            false
        } else {
            self.accept_exactly(x, units(law.level(bucket)), (uniform, 64 - bits), source)
        };
        accepted.then(|| law.centre().cast_signed() + x)
    }

    /// After an undecided word: a bucket, or a tail.
    #[cold]
    #[inline(never)]
    fn draw_undecided<S: Source>(&self, word: u64, source: &mut S) -> Option<i64> {
        let outcome = self.table.draw_remainder(source);
        match self.table.law().slope(outcome) {
            None => self.draw_in(outcome, word, source),
            Some(slope) => self.draw_in_tail(outcome, units(slope), word, source),
        }
    }

    /// A number of successes in this tail, of slope s, if it is accepted.
    fn draw_in_tail<S: Source>(
        &self,
        tail: i64,
        slope: Rational,
        word: u64,
        source: &mut S,
    ) -> Option<i64> {
        let law = self.table.law();
        let distance: i64 = Expansion::geometric(&slope.reciprocal()?)?.draw(source)?;
        let x = law.place(tail, distance);
        let level = units(law.level(tail)) - slope * Rational::integer(distance);
        let accepted = self.accept_exactly(x, level, (word, 64), source);
        accepted.then(|| law.centre().cast_signed() + x)
    }

    /// Whether U < e^(D(x) − `level`), where the first bits of U are these.
    #[cold]
    #[inline(never)]
    fn accept_exactly<S: Source>(
        &self,
        x: i64,
        level: Rational,
        (uniform, bits): (u64, u32),
        source: &mut S,
    ) -> bool {
        let law = self.table.law();
        let k = law.centre().checked_add_signed(x);
        let Some(k) = k.filter(|k| *k <= law.binomial().trials) else {
            return false;
        };
        refine_tie(&Acceptance { law, k, level }, uniform, bits, source)
    }
}

impl<P: Real + Debug> Engine for Buckets<P> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        T::from_i64(self.draw(&mut Direct(rng)))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        bulk::fill(rng, 2, out, |words| T::from_i64(self.draw(words)))
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Of 2^64 rounds. Units of 2^−63 are two words; U is known within 2^w words.
    fn undecided(&self) -> Option<u64> {
        let comparison = 4 * MARGIN + (2 << self.table.law().width_bits());
        Some(self.table.undecided() + comparison)
    }

    fn variant(&self) -> Variant {
        Variant::Rounds
    }

    fn touches(&self) -> Vec<Touch> {
        self.table.touches()
    }
}

#[cfg(test)]
mod tests;
