//! The law of the count that hides a client: a sum of randomized bits.
//!
//! Let N be the sum of a randomized zeros and b randomized ones, each flipped with probability
//! p = 1/(E+1), E = e^ε₀. Its generating function (q + pz)^a·(p + qz)^b, q = 1 − p, satisfies
//! (q + pz)(p + qz)·G' = [ap(p + qz) + bq(q + pz)]·G. Comparing coefficients and dividing by pq,
//!
//!   (k+1)·f_(k+1) = A_k·f_k + (a+b−k+1)·f_(k−1),   A_k = (a−k)/E + (b−k)·E = C − k·S,
//!   C = a/E + b·E,   S = E + 1/E.
//!
//! **Stable directions.** Where A_k ≥ 0 every term is positive, so that upward, to larger k,
//! nothing cancels: relative errors add up, one rounding at a time. Where A_k ≤ 0 that is true
//! downward, which is the upward recurrence for the mirrored count a + b − N, in which a and b
//! change places. The two runs meet where A_k changes its sign.
//!
//! **Where to start.** f is log-concave, being a convolution of log-concave sequences. So the
//! ratios R_k = f_k/f_(k−1) fall. With α_k = A_k/(k+1) and β_k = (a+b−k+1)/(k+1),
//! R_(k+1) = α_k + β_k/R_k ≤ R_k, hence R_k ≥ ρ_k, the positive root of x² = α_k·x + β_k, and
//! then R_(k+1) ≤ α_k + β_k/ρ_k = ρ_k. So
//!
//!   ρ_k ≤ R_k ≤ ρ_(k−1),
//!
//! and the map R ↦ α + β/R narrows that bracket further while it is iterated.
//!
//! **Normalization.** The values are known up to a common factor. Outside the window the ratios
//! fall, so what lies beyond either end is at most a geometric series.

use super::flip::Flip;
use crate::directed::{
    UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, mul_down, mul_up, sqrt_down,
    sqrt_up, sub_down, to_index,
};

/// Values outside 2^±900 end a run: within it no intermediate result leaves the normal range.
const LARGEST: f64 = 8.452_712_498_170_644e270; // 2^900
const SMALLEST: f64 = 1.183_052_186_166_774_7e-271; // 2^−900

/// Products below this are bounded by it, or by 0.
const TINY: f64 = 1e-300;

/// Where an upward run ends below this, it has reached far into the upper tail.
const DEEP: f64 = 1e-250;

/// e^−25 of the mass may be cut off below.
const LOWER_DEPTH: f64 = 25.0;

/// Six roundings of positive numbers in a step of the recurrence, and that of the margin itself.
const STEP_MARGIN: f64 = 16.0 * UNIT;

/// The numbers f_k, in a window around their largest, as enclosures of a common multiple.
#[derive(Clone, Debug)]
pub(crate) struct CountLaw {
    /// The k of the first value.
    pub(crate) first: u64,
    /// Not above c·f_k.
    pub(crate) lower: Vec<f64>,
    /// Not below c·f_k.
    pub(crate) upper: Vec<f64>,
    /// Not above c·P(N ≥ k), for each k of the window and for the one after.
    pub(crate) tail_lower: Vec<f64>,
    /// Not below c·P(N ≥ k).
    pub(crate) tail_upper: Vec<f64>,
    /// Not above c.
    pub(crate) total_lower: f64,
    /// Not below c.
    pub(crate) total_upper: f64,
}

impl CountLaw {
    /// The law for `zeros` and `ones`. The window reaches up to where P(N ≥ k) is about
    /// e^−`depth`.
    ///
    /// `None` if the values span more than a floating point number can hold.
    pub(crate) fn new(flip: &Flip, zeros: u64, ones: u64, depth: f64) -> Option<Self> {
        Self::between(flip, zeros, ones, [LOWER_DEPTH, depth])
    }

    /// The same with a window that reaches down to where P(N ≤ k) is about e^−`depths[0]`, and up
    /// to where P(N ≥ k) is about e^−`depths[1]`.
    pub(crate) fn between(flip: &Flip, zeros: u64, ones: u64, depths: [f64; 2]) -> Option<Self> {
        // Where the values span too much, less of them is taken.
        (0..8).find_map(|cut| {
            let share = 1.0 - f64::from(cut) / 12.0;
            let window = window(flip, zeros, ones, depths.map(|depth| depth * share));
            Self::within(flip, zeros, ones, window)
        })
    }

    fn within(flip: &Flip, zeros: u64, ones: u64, (first, last): (u64, u64)) -> Option<Self> {
        let bits = zeros + ones;
        let up = Rise { flip, zeros, ones };
        let down = Rise {
            flip,
            zeros: ones,
            ones: zeros,
        };
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
        Self::summed(first + skipped, bits, lower, upper)
    }

    /// With the sums from above, and the total with what may lie outside the window.
    fn summed(first: u64, bits: u64, lower: Vec<f64>, upper: Vec<f64>) -> Option<Self> {
        let length = upper.len();
        let last = first + length as u64 - 1;
        let beyond = if last == bits {
            0.0
        } else {
            geometric(*upper.last()?, *lower.get(length.checked_sub(2)?)?)?
        };
        let below = if first == 0 {
            0.0
        } else {
            geometric(upper[0], *lower.get(1)?)?
        };
        let mut tail_lower = vec![0.0; length + 1];
        let mut tail_upper = vec![beyond; length + 1];
        for k in (0..length).rev() {
            tail_lower[k] = (tail_lower[k + 1] + lower[k]) * (1.0 - 4.0 * UNIT);
            tail_upper[k] = (tail_upper[k + 1] + upper[k]) * (1.0 + 4.0 * UNIT);
        }
        let (total_lower, total_upper) = (tail_lower[0], add_up(tail_upper[0], below));
        let law = Self {
            first,
            lower,
            upper,
            tail_lower,
            tail_upper,
            total_lower,
            total_upper,
        };
        (law.total_lower > 0.0 && law.total_upper.is_finite()).then_some(law)
    }

    /// An upper bound on P(N ≥ k).
    pub(crate) fn at_least(&self, k: u64) -> f64 {
        if k <= self.first {
            return 1.0;
        }
        let place = to_index(k - self.first).min(self.lower.len());
        div_up(self.tail_upper[place], self.total_lower).min(1.0)
    }
}

/// An upper bound for end·(r + r² + …), r = end/inner, the ratio at an end of the window.
pub(crate) fn geometric(end: f64, inner: f64) -> Option<f64> {
    let ratio = div_up(end, inner);
    let rest = sub_down(1.0, ratio);
    (rest > 0.0).then(|| div_up(mul_up(end, ratio), rest))
}

/// The window, by Bernstein's inequality: it only steers.
fn window(flip: &Flip, zeros: u64, ones: u64, [below, above]: [f64; 2]) -> (u64, u64) {
    let bits = zeros + ones;
    let mean = count(zeros) * flip.p + count(ones) * (1.0 - flip.p);
    let variance = count(bits) * flip.p * (1.0 - flip.p);
    let reach =
        |depth: f64| depth / 3.0 + (depth * depth / 9.0 + 2.0 * depth * variance).sqrt() + 2.0;
    let first = floor_to_count(mean - reach(below), bits);
    let last = floor_to_count(mean + reach(above), bits).max(first);
    (first, last)
}

/// Enclosures from below and from above, up to a factor.
type Run = (Vec<f64>, Vec<f64>);

/// The upward recurrence for a number of zeros and of ones.
struct Rise<'a> {
    flip: &'a Flip,
    zeros: u64,
    ones: u64,
}

impl Rise<'_> {
    /// Values from `first` to `last`, or as far as A_k ≥ 0 carries; the first one is `start`.
    fn run(&self, first: u64, last: u64, start: f64) -> Option<Run> {
        let (zeros, ones) = (count(self.zeros), count(self.ones));
        let (e, inverse) = (self.flip.e, self.flip.inverse_e);
        let c_lower = add_down(mul_down(zeros, inverse.lower), mul_down(ones, e.lower));
        let c_upper = add_up(mul_up(zeros, inverse.upper), mul_up(ones, e.upper));
        let s_lower = add_down(inverse.lower, e.lower);
        let s_upper = add_up(inverse.upper, e.upper);
        let bits = zeros + ones;
        // C and the rounding of k·S, which is at most C, with a margin.
        let c_lower = c_lower * (1.0 - 8.0 * UNIT);
        let c_upper = c_upper * (1.0 + 8.0 * UNIT);
        let a_lower = |k: f64| c_lower - k * s_upper;
        let a_upper = |k: f64| c_upper - k * s_lower;

        let mut lower = Vec::with_capacity(to_index(last - first + 1));
        let mut upper = Vec::with_capacity(to_index(last - first + 1));
        lower.push(start);
        upper.push(start);
        let mut k = count(first);
        if first == last {
            return Some((lower, upper));
        }
        if a_lower(k) < 0.0 {
            return None;
        }
        let (low, high) = if first == 0 {
            (
                a_lower(0.0) * (1.0 - 2.0 * UNIT),
                a_upper(0.0) * (1.0 + 2.0 * UNIT),
            )
        } else {
            self.first_ratio(first, bits, &a_lower, &a_upper)
        };
        let mut before = [start, start];
        let mut here = [mul_down(start, low), mul_up(start, high)];
        loop {
            if here[1] > LARGEST {
                return None;
            }
            if here[0] < SMALLEST {
                break;
            }
            lower.push(here[0]);
            upper.push(here[1]);
            k += 1.0;
            if lower.len() > to_index(last - first) {
                break;
            }
            let a = [a_lower(k), a_upper(k)];
            if a[0] < 0.0 {
                break;
            }
            let (back, inverse) = (bits - k + 1.0, (k + 1.0).recip());
            let next_lower = (a[0] * here[0] + back * before[0]) * inverse * (1.0 - STEP_MARGIN);
            let next_upper = (a[1] * here[1] + back * before[1]) * inverse * (1.0 + STEP_MARGIN);
            before = here;
            here = [next_lower, next_upper];
        }
        Some((lower, upper))
    }

    /// R_(first+1) = f_(first+1)/f_first, from a bracket some way below, narrowed on the way.
    fn first_ratio(
        &self,
        first: u64,
        bits: f64,
        a_lower: &impl Fn(f64) -> f64,
        a_upper: &impl Fn(f64) -> f64,
    ) -> (f64, f64) {
        let spread = (bits * self.flip.p * (1.0 - self.flip.p)).sqrt();
        let wanted = floor_to_count((2.0 * spread + 60.0).min(3000.0), u64::MAX >> 12);
        let mut k = count(first.saturating_sub(wanted));
        let root = |k: f64, a: f64, upward: bool| {
            // (a + √(a² + 4·(k+1)·(bits−k+1)))/(2(k+1))
            let product = 4.0 * (k + 1.0);
            let (sum, below) = if upward {
                let square = add_up(mul_up(a, a), mul_up(product, bits - k + 1.0));
                (add_up(a, sqrt_up(square)), 2.0 * (k + 1.0))
            } else {
                let square = add_down(mul_down(a, a), mul_down(product, bits - k + 1.0));
                (add_down(a, sqrt_down(square)), 2.0 * (k + 1.0))
            };
            if upward {
                div_up(sum, below)
            } else {
                div_down(sum, below)
            }
        };
        // ρ_(k+1) ≤ R_(k+1) ≤ ρ_k. The root grows with a, also where that is negative. At the very
        // beginning R₁ = A₀.
        let (mut low, mut high) = if k > 0.0 {
            (
                root(k + 1.0, a_lower(k + 1.0).next_down(), false).max(f64::MIN_POSITIVE),
                root(k, a_upper(k).next_up(), true),
            )
        } else {
            (a_lower(0.0).next_down(), a_upper(0.0).next_up())
        };
        while k < count(first) {
            k += 1.0;
            let back = bits - k + 1.0;
            let next_low = div_down(
                add_down(a_lower(k).next_down(), div_down(back, high)),
                k + 1.0,
            );
            let next_high = div_up(add_up(a_upper(k).next_up(), div_up(back, low)), k + 1.0);
            (low, high) = (next_low, next_high);
        }
        (low, high)
    }
}

/// The run from below, and the run from above turned round and scaled to it where they meet.
fn join(first: u64, last: u64, rising: Option<Run>, falling: Run) -> Option<Run> {
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
    let largest = high
        .iter()
        .chain(&upper[place..])
        .fold(1.0f64, |a, &b| a.max(b));
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
    let (scale_low, scale_high) = (
        scale_low * (1.0 - 4.0 * UNIT),
        scale_high * (1.0 + 4.0 * UNIT),
    );
    low.extend(
        lower[place + 1..]
            .iter()
            .map(|value| floor(value * scale_low)),
    );
    high.extend(
        upper[place + 1..]
            .iter()
            .map(|value| ceiling(value * scale_high)),
    );
    (high.len() == length).then_some((low, high))
}

/// Without the values at either end that are too small for a lower bound, and their number below.
fn trimmed(lower: Vec<f64>, upper: Vec<f64>) -> Option<(u64, Vec<f64>, Vec<f64>)> {
    let from = lower.iter().position(|&value| value > 0.0)?;
    let to = lower.iter().rposition(|&value| value > 0.0)? + 1;
    if from == 0 && to == lower.len() {
        return Some((0, lower, upper));
    }
    Some((
        from as u64,
        lower[from..to].to_vec(),
        upper[from..to].to_vec(),
    ))
}

/// The e with 2^e ≤ value < 2^(e+1), plus 1023, of a normal number.
fn exponent(value: f64) -> u64 {
    value.to_bits() >> 52
}

/// Divides a run by the power of two with this exponent. That is exact, except for numbers so
/// small that they are replaced by a bound.
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
