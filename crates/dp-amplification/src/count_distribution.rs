//! The distribution of the count that hides a client: a sum of a randomized zeros and b randomized ones.
//!
//! With A_k = (a−k)/E + (b−k)·E its probabilities obey (k+1)·f_(k+1) = A_k·f_k + (a+b−k+1)·f_(k−1). Where A_k ≥ 0
//! every term is positive, so relative errors add up, one rounding at a time; elsewhere the recurrence for the
//! mirrored count runs downward. The two runs meet where A_k changes its sign. The values are known up to a
//! common factor, and what lies beyond either end of the window is at most a geometric series
//! (`docs/aggregated-rappor.md`, section 2).

mod recurrence;

use self::recurrence::{Enclosures, Recurrence, SMALLEST};
use crate::bit_odds::BitOdds;
use dp_exact::directed::{
    UNIT, add_up, count, div_down, div_up, floor_to_count, mul_up, sub_down, sub_up, to_index,
};

/// Products below this are bounded by it, or by 0.
const TINY: f64 = 1e-300;

/// Where an upward run ends below this, it has reached far into the upper tail.
const DEEP: f64 = 1e-250;

/// e^−25 of the mass may be cut off below.
const LOWER_DEPTH: f64 = 25.0;

/// The numbers f_k, in a window around their largest, as enclosures of a common multiple.
#[derive(Clone, Debug)]
pub(crate) struct CountDistribution {
    /// The k of the first value.
    pub(crate) first: u64,
    /// Lower bounds on c·f_k, c > 0 unknown.
    pub(crate) lower: Vec<f64>,
    /// Upper bounds on c·f_k.
    pub(crate) upper: Vec<f64>,
    /// Lower bounds on c·P(N ≥ k), for each k of the window and for the one after.
    pub(crate) tail_lower: Vec<f64>,
    /// Upper bounds on c·P(N ≥ k), for the same k.
    pub(crate) tail_upper: Vec<f64>,
    /// Lower bound on c.
    pub(crate) total_lower: f64,
    /// Upper bound on c.
    pub(crate) total_upper: f64,
    /// Upper bounds on Σ c·f_k before and after the window.
    pub(crate) outside: [f64; 2],
}

impl CountDistribution {
    /// The distribution for `zeros` and `ones`. The window reaches up to where P(N ≥ k) is about
    /// e^−`depth`.
    ///
    /// `None` if the values span more than a floating point number can hold.
    pub(crate) fn new(flip: &BitOdds, zeros: u64, ones: u64, depth: f64) -> Option<Self> {
        Self::between(flip, zeros, ones, [LOWER_DEPTH, depth])
    }

    /// An upper bound on P(N ≥ k).
    pub(crate) fn at_least(&self, k: u64) -> f64 {
        if k <= self.first {
            return 1.0;
        }
        let place = to_index(k - self.first).min(self.lower.len());
        div_up(self.tail_upper[place], self.total_lower).min(1.0)
    }

    /// An upper bound on P(from ≤ N < to).
    pub(crate) fn within(&self, from: u64, to: u64) -> f64 {
        let place = to_index(to.saturating_sub(self.first)).min(self.lower.len());
        let above = div_down(self.tail_lower[place], self.total_upper);
        sub_up(self.at_least(from), above).clamp(0.0, 1.0)
    }

    /// From bounds on the values of a window that starts at `first`, and upper bounds on Σ c·f_k before and
    /// after it: adds up the tails.
    fn summed(first: u64, lower: Vec<f64>, upper: Vec<f64>, [below, beyond]: [f64; 2]) -> Self {
        let length = upper.len();
        let mut tail_lower = vec![0.0; length + 1];
        let mut tail_upper = vec![beyond; length + 1];
        // At most one rounding of positive numbers for each summand.
        let (mut low, mut high, mut margin) = (0.0, beyond, 4.0 * UNIT);
        for k in (0..length).rev() {
            low += lower[k];
            high += upper[k];
            margin += 2.0 * UNIT;
            tail_lower[k] = low * (1.0 - margin);
            tail_upper[k] = high * (1.0 + margin);
        }
        let (total_lower, total_upper) = (tail_lower[0], add_up(tail_upper[0], below));
        let outside = [below, beyond];
        Self { first, lower, upper, tail_lower, tail_upper, total_lower, total_upper, outside }
    }

    /// A window that reaches down to where P(N ≤ k) is about e^−`depths[0]`, and up to where
    /// P(N ≥ k) is about e^−`depths[1]`.
    pub(crate) fn between(flip: &BitOdds, zeros: u64, ones: u64, depths: [f64; 2]) -> Option<Self> {
        // Where the values span too much, less of them is taken.
        (0..8).find_map(|cut| {
            let share = 1.0 - f64::from(cut) / 12.0;
            let window = window(flip, zeros, ones, depths.map(|depth| depth * share));
            Self::in_window(flip, zeros, ones, window)
        })
    }

    /// The distribution in the window from `first` to `last`, or as much of it as floats hold. `None` if they
    /// do not hold both ends at once.
    fn in_window(flip: &BitOdds, zeros: u64, ones: u64, (first, last): (u64, u64)) -> Option<Self> {
        let bits = zeros + ones;
        let up = Recurrence { flip, zeros, ones };
        let down = Recurrence { flip, zeros: ones, ones: zeros };
        // Upward a run may reach the far tail above, and begins high; unless it climbs too much.
        let starts = [1e210, 1e100, 1e-50, 1e-250];
        let rising = starts.iter().find_map(|&start| up.run(first, last, start));
        let risen_to = rising.as_ref().map(|run| first + run.0.len() as u64 - 1);
        let (lower, upper) = match (rising, risen_to) {
            (Some(run), Some(to)) if to == last => run,
            // Cut short where values end that a floating point number can hold.
            (Some(run), _) if run.1.last().is_some_and(|&end| end < DEEP) => run,
            (rising, _) => {
                // One that reaches far down on the other side has to begin higher.
                [SMALLEST * 1e10, 1e-150, 1e-50, 1e50]
                    .into_iter()
                    .filter_map(|start| down.run(bits - last, bits - first, start))
                    .find_map(|falling| join(first, last, rising.clone(), falling))?
            }
        };
        let (skipped, lower, upper) = trimmed(lower, upper)?;
        Self::in_all(first + skipped, bits, lower, upper)
    }

    /// From bounds on the values of a window that starts at `first`: bounds what lies outside, up to `bits`.
    /// `None` if an end of the window does not fall.
    fn in_all(first: u64, bits: u64, lower: Vec<f64>, upper: Vec<f64>) -> Option<Self> {
        let length = upper.len();
        let last = first + length as u64 - 1;
        let beyond = if last == bits {
            0.0
        } else {
            geometric(*upper.last()?, *lower.get(length.checked_sub(2)?)?)?
        };
        let below = if first == 0 { 0.0 } else { geometric(upper[0], *lower.get(1)?)? };
        (below.is_finite() && beyond.is_finite())
            .then(|| Self::summed(first, lower, upper, [below, beyond]))
    }
}

/// Upper bound on the sum beyond an end of a log-concave window: end·(r + r² + …), r = end/inner. `end` is an
/// upper bound on the last value, `inner` a lower one on the value before. `None` if r may be 1 or more.
pub(crate) fn geometric(end: f64, inner: f64) -> Option<f64> {
    let ratio = div_up(end, inner);
    let rest = sub_down(1.0, ratio);
    (rest > 0.0).then(|| div_up(mul_up(end, ratio), rest))
}

/// The first and last k of the window beyond which about e^−`below` and e^−`above` lie, by Bernstein's
/// inequality. Any window is valid.
fn window(flip: &BitOdds, zeros: u64, ones: u64, [below, above]: [f64; 2]) -> (u64, u64) {
    let bits = zeros + ones;
    let mean = count(zeros) * flip.p + count(ones) * (1.0 - flip.p);
    let variance = count(bits) * flip.p * (1.0 - flip.p);
    let reach =
        |depth: f64| depth / 3.0 + (depth * depth / 9.0 + 2.0 * depth * variance).sqrt() + 2.0;
    let first = floor_to_count(mean - reach(below), bits);
    let last = floor_to_count(mean + reach(above), bits).max(first);
    (first, last)
}

/// Enclosures for all k from `first` to `last`: `rising` from below, continued by `falling`, which runs from
/// `last` down and is scaled to it where they meet. `None` if they do not meet within what floats hold.
fn join(
    first: u64,
    last: u64,
    rising: Option<Enclosures>,
    falling: Enclosures,
) -> Option<Enclosures> {
    let length = to_index(last - first + 1);
    let (mut lower, mut upper) = falling;
    lower.reverse();
    upper.reverse();
    let missing = length - lower.len();
    if missing == 0 {
        return Some((lower, upper));
    }
    // The falling run covers the last places, the rising run the first ones. Both are brought to
    // about 1 where they meet.
    let (mut low, mut high) = rising?;
    let met = low.len().checked_sub(1)?;
    let place = met.checked_sub(missing)?;
    let (risen, fallen) = (exponent(low[met]), exponent(lower[place]));
    rescale(&mut low, &mut high, risen);
    rescale(&mut lower, &mut upper, fallen);
    let largest = high.iter().chain(&upper[place..]).fold(1.0f64, |a, &b| a.max(b));
    if largest > 1e300 {
        return None;
    }
    rescale(&mut low, &mut high, exponent(largest));
    rescale(&mut lower, &mut upper, exponent(largest));
    let scale_low = div_down(low[met], upper[place]);
    let scale_high = div_up(high[met], lower[place]);
    if !(scale_low > 0.1 && scale_high < 10.0) {
        return None;
    }
    let (scale_low, scale_high) = (scale_low * (1.0 - 4.0 * UNIT), scale_high * (1.0 + 4.0 * UNIT));
    low.extend(lower[place + 1..].iter().map(|value| floor(value * scale_low)));
    high.extend(upper[place + 1..].iter().map(|value| ceiling(value * scale_high)));
    (high.len() == length).then_some((low, high))
}

/// The number of values at the lower end whose lower bound is 0, then the lower and upper bounds without
/// such values at either end. `None` if no value is left.
fn trimmed(lower: Vec<f64>, upper: Vec<f64>) -> Option<(u64, Vec<f64>, Vec<f64>)> {
    let from = lower.iter().position(|&value| value > 0.0)?;
    let to = lower.iter().rposition(|&value| value > 0.0)? + 1;
    if from == 0 && to == lower.len() {
        return Some((0, lower, upper));
    }
    Some((from as u64, lower[from..to].to_vec(), upper[from..to].to_vec()))
}

/// 1023 + e for a positive normal `value` from 2^e to below 2^(e+1).
fn exponent(value: f64) -> u64 {
    value.to_bits() >> 52
}

/// Divides both runs by 2^(`exponent` − 1023). That is exact, except for numbers so small that they are
/// replaced by a bound from their side.
fn rescale(lower: &mut [f64], upper: &mut [f64], exponent: u64) {
    let factor = f64::from_bits((2046 - exponent) << 52);
    for value in lower.iter_mut() {
        *value = floor(*value * factor);
    }
    for value in upper.iter_mut() {
        *value = ceiling(*value * factor);
    }
}

/// A lower bound for a product that may have lost bits to a small exponent.
fn floor(product: f64) -> f64 {
    if product < TINY { 0.0 } else { product }
}

/// An upper bound for a product that may have lost bits to a small exponent.
fn ceiling(product: f64) -> f64 {
    product.max(TINY)
}
