//! The buckets that a wide binomial distribution is drawn through.
//!
//! Let D(x) = ln(P(c + x)/P(c)) with a centre c such that c − 1 ≤ (n + 1)·p ≤ c + 1. Then D falls
//! from x = 0 upward and from x = −1 downward, for P(k + 1)/P(k) = (n − k)·p/((k + 1)·q), and it
//! falls ever faster, for that ratio falls with k. Outcome m ≥ 0 of the law here stands for the
//! bucket of x = mW, …, mW + W − 1, and −1 − m for that of −1 − x with the same x; W = 2^w. The
//! outcome has a weight e^L with L ≥ D on all of its bucket: L is the computed D at the start of
//! the bucket plus twice the bound of its error, so that the computed D never exceeds L either.
//!
//! One outcome more on each side stands for all x beyond: y = MW + g, g ≥ 0. There
//! D ≤ L − s·g, where s is a lower bound for the first fall D(MW) − D(MW + 1). The weight of that
//! tail is Σ_g e^(L − s·g)/W = e^L/(W·(1 − e^−s)).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Dyadic, Interval, Rational, Real};
use num_bigint::BigInt;

use super::Binomial;
use super::binomial_curve::{Curve, ERROR, FRACTION};
use crate::alias::{Law, LowerBounds};
use crate::enclosure::{exp_minus, one_minus_exp_minus, unit};
use crate::fixed::{ALMOST_ONE, FRACTION_BITS, lower_bound};

/// Buckets start where D ≥ −45; less than 2^−64 of the weight lies beyond.
const DEPTH: i64 = 45 << FRACTION;

/// D falls by less than 1/20 within a bucket.
const MAX_FALL: i64 = (1 << FRACTION) / 20;

/// W is the least power of two with npq ≤ 450²·W²: the table then has 8192 cells at most.
const MAX_DEVIATION: u64 = 450;

/// Precision of numbers before they are cut to 128 bits.
const PRECISION: u32 = 192;

/// The law of the buckets.
#[derive(Clone, Debug)]
pub(crate) struct Envelope<P> {
    law: Binomial<P>,
    pub(super) curve: Curve,
    centre: u64,
    width_bits: u32,
    /// The largest L.
    top: i64,
    up: Tail,
    down: Tail,
}

/// Where the buckets of a side end.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// M
    buckets: i64,
    /// s in units of 2^−55.
    slope: i64,
}

impl<P: Real + Debug> Envelope<P> {
    /// The buckets of this law, whose variance is about `variance`; `None` if a bound that the
    /// draws rest on does not hold, as where the variance is small.
    pub(crate) fn new(law: &Binomial<P>, variance: u64) -> Option<Self> {
        let centre = centre(law)?;
        let curve = Curve::new(law, centre, variance)?;
        let wide = |bits: &u32| variance <= (MAX_DEVIATION * MAX_DEVIATION) << (2 * bits);
        let width_bits = (1..=20).find(wide)?;
        let none = Tail {
            buckets: 0,
            slope: 0,
        };
        let mut envelope = Self {
            law: law.clone(),
            curve,
            centre,
            width_bits,
            top: 0,
            up: none,
            down: none,
        };
        envelope.up = envelope.tail(false)?;
        envelope.down = envelope.tail(true)?;
        envelope.top = envelope.level(0).max(envelope.level(-1));
        envelope.holds().then_some(envelope)
    }

    /// Whether every bucket lies above the curve, closely enough for the first comparison, and none above
    /// the highest.
    fn holds(&self) -> bool {
        self.support().all(|outcome| {
            let fall = self.fall(outcome, self.place(outcome, self.width() - 1));
            (0..MAX_FALL).contains(&fall) && self.level(outcome) <= self.top
        })
    }

    /// The end of the buckets below x = 0 or from there upward.
    fn tail(&self, down: bool) -> Option<Tail> {
        let side = |m: i64| if down { !m } else { m };
        // The last place of the tail's first bucket must lie on the curve.
        let buckets = (1..(self.curve.reach() >> self.width_bits) - 1)
            .find(|&m| self.curve.at(self.place(side(m), 0)) < -DEPTH)?;
        let value = |g| self.curve.at(self.place(side(buckets), g));
        let slope = value(0) - value(1) - 2 * ERROR;
        (slope > 0).then_some(Tail { buckets, slope })
    }

    /// W
    fn width(&self) -> i64 {
        1 << self.width_bits
    }

    /// w
    pub(crate) fn width_bits(&self) -> u32 {
        self.width_bits
    }

    /// The binomial law itself.
    pub(crate) fn binomial(&self) -> &Binomial<P> {
        &self.law
    }

    /// c
    pub(crate) fn centre(&self) -> u64 {
        self.centre
    }

    /// The x at a place of a bucket or, from the first bucket beyond on, of a tail.
    #[inline]
    pub(crate) fn place(&self, outcome: i64, place: i64) -> i64 {
        let sign = outcome >> 63;
        (((outcome ^ sign) << self.width_bits) + place) ^ sign
    }

    /// L in units of 2^−55.
    #[inline]
    pub(crate) fn level(&self, outcome: i64) -> i64 {
        self.curve.at(self.place(outcome, 0)) + 2 * ERROR
    }

    /// L − D(x) for an x of the bucket, within [`ERROR`] units of 2^−55; not negative.
    #[inline]
    pub(crate) fn fall(&self, outcome: i64, x: i64) -> i64 {
        self.level(outcome) - self.curve.at(x)
    }

    /// s in units of 2^−55 if the outcome stands for a tail.
    pub(crate) fn slope(&self, outcome: i64) -> Option<i64> {
        let tail = if outcome < 0 { self.down } else { self.up };
        let magnitude = if outcome < 0 { !outcome } else { outcome };
        (magnitude >= tail.buckets).then_some(tail.slope)
    }

    /// e^(L − top), or the weight of a tail.
    fn weight(&self, outcome: i64, precision: u32) -> Interval {
        let weight = exp_minus(&units(self.top - self.level(outcome)), precision);
        let Some(slope) = self.slope(outcome) else {
            return weight;
        };
        weight
            .shifted(-i64::from(self.width_bits))
            .checked_div(&one_minus_exp_minus(&units(slope), precision))
            .unwrap_or_else(|| unit(precision))
    }

    fn total(&self, precision: u32) -> Interval {
        let none = Interval::integer(0, precision);
        self.support()
            .map(|outcome| self.weight(outcome, precision))
            .fold(none, |sum, weight| sum + weight)
    }
}

/// Lower bounds of e^−y as products of tabulated e^(−d·16^i), d < 16.
struct Exponential(Vec<[u128; 16]>);

impl Exponential {
    fn new() -> Self {
        let digits = (0..16).map(|place| {
            let mut powers = [ALMOST_ONE; 16];
            let one = lower_bound(&exp_minus(&units(1 << (4 * place)), PRECISION));
            for digit in 1..16 {
                powers[digit] = product(powers[digit - 1], one);
            }
            powers
        });
        Self(digits.collect())
    }

    /// e^−y for y ≥ 0 in units of 2^−55: at most 2^9 units of 2^−128 below it. Of 16 digits, each
    /// loses at most 31 units in its table, one for the 1 and two for every product, and one more
    /// in the product of all.
    fn lower_bound(&self, exponent: i64) -> u128 {
        let digit = |place: usize| usize::try_from((exponent >> (4 * place)) & 15).unwrap_or(0);
        let powers = self.0.iter().enumerate();
        powers.fold(ALMOST_ONE, |all, (place, powers)| {
            product(all, powers[digit(place)])
        })
    }
}

/// A number of units of 2^−55.
pub(crate) fn units(number: i64) -> Rational {
    Rational::new(number, 1_u64 << FRACTION).unwrap_or_else(|_| Rational::zero())
}

/// A number c of successes that is certain to be within 1 of (n + 1)·p.
fn centre<P: Real + Debug>(law: &Binomial<P>) -> Option<u64> {
    let [p, _] = law.sides(PRECISION);
    let mean = p * Interval::integer(law.trials.saturating_add(1), PRECISION);
    let centre: BigInt = (mean.lower().floor_shifted(1) + 1) >> 1_u32;
    let within = *mean.lower() >= Dyadic::new(&centre - 1, 0)
        && *mean.upper() <= Dyadic::new(&centre + 1, 0);
    within.then(|| u64::try_from(centre).ok())?
}

impl<P: Real + Debug> Law for Envelope<P> {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let total = self.total(precision.saturating_add(16));
        Box::new(move |outcome| {
            self.weight(outcome, precision)
                .checked_div(&total)
                .unwrap_or_else(|| unit(precision))
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        !self.down.buckets..=self.up.buckets
    }

    fn lower_bounds(&self, _depth: u32) -> Option<LowerBounds> {
        let exponential = Exponential::new();
        let weights: Vec<u128> = self
            .support()
            .map(|outcome| match self.slope(outcome) {
                Some(_) => lower_bound(&self.weight(outcome, PRECISION)),
                None => exponential.lower_bound(self.top - self.level(outcome)),
            })
            .collect();
        let sum: BigInt = weights.iter().copied().map(BigInt::from).sum();
        let slack = BigInt::from(weights.len()) << 9_u32;
        let end = |sum| Dyadic::new(sum, -i64::from(FRACTION_BITS));
        let total = Interval::hull_of(end(sum.clone()), end(sum + slack), PRECISION);
        let scale = lower_bound(&Interval::integer(1, PRECISION).checked_div(&total)?);
        let bounds = weights.iter().map(|weight| product(*weight, scale));
        LowerBounds::new(*self.support().start(), bounds.collect())
    }
}

#[cfg(test)]
pub(crate) mod tests;
