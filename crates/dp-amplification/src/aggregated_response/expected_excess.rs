//! The expected excess of a sum of s fair signs ±1 over a threshold.
//!
//! With d = 2a − s and a ~ Bin(s, ½), C(t) = E(d − t)₊ is convex, falls, and is linear between the
//! values of d. At t = 2m − s it is 2·Σ_{j>m} P(a ≥ j): sums of positive numbers. Only thresholds
//! t ≥ 0 are asked for.

use crate::count_distribution::CountDistribution;
use dp_exact::directed::{
    Bounds, UNIT, div_up, floor_to_count, index, mul_down, mul_up, sub_down, to_index,
};

/// Values below this one may have lost bits. Then 1e-300 is the upper bound, or 0 the lower bound.
const TINY: f64 = 1e-300;

/// The side on which a bound on δ lies: below or above the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundSide {
    Lower,
    Upper,
}

/// Bounds from one side on C(t) = E(d − t)₊, the mean excess over t of a sum d of s fair signs. The
/// t are the values of d from 0 or −1 on.
#[derive(Clone, Debug)]
pub(super) struct ExpectedExcess {
    side: BoundSide,
    /// The first value of d: 0 if the number s of signs is even, else −1.
    start: f64,
    /// Bounds on C at d = start, start + 2, ….
    values: Vec<f64>,
}

impl ExpectedExcess {
    /// The table for s = `steps` signs, with tails followed to e^−`depth`. `None` if floats do not
    /// hold the tails.
    pub(super) fn new(steps: u64, depth: f64, side: BoundSide) -> Option<Self> {
        let fair = Bounds { lower: 1.0, upper: 1.0 };
        let pmf = CountDistribution::binomial(steps, fair, depth)?;
        let middle = to_index((steps / 2).checked_sub(pmf.first)?);
        let values = match side {
            BoundSide::Lower => lower(&pmf, middle),
            BoundSide::Upper => upper(&pmf, middle)?,
        };
        let start = if steps.is_multiple_of(2) { 0.0 } else { -1.0 };
        Some(Self { side, start, values })
    }

    /// A bound on C(`threshold`) from the side `self.side`, for a `threshold` of at least 0.
    pub(super) fn at(&self, threshold: f64) -> f64 {
        // C falls, so that an upper bound is taken somewhat before, a lower bound somewhat after.
        let (place, margin) = match self.side {
            BoundSide::Upper => ((threshold - self.start).next_down(), 1.0 + 16.0 * UNIT),
            BoundSide::Lower => ((threshold - self.start).next_up(), 1.0 - 16.0 * UNIT),
        };
        let place = (place * 0.5).max(0.0);
        let last = self.values.len() - 1;
        let node = to_index(floor_to_count(place, last as u64));
        if node >= last {
            return match self.side {
                BoundSide::Upper => self.values[last],
                BoundSide::Lower => 0.0,
            };
        }
        let share = place - index(node);
        let value = (self.values[node] * (1.0 - share) + self.values[node + 1] * share) * margin;
        match self.side {
            BoundSide::Upper => value.max(TINY),
            BoundSide::Lower if value < TINY => 0.0,
            BoundSide::Lower => value,
        }
    }
}

/// Upper bounds on the mean excess C at the values 2a − s of d. The number a of positive signs goes
/// from index `middle` of the window `pmf` to its end. `None` if floats do not hold the bounds.
pub(super) fn upper(pmf: &CountDistribution, middle: usize) -> Option<Vec<f64>> {
    // Beyond the window f(last + i) ≤ f(last)·r^i, so that Σ_{j>last} P(a ≥ j) is at most
    // f(last)·r/(1 − r)².
    let mut tail = pmf.outside[1];
    let mut sum = 0.0;
    if tail > 0.0 {
        let last = *pmf.upper.last()?;
        let ratio = div_up(last, *pmf.lower.get(pmf.lower.len().checked_sub(2)?)?);
        let rest = sub_down(1.0, ratio);
        sum = div_up(div_up(mul_up(last, ratio), rest), rest);
    }
    let mut values = Vec::with_capacity(pmf.upper.len() - middle);
    values.push(sum);
    for &value in pmf.upper[middle + 1..].iter().rev() {
        tail = (tail + value) * (1.0 + 4.0 * UNIT);
        sum = (sum + tail) * (1.0 + 4.0 * UNIT);
        values.push(sum);
    }
    values.reverse();
    let scale = div_up(2.0, pmf.total_lower);
    values
        .iter_mut()
        .filter(|value| **value > 0.0)
        .for_each(|value| *value = mul_up(*value, scale));
    Some(values)
}

/// Lower bounds on the mean excess C at the values 2a − s of d. The number a of positive signs goes
/// from index `middle` of the window `pmf` to its end.
pub(super) fn lower(pmf: &CountDistribution, middle: usize) -> Vec<f64> {
    let (mut tail, mut sum) = (0.0, 0.0);
    let mut values = vec![sum];
    for &value in pmf.lower[middle + 1..].iter().rev() {
        tail = (tail + value) * (1.0 - 4.0 * UNIT);
        sum = (sum + tail) * (1.0 - 4.0 * UNIT);
        values.push(sum);
    }
    values.reverse();
    let scale = pmf.normalized_down(2.0);
    values.iter_mut().for_each(|value| *value = mul_down(*value, scale).max(0.0));
    values
}
