//! Binomial probabilities in a window around the mode, enclosed by floats with directed rounding.
//!
//! With n trials of odds o, f(j+1)/f(j) = (n − j)/(j + 1)·o. Every step from the mode multiplies
//! positive numbers: nothing cancels, and relative errors add up, one rounding at a time. The
//! ratios fall as j grows, so the probability beyond either end is at most a geometric series.

use alloc::vec;
use alloc::vec::Vec;

use crate::directed::{
    Bounds, UNIT, add_up, count, div_down, div_up, floor_to_count, index, mul_up, sub_down,
};
use crate::elementary;

/// The value of the mode. All other values are relative to it.
const START: f64 = 1e200;

/// The least value in a window, so that no product leaves the normal range.
const SMALLEST: f64 = 1e-280;

/// Relative margin of a value computed from its neighbour: room for five roundings.
const STEP_MARGIN: f64 = 16.0 * UNIT;

/// The most values on one side of the mode: enough for 10^12 trials down to 10^−480 of the mode.
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
/// let even_split = window.upper[usize::try_from(500 - window.first)?];
/// let probability = window.normalized_up(even_split);
/// assert!(0.025_225_018 < probability && probability < 0.025_225_019);
/// # Ok::<(), core::num::TryFromIntError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BinomialBounds {
    /// The number n of trials.
    pub trials: u64,
    /// The number j of successes of the first value.
    pub first: u64,
    /// Lower bounds of c·f(j).
    pub lower: Vec<f64>,
    /// Upper bounds of c·f(j).
    pub upper: Vec<f64>,
    /// Upper bound of c times the probability below the window.
    pub below: f64,
    /// Upper bound of c times the probability above the window.
    pub above: f64,
    /// Enclosure of c.
    pub total: Bounds,
}

impl BinomialBounds {
    /// The window of `trials`, at most 2^53, with the `odds` of success, down to e^−`depth` of the
    /// mode, at most to 10^−480 of it. `None` if the odds are too extreme for floats.
    #[must_use]
    pub fn new(trials: u64, odds: Bounds, depth: f64) -> Option<Self> {
        // A float steers where the window begins: bounds hold around any number of successes.
        let share = odds.upper / (1.0 + odds.upper);
        let mode = floor_to_count((count(trials) + 1.0) * share, trials);
        let smallest = (START * elementary::exp(-depth)).max(SMALLEST);
        let n = count(trials);

        // f(j + 1)/f(j) = (n − j)/(j + 1)·o grows with the odds o.
        let ratio_up = |j: u64, odds: f64| (n - count(j)) / (count(j) + 1.0) * odds;
        let (upward, above) = side(trials - mode, smallest, |step| {
            let j = mode + step;
            (ratio_up(j, odds.lower), ratio_up(j, odds.upper))
        })?;

        // f(j − 1)/f(j) = j/((n − j + 1)·o) falls with them.
        let ratio_down = |j: u64, odds: f64| count(j) / ((n - count(j) + 1.0) * odds);
        let (downward, below) = side(mode, smallest, |step| {
            let j = mode - step;
            (ratio_down(j, odds.upper), ratio_down(j, odds.lower))
        })?;
        let first = mode + 1 - downward.len() as u64;

        // Both sides begin with the mode, which counts once.
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
            total: Bounds {
                lower: inside.lower,
                upper: add_up(add_up(inside.upper, below), above),
            },
        })
    }

    /// The number j of successes of the last value.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.first + self.upper.len() as u64 - 1
    }

    /// Upper bound of `value`/c, the probability whose multiple by c is `value`.
    #[must_use]
    pub fn normalized_up(&self, value: f64) -> f64 {
        div_up(value, self.total.lower)
    }

    /// Lower bound of `value`/c, the probability whose multiple by c is `value`.
    #[must_use]
    pub fn normalized_down(&self, value: f64) -> f64 {
        div_down(value, self.total.upper).max(0.0)
    }
}

/// Lower and upper bounds of relative probabilities, from the mode on one side, until an upper
/// bound is below `smallest` or `steps` steps are made, and an upper bound of the sum of all
/// further ones, 0 after the last step. `ratio` bounds each value over the one before, with at most
/// three roundings; the ratios fall. `None` if there are more than [`MAX_VALUES`], or the ratio at
/// the end is not certainly below 1.
fn side(
    steps: u64,
    smallest: f64,
    ratio: impl Fn(u64) -> (f64, f64),
) -> Option<(Vec<(f64, f64)>, f64)> {
    let mut values = vec![(START, START)];
    let (mut lower, mut upper) = (START, START);
    for step in 0..steps {
        let (low, high) = ratio(step);
        let before = upper;
        lower = lower * low * (1.0 - STEP_MARGIN);
        upper = upper * high * (1.0 + STEP_MARGIN);
        if upper < smallest {
            // This value and all further ones: ratios fall from here on.
            return Some((values, geometric_tail(before, high * (1.0 + STEP_MARGIN))?));
        }
        if values.len() == MAX_VALUES {
            return None;
        }
        values.push((lower, upper));
    }
    Some((values, 0.0))
}

/// Upper bound of end·(r + r² + …) for r = `ratio`, 0 for r ≤ 0; `None` unless r is certainly below
/// 1.
fn geometric_tail(end: f64, ratio: f64) -> Option<f64> {
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

/// ln P(X = `successes`) for a binomial X of `trials` trials, with the probabilities of success and
/// of failure, by the deviance: Loader, "Fast and accurate computation of binomial probabilities",
/// 2000. In floating point, without a bound on its error.
#[must_use]
pub fn ln_probability(successes: u64, trials: u64, [success, failure]: [f64; 2]) -> f64 {
    let failures = trials - successes;
    let [k, l, n] = [successes, failures, trials].map(count);
    let ln = |one: f64, other: f64| match one < 0.5 {
        true => elementary::ln(one),
        false => elementary::ln_1p(-other),
    };
    match (successes, failures) {
        (0, 0) => 0.0,
        (0, _) => l * ln(failure, success),
        (_, 0) => k * ln(success, failure),
        _ => {
            let remainders = remainder(trials) - remainder(successes) - remainder(failures);
            let deviances = deviance(k, n * success) + deviance(l, n * failure);
            let scale = core::f64::consts::TAU * k * (l / n);
            remainders - deviances - 0.5 * elementary::ln(scale)
        }
    }
}

/// The deviance of a count: x·ln(x/m) + m − x for m = `mean`.
fn deviance(x: f64, mean: f64) -> f64 {
    x * elementary::ln_1p((x - mean) / mean) - (x - mean)
}

/// ln n! − ln(√(2πn)·(n/e)^n): Stirling's remainder.
fn remainder(n: u64) -> f64 {
    if n < 16 {
        let factorial: f64 = (2..=n).map(count).product();
        let n = count(n.max(1));
        let stirling = 0.5 * elementary::ln(core::f64::consts::TAU * n) + n * elementary::ln(n) - n;
        return elementary::ln(factorial) - stirling;
    }
    let inverse = 1.0 / count(n);
    let square = inverse * inverse;
    inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directed::to_index;
    use crate::{Interval, Rational};

    /// P(k) of Binomial(30, 1/3) in units of 3^−30: C(30, k)·2^(30−k).
    fn exact(k: u32) -> Rational {
        let choices =
            (0..k).fold(Rational::one(), |ways, i| ways * Rational::new(30 - i, i + 1).unwrap());
        choices * Rational::integer(2).pow(30 - k)
    }

    fn number(float: f64) -> Rational {
        Rational::from_f64(float).unwrap()
    }

    #[test]
    fn values_and_tails_bound_the_exact_fractions_at_every_depth() {
        let all = Rational::integer(3).pow(30);
        let half = Bounds::of(&Interval::rational(&"1/2".parse().unwrap(), 64)).unwrap();
        for depth in [0.5, 3.0, 20.0, 700.0] {
            let window = BinomialBounds::new(30, half, depth).unwrap();
            let (mut tail, mut multiple) = (Rational::zero(), window.above);
            for k in (0..=30).rev() {
                let probability = exact(k).checked_div(&all).unwrap();
                tail = tail + &probability;
                let case = format!("{depth} {k}");
                let float = ln_probability(k.into(), 30, [1.0 / 3.0, 2.0 / 3.0]).exp();
                assert!((float / probability.to_f64() - 1.0).abs() < 1e-12, "{case}");
                let index = u64::from(k).checked_sub(window.first).map(to_index);
                let value = index.and_then(|index| window.upper.get(index));
                multiple = add_up(multiple, *value.unwrap_or(&0.0));
                let bound = number(window.normalized_up(multiple));
                assert!(index.is_none() || bound >= tail, "{case}");
                if let Some(&upper) = value {
                    let lower = window.normalized_down(window.lower[index.unwrap()]);
                    assert!(number(lower) <= probability, "{case}");
                    assert!(probability <= number(window.normalized_up(upper)), "{case}");
                    assert!(
                        depth < 700.0 || bound.to_f64() / tail.to_f64() < 1.0 + 1e-12,
                        "{case}"
                    );
                }
            }
        }
    }
}
