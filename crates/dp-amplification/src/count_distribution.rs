//! The distribution of the count that hides a client: a sum of a randomized zeros and b randomized ones.
//!
//! With A_k = (a−k)/E + (b−k)·E its probabilities obey (k+1)·f_(k+1) = A_k·f_k + (a+b−k+1)·f_(k−1). Where A_k ≥ 0
//! every term is positive, so relative errors add up, one rounding at a time; elsewhere the recurrence for the
//! mirrored count runs downward. The two runs meet where A_k changes its sign. The values are known up to a
//! common factor, and the probability beyond either end of the window is at most a geometric series
//! (`docs/aggregated-rappor.md`, section 2).

mod recurrence;

pub(crate) use self::recurrence::quadratic_root;
use self::recurrence::{Recurrence, Run};
use crate::bit_odds::BitOdds;
use dp_exact::directed::{
    UNIT, add_up, count, div_down, div_up, floor_to_count, mul_up, sub_down, sub_up, to_index,
};

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
    /// Upper bounds on the sum of c·f_k over all k before the window, and over all k after the
    /// window.
    pub(crate) outside: [f64; 2],
}

impl CountDistribution {
    /// The distribution of the number N of ones among `zeros` randomized zeros and `ones`
    /// randomized ones. The window reaches down to where P(N ≤ k) is about e^−25, and up to where
    /// P(N ≥ k) is about e^−`depth`.
    ///
    /// `None` if the values span more than a float can hold.
    pub(crate) fn new(flip: &BitOdds, zeros: u64, ones: u64, depth: f64) -> Option<Self> {
        Self::between(flip, zeros, ones, [LOWER_DEPTH, depth])
    }

    /// The distribution of the number N of ones among `zeros` randomized zeros and `ones`
    /// randomized ones. The window reaches down to where P(N ≤ k) is about e^−`depths[0]`, and up
    /// to where P(N ≥ k) is about e^−`depths[1]`. It is shorter where the values span more than
    /// floats hold. `None` if floats do not hold both ends at once.
    pub(crate) fn between(flip: &BitOdds, zeros: u64, ones: u64, depths: [f64; 2]) -> Option<Self> {
        let bits = zeros + ones;
        let (first, last) = window(flip, zeros, ones, depths);
        let rising = Recurrence { flip, zeros, ones }.run(first, last);
        let run = match rising {
            Some(run) if run.last() == last || run.is_cut => run,
            rising => {
                let mirrored = Recurrence { flip, zeros: ones, ones: zeros };
                let falling = mirrored.run(bits - last, bits - first)?.mirrored(bits);
                let is_enough = falling.first == first || falling.is_cut;
                if is_enough { falling } else { rising?.joined(falling)? }
            }
        };
        Self::of_run(run, bits)
    }

    /// Upper bound on the probability that the count is at least `k`.
    pub(crate) fn at_least(&self, k: u64) -> f64 {
        if k <= self.first {
            return 1.0;
        }
        let place = to_index(k - self.first).min(self.lower.len());
        div_up(self.tail_upper[place], self.total_lower).min(1.0)
    }

    /// Upper bound on the probability that the count is at least `from` and below `to`.
    pub(crate) fn within(&self, from: u64, to: u64) -> f64 {
        let place = to_index(to.saturating_sub(self.first)).min(self.lower.len());
        let above = div_down(self.tail_lower[place], self.total_upper);
        sub_up(self.at_least(from), above).clamp(0.0, 1.0)
    }

    /// The distribution of a count from 0 to `bits` with the values of `run`. `None` if the values at an end
    /// of the window do not fall.
    fn of_run(run: Run, bits: u64) -> Option<Self> {
        let Run { first, lower, upper, .. } = run;
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

    /// The distribution with these bounds on c·f_k for k from `first` on, and these upper bounds on Σ c·f_k
    /// before and after them.
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

/// Upper bound on the sum beyond an end of a log-concave window: end·(r + r² + …), r = end/inner. `end` is an
/// upper bound on the last value, `inner` a lower one on the value before. `None` if r may be 1 or more.
fn geometric(end: f64, inner: f64) -> Option<f64> {
    let ratio = div_up(end, inner);
    let rest = sub_down(1.0, ratio);
    (rest > 0.0).then(|| div_up(mul_up(end, ratio), rest))
}

/// The first and last k of a window beyond which probabilities of about e^−`below` and e^−`above`
/// lie, by Bernstein's inequality. The window only decides about precision: any window is valid.
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
