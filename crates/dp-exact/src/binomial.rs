//! Binomial probabilities in a window around the mode, enclosed by floating point numbers.
//!
//! With n trials of odds o, f(j+1)/f(j) = (n − j)/(j + 1)·o. A window starts at the mode, so every step
//! multiplies positive numbers: nothing cancels, no power of the probability and no binomial coefficient
//! is needed, and relative errors add up, one rounding at a time. The ratios fall as j grows, so what
//! lies beyond either end of the window is at most a geometric series.
//!
//! The window reaches over a multiple of the standard deviation, not over all n.

use alloc::vec;
use alloc::vec::Vec;

use crate::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, index, mul_down,
    mul_up, sub_down,
};
use crate::elementary;

/// The value at the mode, which leaves room on both sides.
const START: f64 = 1e200;

/// Where a window ends at the latest, so that no product leaves the normal range.
const SMALLEST: f64 = 1e-280;

/// At most five roundings a step, that of the margin among them.
const STEP_MARGIN: f64 = 16.0 * UNIT;

/// Most values on one side of the mode: more than 10^12 trials need, at 480 decimal orders below the mode.
const MAX_VALUES: usize = 1 << 25;

/// Enclosures of a common multiple c·f(j) of binomial probabilities, in a window around the mode.
///
/// ```
/// use dp_exact::binomial::BinomialBounds;
/// use dp_exact::directed::Bounds;
///
/// // A thousand fair coins, down to e^−60 of the most likely count.
/// let even = Bounds { lower: 1.0, upper: 1.0 };
/// let window = BinomialBounds::new(1000, even, 60.0).expect("the odds are moderate");
/// let tail = window.tails().at_least(600);
/// assert!(1.36e-10 < tail.lower && tail.upper < 1.37e-10);
/// assert!(tail.upper / tail.lower < 1.0 + 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct BinomialBounds {
    /// n
    pub trials: u64,
    /// The j of the first value.
    pub first: u64,
    /// Not above c·f(j).
    pub lower: Vec<f64>,
    /// Not below c·f(j).
    pub upper: Vec<f64>,
    /// Not below what lies below the window, times c.
    pub below: f64,
    /// Not below what lies above the window, times c.
    pub above: f64,
    /// Not below f(last+1)/f(last), and smaller than 1.
    pub ratio_above: f64,
    /// Enclosure of c.
    pub total: Bounds,
}

impl BinomialBounds {
    /// The number of successes of `trials`, at most 2^53, with these `odds`, down to e^−`depth` of the mode, or to
    /// 10^−480 of it. `None` if a probability is too close to 0 or 1 for floating point numbers.
    #[must_use]
    pub fn new(trials: u64, odds: Bounds, depth: f64) -> Option<Self> {
        let share = odds.upper / (1.0 + odds.upper);
        let mode = floor_to_count((count(trials) + 1.0) * share, trials);
        let smallest = (START * elementary::exp(-depth)).max(SMALLEST);
        let n = count(trials);

        let rise = |j: u64, odds: f64| (n - count(j)) / (count(j) + 1.0) * odds;
        let upward = side(trials - mode, smallest, |step| {
            let j = mode + step;
            (rise(j, odds.lower), rise(j, odds.upper))
        })?;
        let last = mode + upward.len() as u64 - 1;
        let ratio_above = mul_up(div_up(n - count(last), count(last) + 1.0), odds.upper);
        let ratio_above = if last == trials { 0.0 } else { ratio_above };
        let above = geometric_tail(upward.last()?.1, ratio_above)?;

        let fall = |j: u64, odds: f64| count(j) / ((n - count(j) + 1.0) * odds);
        let downward = side(mode, smallest, |step| {
            let j = mode - step;
            (fall(j, odds.upper), fall(j, odds.lower))
        })?;
        let first = mode + 1 - downward.len() as u64;
        let ratio_below = div_up(count(first), mul_down(n - count(first) + 1.0, odds.lower));
        let ratio_below = if first == 0 { 0.0 } else { ratio_below };
        let below = geometric_tail(downward.last()?.1, ratio_below)?;

        let values = downward.into_iter().rev().chain(upward.into_iter().skip(1));
        let (lower, upper): (Vec<f64>, Vec<f64>) = values.unzip();
        let inside = outward_sums(&lower, &upper);
        Some(Self {
            trials,
            first,
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
    #[must_use]
    pub fn last(&self) -> u64 {
        self.first + self.upper.len() as u64 - 1
    }

    /// Upper bound on the probability of which `value` is not below c times.
    #[must_use]
    pub fn normalized_up(&self, value: f64) -> f64 {
        div_up(value, self.total.lower)
    }

    /// Lower bound on the probability of which `value` is not above c times.
    #[must_use]
    pub fn normalized_down(&self, value: f64) -> f64 {
        div_down(value, self.total.upper).max(0.0)
    }

    /// The pairs of j and an enclosure of f(j), in the window.
    pub fn probabilities(&self) -> impl Iterator<Item = (u64, Bounds)> {
        let values = (self.first..).zip(self.lower.iter().zip(&self.upper));
        values.map(|(j, (&lower, &upper))| {
            let lower = self.normalized_down(lower);
            let upper = self.normalized_up(upper);
            (j, Bounds { lower, upper })
        })
    }

    /// Upper bound on the probability of all j outside the window.
    #[must_use]
    pub fn outside(&self) -> f64 {
        self.normalized_up(add_up(self.below, self.above))
    }

    /// Enclosures of the probabilities of at least j successes.
    #[must_use]
    pub fn tails(&self) -> BinomialTailBounds {
        let mut tail = Bounds { lower: 0.0, upper: self.above };
        let values = self.lower.iter().zip(&self.upper).rev();
        let mut tails: Vec<Bounds> = values
            .map(|(&lower, &upper)| {
                tail.lower = add_down(tail.lower, lower);
                tail.upper = add_up(tail.upper, upper);
                Bounds {
                    lower: self.normalized_down(tail.lower),
                    upper: self.normalized_up(tail.upper).min(1.0),
                }
            })
            .collect();
        tails.reverse();
        BinomialTailBounds {
            trials: self.trials,
            first: self.first,
            tails,
            beyond: self.normalized_up(self.above),
        }
    }
}

/// Enclosures of the probabilities of at least j successes, for all j.
#[derive(Clone, Debug)]
pub struct BinomialTailBounds {
    trials: u64,
    first: u64,
    tails: Vec<Bounds>,
    /// Not below what lies above the window.
    beyond: f64,
}

impl BinomialTailBounds {
    /// Enclosure of the probability of at least `j` successes, 0 where `j` is above the number of trials.
    #[must_use]
    pub fn at_least(&self, j: u64) -> Bounds {
        let (mut lower, mut upper) = (0.0, 0.0);
        if j < self.first {
            lower = self.tails.first().map_or(0.0, |tail| tail.lower);
            upper = 1.0;
        } else if j <= self.trials {
            upper = self.beyond;
        }
        let place = j.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        let inside = place.and_then(|place| self.tails.get(place)).copied();
        inside.unwrap_or(Bounds { lower, upper })
    }
}

/// The values from the mode to one side, for ratios with at most three roundings.
fn side(steps: u64, smallest: f64, ratio: impl Fn(u64) -> (f64, f64)) -> Option<Vec<(f64, f64)>> {
    let mut values = vec![(START, START)];
    let (mut lower, mut upper) = (START, START);
    for step in 0..steps {
        let (low, high) = ratio(step);
        lower = lower * low * (1.0 - STEP_MARGIN);
        upper = upper * high * (1.0 + STEP_MARGIN);
        if upper < smallest {
            break;
        }
        if values.len() == MAX_VALUES {
            return None;
        }
        values.push((lower, upper));
    }
    Some(values)
}

/// Not below end·(r + r² + …); `None` unless r is certainly below 1.
#[must_use]
pub fn geometric_tail(end: f64, ratio: f64) -> Option<f64> {
    if ratio <= 0.0 {
        return Some(0.0);
    }
    let rest = sub_down(1.0, ratio);
    (rest > 0.0).then(|| div_up(mul_up(end, ratio), rest))
}

/// Sums of lower and of upper bounds of positive numbers, rounded outward.
#[must_use]
pub fn outward_sums(lower: &[f64], upper: &[f64]) -> Bounds {
    let margin = 4.0 * UNIT * (index(lower.len()) + 2.0);
    Bounds {
        lower: lower.iter().sum::<f64>() * (1.0 - margin),
        upper: upper.iter().sum::<f64>() * (1.0 + margin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interval, Rational};

    /// Binomial(30, 1/3) in units of 3^−30: C(30, k)·2^(30−k).
    fn exact(k: u32) -> Rational {
        let choices =
            (0..k).fold(Rational::one(), |ways, i| ways * Rational::new(30 - i, i + 1).unwrap());
        choices * Rational::integer(2).pow(30 - k)
    }

    fn encloses(bounds: Bounds, value: &Rational) -> bool {
        let end = |end: f64| Rational::from_f64(end).unwrap();
        end(bounds.lower) <= *value && *value <= end(bounds.upper)
    }

    #[test]
    fn windows_and_tails_enclose_the_exact_fractions_at_every_depth() {
        let all = Rational::integer(3).pow(30);
        let half = Bounds::of(&Interval::rational(&"1/2".parse().unwrap(), 64)).unwrap();
        for depth in [0.5, 3.0, 20.0, 700.0] {
            let window = BinomialBounds::new(30, half, depth).unwrap();
            let tails = window.tails();
            let inside: Vec<(u64, Bounds)> = window.probabilities().collect();
            let (mut tail, mut outside) = (Rational::zero(), Rational::zero());
            for k in (0..=30).rev() {
                let probability = exact(k).checked_div(&all).unwrap();
                tail = tail + &probability;
                assert!(encloses(tails.at_least(k.into()), &tail), "{depth} {k}");
                match inside.iter().find(|(j, _)| *j == u64::from(k)) {
                    Some((_, bounds)) => assert!(encloses(*bounds, &probability), "{depth} {k}"),
                    None => outside = outside + probability,
                }
            }
            assert!(Rational::from_f64(window.outside()).unwrap() >= outside, "{depth}");
            assert_eq!(tails.at_least(31).upper, 0.0);
        }
    }

    #[test]
    fn a_window_is_narrow_and_covers_a_few_standard_deviations_only() {
        // Standard deviation 471.
        let odds = Bounds::of(&Interval::rational(&"1/2".parse().unwrap(), 64)).unwrap();
        let window = BinomialBounds::new(1_000_000, odds, 45.0).unwrap();
        assert!(window.upper.len() < 2 * 10 * 471);
        let middle = window.tails().at_least(333_333);
        assert!(middle.upper / middle.lower < 1.0 + 1e-10);
    }
}
