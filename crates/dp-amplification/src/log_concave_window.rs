//! A log-concave distribution known in a window, and sums of these (`docs/hedging.md`, section 4).
//!
//! Where the window lies does not matter to a likelihood ratio between neighbours, and is not kept.
//! Sums add up positive products: with L products of one rounding and at most L additions each, a
//! sum is within a factor 1 ± (L+1)·u/(1 − (L+1)·u) of the true one (Higham 2002, Lemma 3.1).

use crate::count_distribution::CountDistribution;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, div_down, div_up, floor_to_count, index, mul_down, mul_up,
    sub_down, sub_up, to_index,
};
use dp_exact::{Rational, Shift, elementary};

/// The exponent of the largest value of a window, which lies from 2^460 to 2^461.
const LARGEST: i32 = 460;

/// The span of values, as an exponent: values below 2^−900 times the largest are cut off.
const SPAN: i32 = 900;

/// The largest accepted `spread` of a window; usual spreads are a millionth of this limit.
const WIDEST: f64 = 1e-6;

/// The most values of a window.
const MAX_LENGTH: usize = 1 << 22;

/// Smaller values of Gaussian noise, in units of the largest, are left out.
const LEAST: f64 = 1e-280;

/// The most values of Gaussian noise on one side.
const FARTHEST: u64 = 1 << 17;

/// Probabilities f of consecutive integers, up to a common factor c, from both sides.
#[derive(Clone, Debug)]
pub(crate) struct LogConcaveWindow {
    /// Lower bounds on c·f for consecutive integers; c > 0 is unknown.
    pub(crate) values: Vec<f64>,
    /// The relative width of the bounds: the values times 1 + `spread` are upper bounds on c·f.
    pub(crate) spread: f64,
    /// Upper bound on the probability of all integers outside the window.
    pub(crate) missing: f64,
}

impl LogConcaveWindow {
    /// The window with the bounds `lower` and `upper` on c·f, and an upper bound `outside` on the
    /// sum of c·f over all other integers; cut as [`Self::cut`] does, or `None` as there.
    pub(crate) fn new(lower: Vec<f64>, upper: &[f64], outside: f64, depth: f64) -> Option<Self> {
        // Rounding is monotone, so that the largest quotient has the largest bound.
        let quotients = upper.iter().zip(&lower).map(|(high, low)| high / low);
        let spread = sub_up(quotients.fold(0.0, f64::max).next_up(), 1.0).max(0.0);
        let missing = div_up(outside, sum_down(&lower));
        Self { values: lower, spread, missing }.cut(depth)
    }

    /// The discrete Gaussian P(y) ∝ e^(−(y+a)²/(2·`variance`)) with a = 0 or 1/2 by the `shift`, to
    /// about e^−`depth` on either side. `None` if it reaches beyond 2^17.
    pub(crate) fn gaussian(variance: &Rational, shift: Shift, depth: f64) -> Option<Self> {
        let reach = floor_to_count((2.0 * variance.to_f64() * depth).sqrt().ceil(), 1 << 40);
        if reach > FARTHEST {
            return None;
        }
        // In units of the largest value e^(−a²/(2σ²)): (y + a)² − a² = y·(y + 2a).
        let twice_a = u64::from(shift == Shift::Half);
        let rate = (variance + variance).reciprocal()?;
        let exp = |exponent: u64| Bounds::exp(&-(Rational::from(exponent) * &rate));
        let half = (0..=reach).map(|y| exp(y * (y + twice_a))).collect::<Option<Vec<Bounds>>>()?;
        let half: Vec<Bounds> = half.into_iter().take_while(|value| value.lower > LEAST).collect();
        let next = half.len() as u64;
        let end = exp(next * (next + twice_a))?.upper;
        let rest = div_up(end, sub_down(1.0, exp(2 * next + 1 + twice_a)?.upper));
        // The value at −y − 2a is the value at y: with a = 1/2 the largest is there twice.
        let mirrored = half.iter().skip(to_index(1 - twice_a)).rev().chain(&half);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            mirrored.map(|value| (value.lower, value.upper)).unzip();
        Self::new(lower, &upper, 2.0 * rest, depth)
    }

    /// A window of every distribution whose probabilities are these times factors 1 ± `ripple`.
    pub(crate) fn rippled(mut self, ripple: f64) -> Self {
        let factor = div_up(add_up(1.0, ripple), sub_down(1.0, ripple));
        // Relative to the common factor times 1 − ripple the values are lower bounds still.
        self.spread = sub_up(mul_up(add_up(1.0, self.spread), factor), 1.0);
        self.missing = mul_up(self.missing, factor);
        self
    }

    /// Cuts about e^−`depth` and all values below 2^−900 of the largest off each end, and scales
    /// the largest to 2^460, exactly. `None` if the spread reaches 10^−6 or the rest may reach ½.
    fn cut(mut self, depth: f64) -> Option<Self> {
        let total = sum_down(&self.values);
        let largest = largest(&self.values);
        let (factor, allowed) = (add_up(1.0, self.spread), total * elementary::exp(-depth));
        // Upper bound on the sum of c·f that may be cut off an end, and its number of values.
        let end = |values: &mut dyn Iterator<Item = &f64>| {
            let (mut sum, mut number) = (0.0, 0);
            for &value in values {
                let more = add_up(sum, mul_up(value, factor));
                if more > allowed && value >= largest * elementary::powi(2.0, -SPAN) {
                    break;
                }
                (sum, number) = (more, number + 1);
            }
            (sum, number)
        };
        let (below, from) = end(&mut self.values.iter());
        let (above, to) = end(&mut self.values.iter().rev());
        self.values.truncate(self.values.len() - to);
        self.values.drain(..from);
        self.missing = add_up(self.missing, div_up(add_up(below, above), total));
        let shift = LARGEST - exponent(largest);
        // In two steps, as the factor itself may be out of range.
        let [half, rest] = [shift / 2, shift - shift / 2].map(|part| elementary::powi(2.0, part));
        self.values.iter_mut().for_each(|value| *value = *value * half * rest);
        (self.spread < WIDEST && self.missing < 0.5).then_some(self)
    }

    /// The distribution of the sum of two independent values, cut as [`Self::cut`] does, or `None`
    /// as there.
    pub(crate) fn plus(&self, other: &Self, depth: f64) -> Option<Self> {
        let mut pair = [&self.values, &other.values];
        pair.sort_by_key(|values| values.len());
        let [short, long] = pair;
        let mut sums = vec![0.0f64; short.len() + long.len() - 1];
        for (place, weight) in short.iter().enumerate() {
            for (sum, value) in sums[place..].iter_mut().zip(long) {
                *sum += weight * value;
            }
        }
        let margin = (2.0 * index(short.len()) + 16.0) * UNIT;
        sums.iter_mut().for_each(|sum| *sum *= 1.0 - margin);
        // (1 + spread)(1 + spread')(1 + 2·margin), and a little for products of these.
        let spread = (self.spread + other.spread + 3.0 * margin) * (1.0 + 1e-5);
        let sum = Self { values: sums, spread, missing: add_up(self.missing, other.missing) };
        sum.cut(depth)
    }

    /// The distribution of the sum with discrete Laplace noise, P(y) ∝ r^|y| for the r in `ratio`,
    /// cut as [`Self::cut`] does; `None` as there, or beyond 2^22 values.
    pub(crate) fn plus_laplace(self, ratio: Bounds, depth: f64) -> Option<Self> {
        let (missing, factor) = (self.missing, add_up(1.0, self.spread));
        let upper = self.values.iter().map(|&value| mul_up(value, factor)).collect();
        let (mut lower, mut upper) = plus_geometric(self.values, upper, ratio, depth)?;
        // The rest of the sum upward goes on as r, r², …: it enters the sum downward as a whole.
        let square = (mul_down(ratio.lower, ratio.lower), mul_up(ratio.upper, ratio.upper));
        let start = (
            div_down(*lower.last()?, sub_up(1.0, square.0)),
            div_up(*upper.last()?, sub_down(1.0, square.1)),
        );
        lower.reverse();
        upper.reverse();
        lower[0] = start.0;
        upper[0] = start.1;
        let (mut lower, mut upper) = plus_geometric(lower, upper, ratio, depth)?;
        lower.reverse();
        upper.reverse();
        let ends = add_up(*upper.first()?, *upper.last()?);
        let gap = sub_down(1.0, ratio.upper);
        let outside = div_up(mul_up(ends, ratio.upper), gap);
        let mut sum = Self::new(lower, &upper, outside, depth)?;
        sum.missing = add_up(sum.missing, missing);
        Some(sum)
    }

    /// The distribution given that the value is inside the window, with its first integer called 0.
    pub(crate) fn inside(mut self) -> CountDistribution {
        let factor = add_up(1.0, self.spread);
        self.values.iter_mut().for_each(|value| *value *= elementary::powi(2.0, -LARGEST));
        let upper = self.values.iter().map(|&value| mul_up(value, factor)).collect();
        CountDistribution::summed(0, self.values, upper, [0.0, 0.0])
    }
}

/// Lower and upper bounds on h(k) = f(k) + r·h(k−1) from bounds on f, on until h has fallen to
/// e^−`depth` of the total. `None` if that takes more than 2^22 values.
fn plus_geometric(
    mut low: Vec<f64>,
    mut high: Vec<f64>,
    ratio: Bounds,
    depth: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    // About how far the rest reaches.
    let reach = floor_to_count(-2.0 * depth / elementary::ln(ratio.upper), 1 << 16);
    low.reserve(to_index(reach));
    high.reserve(to_index(reach));
    let mut here = (0.0f64, 0.0f64);
    // Both at once, as each of them waits for its step before.
    for (low, high) in low.iter_mut().zip(&mut high) {
        let carried = (mul_down(here.0, ratio.lower), mul_up(here.1, ratio.upper));
        here = (add_down(carried.0, *low).max(0.0), add_up(carried.1, *high));
        (*low, *high) = here;
    }
    let largest = largest(&low);
    // The total is at least the largest value, and the rest at most h·r/(1 − r).
    let enough = largest * elementary::exp(-depth) * (1.0 - ratio.upper);
    loop {
        here = (mul_down(here.0, ratio.lower), mul_up(here.1, ratio.upper));
        if here.1 < enough || here.0 < largest * elementary::powi(2.0, -SPAN) {
            break;
        }
        if low.len() >= MAX_LENGTH {
            return None;
        }
        low.push(here.0);
        high.push(here.1);
    }
    Some((low, high))
}

/// Lower bound on the sum of positive `values`.
fn sum_down(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, value| add_down(sum, *value).max(0.0))
}

/// The largest of the `values`, or 0.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, &b| a.max(b))
}

/// The exponent e for which a positive normal `value` is from 2^e to below 2^(e+1).
fn exponent(value: f64) -> i32 {
    i32::try_from(value.to_bits() >> 52).map_or(0, |biased| biased - 1023)
}
