//! The expected excess of a sum of s fair signs ±1 over a threshold.
//!
//! With d = 2a − s and a ~ Bin(s, ½), C(t) = E(d − t)₊ is convex, falls, and is linear between the
//! values of d. At t = 2m − s it is 2·Σ_{j>m} P(a ≥ j): sums of positive numbers. Only thresholds
//! t ≥ 0 are asked for.

use crate::count_distribution::CountDistribution;
use dp_exact::convex;
use dp_exact::directed::{Bounds, UNIT, div_up, floor_to_count, index, mul_up, sub_down, to_index};

/// Values below this one may have lost bits. Then 1e-300 is the upper bound, or 0 the lower bound.
pub(super) const TINY: f64 = 1e-300;

/// The side on which a bound on δ lies: below or above the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundSide {
    Lower,
    Upper,
}

impl BoundSide {
    /// The other side.
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }

    /// A bound on this side of the result of one operation, which is `nearest` rounded to nearest.
    pub(super) const fn round(self, nearest: f64) -> f64 {
        match self {
            Self::Lower => nearest.next_down(),
            Self::Upper => nearest.next_up(),
        }
    }

    /// 1 − `roundings`·2^−53 for a lower bound, 1 + `roundings`·2^−53 for an upper one: times this
    /// factor, a rounded sum of positive numbers is a bound on this side.
    pub(super) fn factor(self, roundings: f64) -> f64 {
        match self {
            Self::Lower => 1.0 - roundings * UNIT,
            Self::Upper => 1.0 + roundings * UNIT,
        }
    }

    /// A bound on this side of the probability that is `value` before `pmf` is normalized.
    pub(super) fn normalized(self, pmf: &CountDistribution, value: f64) -> f64 {
        match self {
            Self::Lower => pmf.normalized_down(value),
            Self::Upper => pmf.normalized_up(value),
        }
    }
}

/// Bounds from one side on C(t) = E(d − t)₊ of a sum d of fair signs, at d from 0 or −1 on.
#[derive(Clone, Debug)]
pub(super) struct ExpectedExcess {
    side: BoundSide,
    /// The first value of d: 0 if the number s of signs is even, else −1.
    start: f64,
    /// Bounds on C at d = start, start + 2, ….
    values: Vec<f64>,
}

impl ExpectedExcess {
    /// The bounds from `side` on C(t) = E(d − t)₊ for the sum d of s = `steps` fair signs. `None`
    /// if floats do not hold tails to e^−`depth`.
    pub(super) fn new(steps: u64, depth: f64, side: BoundSide) -> Option<Self> {
        let fair = Bounds { lower: 1.0, upper: 1.0 };
        let pmf = CountDistribution::binomial(steps, fair, depth)?;
        let middle = to_index((steps / 2).checked_sub(pmf.first)?);
        let probabilities = if side == BoundSide::Upper { &pmf.upper } else { &pmf.lower };
        let factor = side.factor(4.0);
        let (mut tail, mut sum) = (0.0, 0.0);
        if side == BoundSide::Upper && pmf.outside[1] > 0.0 {
            // f(last + i) ≤ f(last)·r^i beyond: Σ_{j>last} P(a ≥ j) ≤ f(last)·r/(1 − r)².
            let last = *pmf.upper.last()?;
            let ratio = div_up(last, *pmf.lower.get(pmf.lower.len().checked_sub(2)?)?);
            let rest = sub_down(1.0, ratio);
            (tail, sum) = (pmf.outside[1], div_up(div_up(mul_up(last, ratio), rest), rest));
        }
        let mut values = vec![sum];
        for probability in probabilities[middle + 1..].iter().rev() {
            tail = (tail + probability) * factor;
            sum = (sum + tail) * factor;
            values.push(sum);
        }
        values.reverse();
        let scale = side.normalized(&pmf, 2.0);
        values.iter_mut().for_each(|value| *value = side.round(*value * scale).max(0.0));
        let start = if steps.is_multiple_of(2) { 0.0 } else { -1.0 };
        Some(Self { side, start, values })
    }

    /// A bound on C(t) = E(d − t)₊ at t = `threshold` ≥ 0, from the side `self.side`. From the end
    /// of the table on it is the last value, or 0 from below; where it is less than 1e-300 it is
    /// 1e-300, or 0 from below.
    pub(super) fn at(&self, threshold: f64) -> f64 {
        // C falls, so that an upper bound is taken somewhat before, a lower bound somewhat after.
        let place = (self.side.opposite().round(threshold - self.start) * 0.5).max(0.0);
        let last = self.values.len() - 1;
        let node = to_index(floor_to_count(place, last as u64));
        let is_upper = self.side == BoundSide::Upper;
        if node >= last {
            return if is_upper { self.values[last] } else { 0.0 };
        }
        let share = place - index(node);
        let value = self.values[node] * (1.0 - share) + self.values[node + 1] * share;
        let value = value * self.side.factor(16.0);
        match value < TINY {
            true if is_upper => TINY,
            true => 0.0,
            false => value,
        }
    }
}

/// Points (threshold, value) on or above a convex falling curve, by ascending threshold.
#[derive(Clone, Debug)]
pub(super) struct PointCurve(pub(super) Vec<(f64, f64)>);

impl PointCurve {
    /// Upper bound on the curve at `threshold`, by the chord there; infinite below the first point,
    /// the last value after the last point, and at least 1e-300.
    pub(super) fn at(&self, threshold: f64) -> f64 {
        let Self(points) = self;
        let place = points.partition_point(|&(t, _)| t <= threshold);
        match (place.checked_sub(1).map(|before| points[before]), points.get(place)) {
            (Some(left), Some(&right)) => convex::chord(left, right, threshold).max(TINY),
            (Some((_, last)), None) => last.max(TINY),
            // No threshold is below the first point.
            (None, _) => f64::INFINITY,
        }
    }
}
