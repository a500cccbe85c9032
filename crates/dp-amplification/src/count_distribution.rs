//! The count that hides a client: the sum of a randomized zeros and b randomized ones.
//!
//! The ratios of neighbouring probabilities obey (k+1)·R_(k+1) = A_k + (a+b−k+1)/R_k with A_k =
//! (a−k)/E + (b−k)·E; where A_k < 0 the ratios of the mirrored count are used. Their products are
//! the probabilities, up to a common factor, and the probability beyond either end is at most a
//! geometric series (`docs/aggregated-rappor.md`, section 2).

use crate::bit_odds::BitOdds;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, mul_down, mul_up,
    sqrt_down, sqrt_up, sub_down, sub_up, to_index,
};

/// The value that stands for the largest probability.
const START: f64 = 1e200;

/// A window ends where its values fall below this one.
const SMALLEST: f64 = 1e-270;

/// Of all probability, e^−25 may be cut off below the window.
const LOWER_DEPTH: f64 = 25.0;

/// Enclosures of the probabilities f_k = P(N = k) of a count N, all multiplied by one unknown c >
/// 0. The k are a window around the most likely count.
#[derive(Clone, Debug)]
pub(crate) struct CountDistribution {
    /// The k of the first value.
    pub(crate) first: u64,
    /// Lower bounds on c·f_k, by ascending k.
    pub(crate) lower: Vec<f64>,
    /// Upper bounds on c·f_k, by ascending k.
    pub(crate) upper: Vec<f64>,
    /// Lower bounds on c·P(N ≥ k), for each k of the window and for the one after.
    pub(crate) tail_lower: Vec<f64>,
    /// Upper bounds on c·P(N ≥ k), for each k of the window and for the one after.
    pub(crate) tail_upper: Vec<f64>,
    /// Lower bound on the unknown common factor c.
    pub(crate) total_lower: f64,
    /// Upper bound on the unknown common factor c.
    pub(crate) total_upper: f64,
    /// Upper bounds on the sums of c·f_k before and after the window.
    pub(crate) outside: [f64; 2],
}

impl CountDistribution {
    /// The distribution of the number N of ones among `zeros` randomized zeros and `ones`
    /// randomized ones, in a window to where P(N ≤ k) is about e^−25 and P(N ≥ k) about e^−`depth`.
    /// `None` if floats do not hold it.
    pub(crate) fn new(flip: &BitOdds, zeros: u64, ones: u64, depth: f64) -> Option<Self> {
        Self::between(flip, zeros, ones, [LOWER_DEPTH, depth])
    }

    /// [`Self::new`] in a window to where P(N ≤ k) is about e^−`depths[0]` and P(N ≥ k) about
    /// e^−`depths[1]`, or to where values span more than floats hold. `None` if the probability
    /// beyond an end is not bounded.
    pub(crate) fn between(flip: &BitOdds, zeros: u64, ones: u64, depths: [f64; 2]) -> Option<Self> {
        let bits = zeros + ones;
        let mean = count(zeros) * flip.p + count(ones) * (1.0 - flip.p);
        let (first, last) = window(mean, count(bits) * flip.p * (1.0 - flip.p), bits, depths);
        let rising = rising_ratios(flip, zeros, ones, first, last);
        let steps = to_index(last - first);
        let falling = match rising.len() < steps {
            true => rising_ratios(flip, ones, zeros, bits - last, bits - first),
            false => Vec::new(),
        };
        let inverse = |&[low, high]: &[f64; 2]| [div_down(1.0, high), div_up(1.0, low)];
        // f_(k+1)/f_k for k from `first` to below `last`.
        let ratios = (0..steps).map(|place| match rising.get(place) {
            Some(ratio) => Some(*ratio),
            None => falling.get(steps - 1 - place).map(inverse),
        });
        Self::of_ratios(first, &ratios.collect::<Option<Vec<[f64; 2]>>>()?, bits)
    }

    /// The number of successes of `trials` trials with these `odds`, in a window to where about
    /// e^−`depth` is left on either side. `None` if floats do not hold it.
    pub(crate) fn binomial(trials: u64, odds: Bounds, depth: f64) -> Option<Self> {
        let p = odds.upper / (1.0 + odds.upper);
        let mean = count(trials) * p;
        let (first, last) = window(mean, mean * (1.0 - p), trials, [depth; 2]);
        let ratio = |k: u64| {
            let (left, next) = (count(trials - k), count(k + 1));
            [mul_down(div_down(left, next), odds.lower), mul_up(div_up(left, next), odds.upper)]
        };
        let ratios: Vec<[f64; 2]> = (first..last).map(ratio).collect();
        Self::of_ratios(first, &ratios, trials)
    }

    /// The distribution of a count from 0 to `bits` whose ratios f_(k+1)/f_k from k = `first` on
    /// are within `ratios`, cut where values are below 10^−470 of the largest. `None` if the values
    /// at an end of the window do not fall.
    fn of_ratios(first: u64, ratios: &[[f64; 2]], bits: u64) -> Option<Self> {
        let inverse = |&[low, high]: &[f64; 2]| [div_down(1.0, high), div_up(1.0, low)];
        let mode = ratios.iter().position(|ratio| ratio[1] <= 1.0).unwrap_or(ratios.len());
        let outward = |ratios: &mut dyn Iterator<Item = [f64; 2]>| -> Vec<[f64; 2]> {
            let values = ratios.scan([START; 2], |value, [low, high]| {
                *value = [mul_down(value[0], low), mul_up(value[1], high)];
                (value[0] >= SMALLEST).then_some(*value)
            });
            values.collect()
        };
        let below = outward(&mut ratios[..mode].iter().rev().map(inverse));
        let above = outward(&mut ratios[mode..].iter().copied());
        let first = first + (mode - below.len()) as u64;
        let values = below.into_iter().rev().chain([[START; 2]]).chain(above);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            values.map(|[lower, upper]| (lower, upper)).unzip();
        let length = upper.len();
        let beyond = if first + length as u64 - 1 == bits {
            0.0
        } else {
            geometric(*upper.last()?, *lower.get(length.checked_sub(2)?)?)?
        };
        let below = if first == 0 { 0.0 } else { geometric(upper[0], *lower.get(1)?)? };
        (below.is_finite() && beyond.is_finite())
            .then(|| Self::summed(first, lower, upper, [below, beyond]))
    }

    /// The k of the last value.
    pub(crate) fn last(&self) -> u64 {
        self.first + self.upper.len() as u64 - 1
    }

    /// Upper bound on `value`/c with the unknown common factor c of all bounds: on a probability
    /// whose multiple by c is at most `value`.
    pub(crate) fn normalized_up(&self, value: f64) -> f64 {
        div_up(value, self.total_lower)
    }

    /// Lower bound on `value`/c, at least 0, with the unknown common factor c of all bounds: on a
    /// probability whose multiple by c is at least `value`.
    pub(crate) fn normalized_down(&self, value: f64) -> f64 {
        div_down(value, self.total_upper).max(0.0)
    }

    /// Upper bound on the probability that the count is at least `k`; 1 for `k` up to the first of
    /// the window.
    pub(crate) fn at_least(&self, k: u64) -> f64 {
        if k <= self.first {
            return 1.0;
        }
        let place = to_index(k - self.first).min(self.lower.len());
        self.normalized_up(self.tail_upper[place]).min(1.0)
    }

    /// Upper bound, from 0 to 1, on the probability that the count is at least `from` and below
    /// `to`.
    pub(crate) fn within(&self, from: u64, to: u64) -> f64 {
        let place = to_index(to.saturating_sub(self.first)).min(self.lower.len());
        let above = div_down(self.tail_lower[place], self.total_upper);
        sub_up(self.at_least(from), above).clamp(0.0, 1.0)
    }

    /// The distribution with bounds `lower` and `upper` on c·f_k from k = `first` on; `below` and
    /// `beyond` are upper bounds on the sums of c·f_k before and after.
    pub(crate) fn summed(
        first: u64,
        lower: Vec<f64>,
        upper: Vec<f64>,
        [below, beyond]: [f64; 2],
    ) -> Self {
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
}

/// Upper bound on the sum beyond an end of a log-concave window: end·(r + r² + …), r = end/inner.
/// `end` bounds the last value from above, `inner` the one before from below. `None` unless r is
/// certainly below 1.
fn geometric(end: f64, inner: f64) -> Option<f64> {
    let ratio = div_up(end, inner);
    let rest = sub_down(1.0, ratio);
    (rest > 0.0).then(|| div_up(mul_up(end, ratio), rest))
}

/// The first and last k, from 0 to `most`, of a window for a count of this mean and variance. By
/// Bernstein's inequality the probability is at most about e^−`below` before and e^−`above` after
/// it; the window only decides about precision.
fn window(mean: f64, variance: f64, most: u64, [below, above]: [f64; 2]) -> (u64, u64) {
    let reach =
        |depth: f64| depth / 3.0 + (depth * depth / 9.0 + 2.0 * depth * variance).sqrt() + 2.0;
    let first = floor_to_count(mean - reach(below), most);
    let last = floor_to_count(mean + reach(above), most).max(first);
    (first, last)
}

/// Enclosures of the ratios f_(k+1)/f_k of a count of a = `zeros` randomized zeros and b = `ones`
/// randomized ones, for k from `first` to below `last`, or to below the first k with A_k = (a −
/// k)/E + (b − k)·E < 0. A bracket below `first` narrows on the way up: with ρ_k the positive root
/// of (k+1)·x² = A_k·x + (a+b−k+1), ρ_(k+1) ≤ f_(k+1)/f_k ≤ ρ_k.
fn rising_ratios(flip: &BitOdds, zeros: u64, ones: u64, first: u64, last: u64) -> Vec<[f64; 2]> {
    // Lower and upper bound on A_k. Both differences are exact: nothing is lost next to k = b.
    let coefficient = |k: f64| {
        let times = |factor: f64, Bounds { lower, upper }: Bounds| match factor < 0.0 {
            true => [mul_down(factor, upper), mul_up(factor, lower)],
            false => [mul_down(factor, lower), mul_up(factor, upper)],
        };
        let zeros = times(count(zeros) - k, flip.inverse_e);
        let ones = times(count(ones) - k, flip.e);
        [add_down(zeros[0], ones[0]), add_up(zeros[1], ones[1])]
    };
    let bits = count(zeros + ones);
    let spread = (bits * flip.p * (1.0 - flip.p)).sqrt();
    let wanted = floor_to_count((2.0 * spread + 60.0).min(3000.0), u64::MAX >> 12);
    let mut k = count(first.saturating_sub(wanted));
    let root = |k: f64| quadratic_root(coefficient(k), k + 1.0, bits - k + 1.0);
    // At the very beginning f_1/f_0 = A_0.
    let [mut low, mut high] = if k > 0.0 {
        [root(k + 1.0)[0].max(f64::MIN_POSITIVE), root(k)[1]]
    } else {
        coefficient(0.0)
    };
    let mut ratios = Vec::with_capacity(to_index(last - first));
    while k < count(last) {
        if k >= count(first) {
            ratios.push([low, high]);
        }
        k += 1.0;
        let (a, back) = (coefficient(k), bits - k + 1.0);
        if a[0] < 0.0 {
            break;
        }
        let next_low = div_down(add_down(a[0], div_down(back, high)), k + 1.0);
        let next_high = div_up(add_up(a[1], div_up(back, low)), k + 1.0);
        (low, high) = (next_low, next_high);
    }
    ratios
}

/// Lower and upper bound on the positive root x = (A + √(A² + 4sr))/(2s) of s·x² = A·x + r. A is
/// between the two numbers `a`; the integers `s` and `rest` = r are above 0. The root grows with A.
pub(crate) fn quadratic_root(a: [f64; 2], s: f64, rest: f64) -> [f64; 2] {
    let product = s * rest * 4.0;
    let (less, more) = (product * (1.0 - 4.0 * UNIT), product * (1.0 + 4.0 * UNIT));
    // A square is not monotone where A < 0, but the sum is: each end has its own root.
    let low = add_down(a[0], sqrt_down(add_down(mul_down(a[0], a[0]).max(0.0), less)));
    let high = add_up(a[1], sqrt_up(add_up(mul_up(a[1], a[1]), more)));
    [div_down(low, 2.0 * s), div_up(high, 2.0 * s)]
}
