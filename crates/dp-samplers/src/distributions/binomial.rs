//! The binomial distribution P(k) = C(n, k)·p^k·q^(n−k), q = 1 − p.
//!
//! Lower bounds go out from near the mode by P(k + 1) = P(k)·(n − k)/(k + 1)·p/q and its inverse,
//! where k counts the rarer of successes and failures.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Real};

use super::ln_factorial::LnFactorial;
use crate::enclosure::unit;
use crate::fixed::{FRACTION_BITS, lower_bound, mul_div};
use crate::word_counts::{Distribution, LowerBounds, MAX_OUTCOMES, PRECISION};

/// The number of successes in `trials` trials of probability p in (0, 1).
#[derive(Clone, Debug)]
pub(crate) struct Binomial {
    /// n, the number of trials.
    pub(crate) trials: u64,
    /// p, the probability of success in one trial, in (0, 1).
    pub(crate) probability: Arc<dyn Probability>,
    /// Whether p > 1/2, about: then failures are rarer than successes.
    pub(crate) likely: bool,
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

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let n = self.trials;
        // The rarer outcome first, about: see `likely`.
        let mut sides = self.sides(PRECISION);
        if self.likely {
            sides.reverse();
        }
        let [p, q] = sides;
        // About the likeliest number of the rarer outcome. Bounds hold wherever they start, so that
        // 0 serves where an enclosure of p reaches below 0.
        let mean = &p * &Interval::integer(n + 1, PRECISION);
        let mode = u64::try_from(mean.lower().floor_shifted(0)).unwrap_or(0).min(n);
        let odds = lower_bound(&p.checked_div(&q)?);
        let successes = if self.likely { n - mode } else { mode };
        let start = lower_bound(&self.probability(PRECISION)(i64::try_from(successes).ok()?));
        let worth = |bound: u128| bound >> (FRACTION_BITS - depth) > 0;

        // Likely outcomes lie within ten deviations, about.
        let deviation = usize::try_from(self.variance_bound().isqrt()).ok()?;
        let room = deviation.saturating_mul(10).min(MAX_OUTCOMES);

        // Small odds are shifted up, so that products with them keep their bits.
        let shift = odds.leading_zeros().min(20);
        let (mut up, mut k, mut bound) = (Vec::with_capacity(room), mode, start);
        // P(k + 1) = P(k)·(n − k)/(k + 1)·odds; 0 after k = n.
        while worth(bound) && up.len() <= MAX_OUTCOMES {
            up.push(bound);
            bound = mul_div(product(bound, odds << shift), n - k, (k + 1) << shift);
            k = k.saturating_add(1).min(n);
        }

        // 1/odds = inverse·2^scale, with a fraction.
        let scale = odds.leading_zeros().min(62) + 1;
        let inverse = lower_bound(&q.checked_div(&p)?.shifted(-i64::from(scale)));
        let (mut down, mut k, mut bound) = (Vec::with_capacity(2 * room), mode, start);
        // P(k − 1) = P(k)·k/(n − k + 1)/odds
        while k > 0 && down.len() <= MAX_OUTCOMES {
            let raised = k.checked_mul(1 << scale)?;
            bound = product(mul_div(bound, raised, n - k + 1), inverse);
            if !worth(bound) {
                break;
            }
            down.push(bound);
            k -= 1;
        }
        let mut first = i64::try_from(mode).ok()? - i64::try_from(down.len()).ok()?;
        down.reverse();
        down.append(&mut up);
        if self.likely {
            down.reverse();
            first = i64::try_from(n).ok()? - (first + i64::try_from(down.len()).ok()? - 1);
        }
        LowerBounds::new(first, down)
    }
}
