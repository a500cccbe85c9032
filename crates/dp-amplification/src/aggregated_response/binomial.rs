//! Binomial probabilities in a window, enclosed.
//!
//! f(j+1)/f(j) = (n − j)/(j + 1)·o, with o the odds of one trial. Starting at the mode, every step
//! multiplies positive numbers, so that relative errors add up, one rounding at a time. The ratios
//! fall, so that what lies beyond either end of the window is at most a geometric series.

use dp_exact::directed::{
    Bounds, UNIT, add_up, count, div_down, div_up, floor_to_count, index, mul_down, mul_up,
    sub_down,
};
use dp_exact::{elementary, work};

/// Units of work of a probability.
const EACH: u64 = 15;

/// The value at the mode, which leaves room on both sides.
const START: f64 = 1e200;

/// Where a window ends at the latest, so that no product leaves the normal range.
const SMALLEST: f64 = 1e-280;

/// At most five roundings a step, that of the margin among them.
const STEP_MARGIN: f64 = 16.0 * UNIT;

/// Enclosures of a common multiple c·f(j) of the probabilities, in a window around the mode.
#[derive(Clone, Debug)]
pub(super) struct Binomial {
    /// The j of the first value.
    pub(super) first: u64,
    /// Not above c·f(j).
    pub(super) lower: Vec<f64>,
    /// Not below c·f(j).
    pub(super) upper: Vec<f64>,
    /// Not below what lies below the window, times c.
    pub(super) below: f64,
    /// Not below what lies above the window, times c.
    pub(super) above: f64,
    /// Not below f(last+1)/f(last), and smaller than 1.
    pub(super) ratio_above: f64,
    /// Enclosure of c.
    pub(super) total: Bounds,
}

impl Binomial {
    /// The number of successes of `trials` with these `odds`, down to e^−`depth` of the mode.
    /// `None` if a probability is too close to 0 or 1 for floating point numbers.
    pub(super) fn new(trials: u64, odds: Bounds, depth: f64) -> Option<Self> {
        let share = odds.upper / (1.0 + odds.upper);
        let mode = floor_to_count((count(trials) + 1.0) * share, trials);
        let smallest = (START * elementary::exp(-depth)).max(SMALLEST);
        let n = count(trials);

        let (mut upward, mut place) = (vec![(START, START)], mode);
        let rise = |j: u64, odds: f64| (n - count(j)) / (count(j) + 1.0) * odds;
        while place < trials {
            let Some(next) = step(&upward, rise(place, odds.lower), rise(place, odds.upper)) else {
                break;
            };
            if next.1 < smallest {
                break;
            }
            upward.push(next);
            place += 1;
        }
        work::spend_each(upward.len(), EACH)?;
        let ratio_above = mul_up(div_up(n - count(place), count(place) + 1.0), odds.upper);
        let ratio_above = if place == trials { 0.0 } else { ratio_above };
        let above = beyond(upward.last()?.1, ratio_above)?;

        let (mut downward, mut place) = (vec![(START, START)], mode);
        let fall = |j: u64, odds: f64| count(j) / ((n - count(j) + 1.0) * odds);
        while place > 0 {
            let Some(next) = step(&downward, fall(place, odds.upper), fall(place, odds.lower))
            else {
                break;
            };
            if next.1 < smallest {
                break;
            }
            downward.push(next);
            place -= 1;
        }
        work::spend_each(downward.len(), EACH)?;
        let ratio_below = div_up(count(place), mul_down(n - count(place) + 1.0, odds.lower));
        let ratio_below = if place == 0 { 0.0 } else { ratio_below };
        let below = beyond(downward.last()?.1, ratio_below)?;

        let values = downward.into_iter().rev().chain(upward.into_iter().skip(1));
        let (lower, upper): (Vec<f64>, Vec<f64>) = values.unzip();
        let inside = sums(&lower, &upper);
        Some(Self {
            first: place,
            lower,
            upper,
            below,
            above,
            ratio_above,
            total: Bounds {
                lower: inside.lower,
                upper: add_up(add_up(inside.upper, below), above),
            },
        })
    }

    /// The j of the last value.
    pub(super) fn last(&self) -> u64 {
        self.first + self.upper.len() as u64 - 1
    }

    /// A number that is not below the probability that c times this is not below.
    pub(super) fn normalized_up(&self, value: f64) -> f64 {
        div_up(value, self.total.lower)
    }

    /// A number that is not above the probability that c times this is not above.
    pub(super) fn normalized_down(&self, value: f64) -> f64 {
        div_down(value, self.total.upper).max(0.0)
    }
}

/// The next value, for ratios with at most three roundings.
fn step(values: &[(f64, f64)], low: f64, high: f64) -> Option<(f64, f64)> {
    let &(lower, upper) = values.last()?;
    Some((
        lower * low * (1.0 - STEP_MARGIN),
        upper * high * (1.0 + STEP_MARGIN),
    ))
}

/// Not below end·(r + r² + …).
pub(super) fn beyond(end: f64, ratio: f64) -> Option<f64> {
    if ratio <= 0.0 {
        return Some(0.0);
    }
    let rest = sub_down(1.0, ratio);
    (rest > 0.0).then(|| div_up(mul_up(end, ratio), rest))
}

/// Sums of lower and of upper bounds, rounded outward.
pub(super) fn sums(lower: &[f64], upper: &[f64]) -> Bounds {
    let margin = 4.0 * UNIT * (index(lower.len()) + 2.0);
    Bounds {
        lower: lower.iter().sum::<f64>() * (1.0 - margin),
        upper: upper.iter().sum::<f64>() * (1.0 + margin),
    }
}
