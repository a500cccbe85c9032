//! The ratios of neighbouring probabilities of a count, upward.

use super::BitOdds;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, mul_down, mul_up,
    sqrt_down, sqrt_up, to_index,
};

/// Enclosures of the ratios f_(k+1)/f_k of a count of a = `zeros` randomized zeros and b = `ones`
/// randomized ones, for k from `first` to below `last`, as far as A_k ≥ 0.
///
/// A bracket some way below `first` narrows on the way up: with ρ_k the positive root of
/// (k+1)·x² = A_k·x + (a+b−k+1), ρ_(k+1) ≤ f_(k+1)/f_k ≤ ρ_k.
pub(super) fn rising_ratios(
    flip: &BitOdds,
    zeros: u64,
    ones: u64,
    first: u64,
    last: u64,
) -> Vec<[f64; 2]> {
    let coefficients = Coefficients::new(flip, zeros, ones);
    let bits = count(zeros + ones);
    let spread = (bits * flip.p * (1.0 - flip.p)).sqrt();
    let wanted = floor_to_count((2.0 * spread + 60.0).min(3000.0), u64::MAX >> 12);
    let mut k = count(first.saturating_sub(wanted));
    let root = |k: f64| quadratic_root(coefficients.at(k), k + 1.0, bits - k + 1.0);
    // At the very beginning f_1/f_0 = A_0.
    let [mut low, mut high] = if k > 0.0 {
        [root(k + 1.0)[0].max(f64::MIN_POSITIVE), root(k)[1]]
    } else {
        coefficients.at(0.0)
    };
    let mut ratios = Vec::with_capacity(to_index(last - first));
    while k < count(last) {
        if k >= count(first) {
            ratios.push([low, high]);
        }
        k += 1.0;
        let (a, back) = (coefficients.at(k), bits - k + 1.0);
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

/// The coefficients of A_k = (a − k)/E + (b − k)·E for a zeros and b ones, with E = e^ε₀.
struct Coefficients {
    /// The number a of randomized zeros.
    zeros: f64,
    /// The number b of randomized ones.
    ones: f64,
    /// Enclosure of E.
    e: Bounds,
    /// Enclosure of 1/E.
    inverse_e: Bounds,
}

impl Coefficients {
    /// The coefficients for `zeros` zeros and `ones` ones.
    fn new(flip: &BitOdds, zeros: u64, ones: u64) -> Self {
        Self { zeros: count(zeros), ones: count(ones), e: flip.e, inverse_e: flip.inverse_e }
    }

    /// Lower and upper bound on A_k. Both differences are exact, so that nothing is lost next to k
    /// = b, where a large E takes A_k through a small value: C − k·S would cancel.
    fn at(&self, k: f64) -> [f64; 2] {
        let times = |factor: f64, Bounds { lower, upper }: Bounds| {
            let (low, high) = if factor < 0.0 { (upper, lower) } else { (lower, upper) };
            [mul_down(factor, low), mul_up(factor, high)]
        };
        let zeros = times(self.zeros - k, self.inverse_e);
        let ones = times(self.ones - k, self.e);
        [add_down(zeros[0], ones[0]), add_up(zeros[1], ones[1])]
    }
}
