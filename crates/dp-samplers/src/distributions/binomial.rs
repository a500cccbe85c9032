//! The binomial distribution P(k) = C(n, k)·p^k·q^(n−k), q = 1 − p.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::iter::once;
use core::ops::RangeInclusive;

use dp_exact::{Interval, Real};

use super::ln_factorial::LnFactorial;
use crate::enclosure::unit;
use crate::fixed::lower_bound;
use crate::word_counts::{Distribution, LEAST_BOUND, LowerBounds, MAX_OUTCOMES, PRECISION};

/// The number of successes in `trials` trials of probability p in (0, 1).
#[derive(Clone, Debug)]
pub(crate) struct Binomial {
    /// n, the number of trials.
    pub(crate) trials: u64,
    /// p, the probability of success in one trial, in (0, 1).
    pub(crate) probability: Arc<dyn Probability>,
    /// Bits of precision that 1 − p loses where p is close to 1; added to each precision asked for.
    pub(crate) lost_bits: u32,
}

/// A success probability that is known by enclosures.
pub(crate) trait Probability: Real + Debug + Send + Sync {}

impl<P: Real + Debug + Send + Sync> Probability for P {}

impl Binomial {
    /// Enclosures of p and q = 1 − p, computed with `precision` + `lost_bits` bits.
    pub(super) fn sides(&self, precision: u32) -> [Interval; 2] {
        let precision = precision.saturating_add(self.lost_bits);
        let p = self.probability.enclose(precision);
        let q = Interval::integer(1, precision) - &p;
        [p, q]
    }

    /// Upper bound on the variance np(1 − p), above it by at most about 1; [`u64::MAX`] if the
    /// enclosure of p is too wide.
    pub(crate) fn variance_bound(&self) -> u64 {
        let [p, q] = self.sides(PRECISION);
        let variance = p * q * Interval::integer(self.trials, PRECISION);
        // An enclosure of p that is too wide for a bound gives the largest, which no engine serves.
        u64::try_from(variance.upper().floor_shifted(0)).map_or(u64::MAX, |floor| floor + 1)
    }

    /// ln P(k), the logarithm of the probability of k ≤ n successes, enclosed with a width of at
    /// most about 2^−`precision`. `None` if an enclosure of p or 1 − p reaches 0.
    pub(crate) fn ln_at(&self, precision: u32) -> impl Fn(u64) -> Option<Interval> {
        // It is a difference of numbers of up to n·ln n and n·ln(1/p).
        let bits = u64::BITS - self.trials.leading_zeros();
        let precision = precision.saturating_add(2 * bits + 32);
        let [ln_p, ln_q] = self.sides(precision).map(|side| side.ln());
        let ln_factorial = LnFactorial::new(precision);
        let all = ln_factorial.of(self.trials);
        let times =
            move |count: u64, logarithm: &Interval| Interval::integer(count, precision) * logarithm;
        move |k| {
            let rest = self.trials.checked_sub(k).expect("no more successes than trials");
            let choices = &all - &ln_factorial.of(k) - ln_factorial.of(rest);
            Some(choices + times(k, ln_p.as_ref()?) + times(rest, ln_q.as_ref()?))
        }
    }
}

impl Distribution for Binomial {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let logarithm = self.ln_at(precision);
        Box::new(move |outcome| match u64::try_from(outcome).ok().filter(|k| *k <= self.trials) {
            None => Interval::integer(0, precision),
            // Enclosures of p that reach 0 tell no more than [0, 1] of P(k).
            Some(k) => logarithm(k)
                .and_then(|logarithm| logarithm.exp())
                .unwrap_or_else(|| unit(precision)),
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::try_from(self.trials).expect("there are at most 10^12 trials")
    }

    fn lower_bounds(&self) -> LowerBounds {
        let n = self.trials;
        let [p, q] = self.sides(PRECISION);
        let integer = |count: u64| Interval::integer(count, PRECISION);
        // About the likeliest number. Bounds hold wherever they start, so that 0 serves where an
        // enclosure of p reaches below 0.
        let mean = (&p * &integer(n + 1)).lower().floor_shifted(0);
        let mode = u64::try_from(mean).unwrap_or(0).min(n);
        let start = self.probability(PRECISION)(mode.cast_signed());
        // Bounds of start·(factor of each pair of counts), one after another: numerator, divisor.
        let bounds = |odds: Option<Interval>, counts: &mut dyn Iterator<Item = (u64, u64)>| {
            let next = |probability: &mut Interval, (numerator, divisor): (u64, u64)| {
                let factor = integer(numerator).checked_div(&integer(divisor))? * odds.as_ref()?;
                *probability = &*probability * &factor;
                Some(lower_bound(probability)).filter(|bound| *bound >= LEAST_BOUND)
            };
            counts.take(MAX_OUTCOMES).scan(start.clone(), next).collect::<Vec<u128>>()
        };
        // P(k + 1) = P(k)·(n − k)/(k + 1)·p/q and P(k − 1) = P(k)·k/(n − k + 1)·q/p
        let up = bounds(p.checked_div(&q), &mut (mode..n).map(|k| (n - k, k + 1)));
        let down = bounds(q.checked_div(&p), &mut (1..=mode).rev().map(|k| (k, n - k + 1)));
        let first = mode - down.len() as u64;
        let middle = once(lower_bound(&start));
        let all = down.into_iter().rev().chain(middle).chain(up);
        LowerBounds::new(first.cast_signed(), all)
    }
}
