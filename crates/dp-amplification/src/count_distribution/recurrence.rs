//! The recurrence for the probabilities of a count, upward.

use super::BitOdds;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, mul_down, mul_up,
    sqrt_down, sqrt_up, to_index,
};

/// 2^900. A run ends above it, so that no intermediate result leaves the normal range.
const LARGEST: f64 = 8.452_712_498_170_644e270; // 2^900
/// 2^−900. A run ends below it.
pub(super) const SMALLEST: f64 = 1.183_052_186_166_774_7e-271; // 2^−900

/// Relative error of a step: six roundings of positive numbers, A_k included.
const STEP_MARGIN: f64 = 16.0 * UNIT;

/// Lower and upper bounds on consecutive probabilities, up to a common factor.
pub(super) type Enclosures = (Vec<f64>, Vec<f64>);

/// The upward recurrence for the probabilities f_k of the sum of a randomized `zeros` and b randomized
/// `ones`.
pub(super) struct Recurrence<'a> {
    pub(super) flip: &'a BitOdds,
    /// a
    pub(super) zeros: u64,
    /// b
    pub(super) ones: u64,
}

impl Recurrence<'_> {
    /// Enclosures of c·f_k for k from `first` to `last`, or as far as A_k ≥ 0 and the floats carry; c is such
    /// that the first value is `start`. `None` if not even the first step can be taken, or a value exceeds
    /// 2^900.
    pub(super) fn run(&self, first: u64, last: u64, start: f64) -> Option<Enclosures> {
        let bits = count(self.zeros) + count(self.ones);
        let mut lower = Vec::with_capacity(to_index(last - first + 1));
        let mut upper = Vec::with_capacity(to_index(last - first + 1));
        lower.push(start);
        upper.push(start);
        let mut k = count(first);
        if first == last {
            return Some((lower, upper));
        }
        let coefficients = Coefficients::new(self);
        if coefficients.at(k)[0] < 0.0 {
            return None;
        }
        let [low, high] = self.first_ratio(first, bits, &coefficients);
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
            let a = coefficients.at(k);
            if a[0] < 0.0 {
                break;
            }
            // Products that do not wait for the step before.
            let inverse = (k + 1.0).recip();
            let back = (bits - k + 1.0) * inverse;
            let step = |side: usize, margin: f64| {
                a[side] * inverse * margin * here[side] + back * margin * before[side]
            };
            let next = [step(0, 1.0 - STEP_MARGIN), step(1, 1.0 + STEP_MARGIN)];
            before = here;
            here = next;
        }
        Some((lower, upper))
    }

    /// Lower and upper bound on f_(first+1)/f_first, from a bracket some way below that narrows on the way
    /// up. `bits` is a + b.
    fn first_ratio(&self, first: u64, bits: f64, coefficients: &Coefficients) -> [f64; 2] {
        let bounds = |k: f64| {
            let [lower, upper] = coefficients.at(k);
            [lower.next_down(), upper.next_up()]
        };
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
            if upward { div_up(sum, below) } else { div_down(sum, below) }
        };
        // ρ_(k+1) ≤ R_(k+1) ≤ ρ_k. The root grows with a, also where that is negative. At the very
        // beginning R₁ = A₀.
        let (mut low, mut high) = if k > 0.0 {
            (
                root(k + 1.0, bounds(k + 1.0)[0], false).max(f64::MIN_POSITIVE),
                root(k, bounds(k)[1], true),
            )
        } else {
            bounds(0.0).into()
        };
        while k < count(first) {
            k += 1.0;
            let (a, back) = (bounds(k), bits - k + 1.0);
            let next_low = div_down(add_down(a[0], div_down(back, high)), k + 1.0);
            let next_high = div_up(add_up(a[1], div_up(back, low)), k + 1.0);
            (low, high) = (next_low, next_high);
        }
        [low, high]
    }
}

/// The coefficients of A_k = (a − k)/E + (b − k)·E.
struct Coefficients {
    /// a
    zeros: f64,
    /// b
    ones: f64,
    /// Below and above E by more than the rounding of a product.
    e: [f64; 2],
    /// Below and above 1/E by more than the rounding of a product.
    inverse_e: [f64; 2],
}

impl Coefficients {
    /// The coefficients of one recurrence.
    fn new(rise: &Recurrence<'_>) -> Self {
        let apart =
            |bounds: Bounds| [bounds.lower * (1.0 - 4.0 * UNIT), bounds.upper * (1.0 + 4.0 * UNIT)];
        Self {
            zeros: count(rise.zeros),
            ones: count(rise.ones),
            e: apart(rise.flip.e),
            inverse_e: apart(rise.flip.inverse_e),
        }
    }

    /// Lower and upper bound on A_k, up to the rounding of their last sum, which keeps the sign. Both
    /// differences are exact, so that nothing is lost next to k = b, where a large E takes A_k through a
    /// small value: C − k·S would cancel.
    fn at(&self, k: f64) -> [f64; 2] {
        let times = |factor: f64, [low, high]: [f64; 2]| {
            let [low, high] = if factor < 0.0 { [high, low] } else { [low, high] };
            [factor * low, factor * high]
        };
        let zeros = times(self.zeros - k, self.inverse_e);
        let ones = times(self.ones - k, self.e);
        [zeros[0] + ones[0], zeros[1] + ones[1]]
    }
}
