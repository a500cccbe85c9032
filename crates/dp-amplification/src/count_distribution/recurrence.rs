//! The recurrence for the probabilities of a count, upward.

use super::BitOdds;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, mul_down, mul_up,
    sqrt_down, sqrt_up, to_index,
};

/// 2^800: values are kept below it, so that no step, by a factor of at most 10^10·e^100, leaves the normal range.
const LARGEST: f64 = 6.668_014_432_879_854e240;

/// 2^−900: a run ends where its values fall below this one.
const SMALLEST: f64 = 1.183_052_186_166_774_7e-271;

/// 2^600, the first value of a run: high, as a run may reach far down into the other tail.
const START: f64 = 4.149_515_568_880_993e180;

/// 2^−400, by which all values are multiplied where one exceeds 2^800.
const SHRINK: f64 = 3.872_591_914_849_318_3e-121;

/// Relative error of a step: six roundings of positive numbers, the coefficient A_k included.
const STEP_MARGIN: f64 = 16.0 * UNIT;

/// Enclosures of c·f_k, the probabilities f_k of consecutive k times one unknown c > 0.
pub(super) struct Run {
    /// The k of the first value.
    pub(super) first: u64,
    /// Lower bounds on c·f_k, at least 2^−900.
    pub(super) lower: Vec<f64>,
    /// Upper bounds on c·f_k.
    pub(super) upper: Vec<f64>,
    /// Whether the run ended where its values fell below 2^−900.
    pub(super) is_cut: bool,
}

impl Run {
    /// The k of the last value of the run.
    pub(super) fn last(&self) -> u64 {
        self.first + self.lower.len() as u64 - 1
    }

    /// The values of this run at `bits` − k in place of k.
    pub(super) fn mirrored(mut self, bits: u64) -> Self {
        self.first = bits - self.last();
        self.lower.reverse();
        self.upper.reverse();
        self
    }

    /// This run from below, continued by the run `falling` from above, which is scaled to it where this run
    /// ends. `None` if they do not meet within what floats hold.
    pub(super) fn joined(mut self, mut falling: Self) -> Option<Self> {
        let met = self.last();
        // Both are about 1 where they meet.
        self.scale(inverse_power(*self.lower.last()?));
        let value = *falling.lower.get(to_index(met.checked_sub(falling.first)?))?;
        falling.scale(inverse_power(value));
        let place = to_index(met.checked_sub(falling.first)?);
        let scale_low = div_down(*self.lower.last()?, *falling.upper.get(place)?);
        let scale_high = div_up(*self.upper.last()?, *falling.lower.get(place)?);
        let largest = falling.upper.iter().fold(0.0f64, |a, &b| a.max(b));
        if !(scale_low > 0.1 && scale_high < 10.0 && largest < LARGEST) {
            return None;
        }
        let (less, more) = (scale_low * (1.0 - 4.0 * UNIT), scale_high * (1.0 + 4.0 * UNIT));
        self.lower.extend(falling.lower[place + 1..].iter().map(|value| value * less));
        self.upper.extend(falling.upper[place + 1..].iter().map(|value| value * more));
        Some(self)
    }

    /// Multiplies all values by a power of two, exactly, and drops ends that fall below 2^−900.
    fn scale(&mut self, power: f64) {
        self.lower.iter_mut().chain(&mut self.upper).for_each(|value| *value *= power);
        let is_kept = |value: &f64| *value >= SMALLEST;
        let from = self.lower.iter().position(is_kept).unwrap_or(self.lower.len());
        let to = self.lower.iter().rposition(is_kept).map_or(from, |last| last + 1);
        for values in [&mut self.lower, &mut self.upper] {
            values.truncate(to);
            values.drain(..from);
        }
        self.first += from as u64;
    }
}

/// 2^−e for a positive normal `value` from 2^e to below 2^(e+1).
fn inverse_power(value: f64) -> f64 {
    f64::from_bits((2046 - (value.to_bits() >> 52)) << 52)
}

/// The upward recurrence for the probabilities f_k of the sum of a randomized `zeros` and b randomized
/// `ones`.
pub(super) struct Recurrence<'a> {
    pub(super) flip: &'a BitOdds,
    /// The number a of randomized zeros.
    pub(super) zeros: u64,
    /// The number b of randomized ones.
    pub(super) ones: u64,
}

impl Recurrence<'_> {
    /// Enclosures of c·f_k for k from `first` to `last`, or as far as A_k ≥ 0 and the values stay
    /// above 2^−900. First values are left out where later ones are 2^1700 times larger. `None` if
    /// not even the first step can be taken, or its bounds are too far apart.
    pub(super) fn run(&self, first: u64, last: u64) -> Option<Run> {
        let bits = count(self.zeros) + count(self.ones);
        let length = to_index(last - first + 1);
        let mut run = Run {
            first,
            lower: Vec::with_capacity(length),
            upper: Vec::with_capacity(length),
            is_cut: false,
        };
        run.lower.push(START);
        run.upper.push(START);
        if first == last {
            return Some(run);
        }
        let coefficients = Coefficients::new(self);
        let mut k = count(first);
        if coefficients.at(k)[0] < 0.0 {
            return None;
        }
        let [low, high] = self.first_ratio(first, bits, &coefficients);
        let mut before = [START, START];
        let mut here = [mul_down(START, low), mul_up(START, high)];
        loop {
            if here[1].is_infinite() {
                return None;
            }
            while here[1] > LARGEST {
                run.scale(SHRINK);
                (before, here) =
                    (before.map(|value| value * SHRINK), here.map(|value| value * SHRINK));
            }
            if here[0] < SMALLEST {
                run.is_cut = true;
                break;
            }
            run.lower.push(here[0]);
            run.upper.push(here[1]);
            k += 1.0;
            let a = coefficients.at(k);
            if run.last() == last || a[0] < 0.0 {
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
        Some(run)
    }

    /// Lower and upper bound on the ratio f_(first+1)/f_first of probabilities, from a bracket some
    /// way below that narrows on the way up. `bits` is the number a + b of randomized bits.
    fn first_ratio(&self, first: u64, bits: f64, coefficients: &Coefficients) -> [f64; 2] {
        let bounds = |k: f64| {
            let [lower, upper] = coefficients.at(k);
            [lower.next_down(), upper.next_up()]
        };
        let spread = (bits * self.flip.p * (1.0 - self.flip.p)).sqrt();
        let wanted = floor_to_count((2.0 * spread + 60.0).min(3000.0), u64::MAX >> 12);
        let mut k = count(first.saturating_sub(wanted));
        // ρ_(k+1) ≤ R_(k+1) ≤ ρ_k, the roots of (k+1)·x² = A_k·x + (m−k+1). At the very beginning R₁ = A₀.
        let root = |k: f64| quadratic_root(bounds(k), k + 1.0, bits - k + 1.0);
        let [mut low, mut high] = if k > 0.0 {
            [root(k + 1.0)[0].max(f64::MIN_POSITIVE), root(k)[1]]
        } else {
            bounds(0.0)
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
    /// Floats below and above E by more than the rounding of a product.
    e: [f64; 2],
    /// Floats below and above 1/E by more than the rounding of a product.
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
