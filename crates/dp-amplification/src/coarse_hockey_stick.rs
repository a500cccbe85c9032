//! The hockey-stick divergence of a wide count from few of its probabilities, 64 in a standard
//! deviation, with bounds on all between (`docs/wide-counts.md`).

use crate::bit_odds::BitOdds;
use crate::count_distribution::quadratic_root;
use dp_exact::convex;
use dp_exact::directed::{
    UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, mul_down, mul_up, sqrt_down,
    sqrt_up, sub_down, sub_up,
};

/// The least standard deviation of a count, in clients, for which a coarse curve is precise enough.
const LEAST_DEVIATION: f64 = 1000.0;

/// Number of computed probabilities for each standard deviation of the count.
const STEPS: f64 = 64.0;

/// Standard deviations by which the upper end is moved out, so that sums from there settle.
const MARGIN: f64 = 1.5;

/// Standard deviations of the count below the mean that are summed up for the total probability.
const BELOW: f64 = 6.0;

/// Upper bounds on the hockey-stick divergence at ascending `nodes` α ≥ 1 of a bit of odds `own`
/// among `zeros` zeros and `ones` ones of odds `flip`, with tails followed to e^−`depth`. `None` if
/// the standard deviation of the count is below 1000 or 4·`depth`, or a step of the bounds is too
/// coarse.
pub(crate) fn upper_at(
    nodes: &[f64],
    [flip, own]: [&BitOdds; 2],
    [zeros, ones]: [u64; 2],
    depth: f64,
) -> Option<Vec<f64>> {
    let bits = count(zeros + ones);
    let deviation = (bits * flip.p * (1.0 - flip.p)).sqrt();
    // Bernstein's inequality: it only steers.
    let square = depth * depth / 9.0 + 2.0 * depth * deviation * deviation;
    let reach = depth / 3.0 + square.sqrt();
    if deviation < LEAST_DEVIATION || depth > deviation / 4.0 {
        return None;
    }
    let side = UpperSide::new(flip, zeros, ones)?;
    let mirrored = UpperSide::new(flip, ones, zeros)?;
    let mean = count(zeros) * flip.p + count(ones) * (1.0 - flip.p);
    // Below the mean, whatever the rounding.
    let middle = floor_to_count(mean - 2.0, zeros + ones);
    let steps = |reach: f64| floor_to_count(STEPS * reach / deviation, 1 << 20);
    let up = side.steps(middle, steps(reach + MARGIN * deviation))?;
    let down = mirrored.steps(zeros + ones - middle, steps(BELOW * deviation))?;
    // In units of f at the middle.
    let total = add_down(add_down(1.0, up.tails[0]), down.tails[0]);
    let mut points = up.points(own, total, side.step)?;
    points.retain(|&(alpha, _)| alpha < own.e.upper);
    points.push((own.e.upper, 0.0));
    let (alphas, values): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    let mut start = 0;
    let at = |&alpha: &f64| {
        let i = convex::node_after(&alphas, alpha, &mut start);
        let [left, right] = [i - 1, i].map(|i| (alphas[i], values[i]));
        if alpha < right.0 { convex::chord(left, right, alpha) } else { right.1 }
    };
    Some(nodes.iter().map(at).collect())
}

/// Bounds on the probabilities of a randomized zeros and b randomized ones, from t_0 upward.
struct UpperSide {
    /// The number m = a + b of randomized bits.
    bits: f64,
    /// Lower and upper bound on C = a/E + b·E.
    c: [f64; 2],
    /// Lower and upper bound on S = E + 1/E.
    s: [f64; 2],
    /// Lower bound on the variance v of the count.
    variance: f64,
    /// The number g of counts in a step; even.
    step: u64,
}

/// Bounds at the counts t_j = t_0 + j·g, for a step of g counts; f(t) is the probability of t.
#[derive(Debug)]
struct TailSteps {
    /// Lower and upper bound on x(t_j), which bounds the ratio of neighbouring probabilities.
    x: Vec<[f64; 2]>,
    /// Upper bounds on f(t_j)/f(t_0).
    pmf: Vec<f64>,
    /// Lower bounds on P(N > t_j)/f(t_j).
    tails: Vec<f64>,
}

impl UpperSide {
    /// The count of `zeros` zeros and `ones` ones; `None` for a deviation below about 128.
    fn new(flip: &BitOdds, zeros: u64, ones: u64) -> Option<Self> {
        let (e, inverse) = (flip.e, flip.inverse_e);
        let (a, b) = (count(zeros), count(ones));
        let s = [add_down(inverse.lower, e.lower), add_up(inverse.upper, e.upper)];
        // p·q = 1/(E + 1)² · E = 1/(E + 2 + 1/E)
        let variance = div_down(a + b, add_up(s[1], 2.0));
        let step = 2 * floor_to_count(variance.sqrt() / STEPS / 2.0, 1 << 40);
        (step > 0).then(|| Self {
            bits: a + b,
            c: [
                add_down(mul_down(a, inverse.lower), mul_down(b, e.lower)),
                add_up(mul_up(a, inverse.upper), mul_up(b, e.upper)),
            ],
            s,
            variance,
            step,
        })
    }

    /// Lower and upper bound on x(s), 0 < s < m: the positive root of s·x² = (C − s·S)·x + (m − s),
    /// with C, S and m the fields `c`, `s` and `bits`.
    fn x(&self, s: f64) -> [f64; 2] {
        let low = sub_down(self.c[0], mul_up(s, self.s[1]));
        let high = sub_up(self.c[1], mul_down(s, self.s[0]));
        quadratic_root([low, high], s, self.bits - s)
    }

    /// Bounds at t_0 = `first` and at up to `number` steps of g counts above it, all below m.
    /// `None` if that is fewer than two steps, t_0 is 0, or the probability changes too much in a
    /// step: where x leaves 0.1 to 10, or the error of a step reaches ½.
    fn steps(&self, first: u64, number: u64) -> Option<TailSteps> {
        let g = count(self.step);
        let last = (count(first) + count(number) * g).min(self.bits - 1.0);
        let number = floor_to_count((last - count(first)) / g, number);
        let place = |j: u64| count(first) + count(j) * g;
        if number < 2 || first == 0 {
            return None;
        }
        let x: Vec<[f64; 2]> = (0..=number).map(|j| self.x(place(j))).collect();
        let mut pmf = vec![1.0];
        let mut ratios = Vec::new();
        for pair in x.windows(2) {
            let (here, next) = (pair[0], pair[1]);
            if !(next[0] > 0.1 && here[1] < 10.0) {
                return None;
            }
            // x falls, so the extremes of max(x, 1/x) are at the ends.
            let far = here[1].max(div_up(1.0, next[0]));
            let rest = far * far * g * g * g / (12.0 * self.variance * self.variance);
            let kept = 1.0 - rest * (1.0 + 16.0 * UNIT) - UNIT;
            if kept < 0.5 {
                return None;
            }
            let half = self.step / 2;
            let low = power(mul_down(here[0], next[0]), half, 1.0 - 4.0 * UNIT);
            let high = power(mul_up(here[1], next[1]), half, 1.0 + 4.0 * UNIT);
            let low = mul_down(low, sqrt_down(div_down(next[0], here[1])));
            let high = mul_up(high, sqrt_up(div_up(here[1], next[0])));
            ratios.push(mul_down(low, kept).max(0.0));
            pmf.push(mul_up(pmf[pmf.len() - 1], div_up(high, kept)));
        }
        let mut tails = vec![0.0; x.len()];
        for (j, &ratio) in ratios.iter().enumerate().rev() {
            let rest = mul_down(ratio, tails[j + 1]).max(0.0);
            tails[j] = add_down(group(ratio.min(1.0), g), rest).max(0.0);
        }
        Some(TailSteps { x, pmf, tails })
    }
}

/// Lower bound, at least 0, on f(t+1) + … + f(t+g) in units of f(t), where f is log-concave, f(t+g)
/// = ρ·f(t) and ρ ≤ 1 is `ratio`: g·(1 + ρ)/2·(1 − L²/12) − (1 − ρ)/2 with L = (1/ρ − ρ)/2, or 0
/// where that is negative.
fn group(ratio: f64, g: f64) -> f64 {
    let l = sub_up(div_up(1.0, ratio.max(1e-3)), ratio) / 2.0;
    let bent = sub_down(1.0, div_up(mul_up(l, l), 12.0)).max(0.0);
    let half = mul_down(add_down(1.0, ratio) / 2.0, g);
    sub_down(mul_down(half, bent), sub_up(1.0, ratio) / 2.0).max(0.0)
}

/// `base`^`exponent`, bounded from above if `rounding` is just above 1, from below if it is just
/// below 1: every product is multiplied by it.
fn power(base: f64, mut exponent: u64, rounding: f64) -> f64 {
    let (mut product, mut square) = (1.0, base);
    while exponent > 0 {
        if exponent % 2 == 1 {
            product *= square * rounding;
        }
        square = square * square * rounding;
        exponent /= 2;
    }
    product
}

impl TailSteps {
    /// Points (α, an upper bound on H(α)) with ascending α from 1, for steps of `step` counts,
    /// given a lower bound `total` on the sum of all probabilities over f(t_0). `None` if the
    /// largest probability is not between t_0 and t_1, or there are fewer than three points.
    fn points(&self, own: &BitOdds, total: f64, step: u64) -> Option<Vec<(f64, f64)>> {
        let e = own.e;
        // (E + x)/(1 + E·x) falls with x, and grows with E where x ≤ 1.
        let ratio = |x: [f64; 2]| {
            [
                div_down(add_down(e.lower, x[1]), add_up(1.0, mul_up(e.lower, x[1]))),
                div_up(add_up(e.upper, x[0]), add_down(1.0, mul_down(e.upper, x[0]))),
            ]
        };
        // f grows up to t_0, R_k > x(k) ≥ 1, and falls from t_1 on; between, ratios are ≤ x(t_0).
        if self.x[0][0] < 1.0 || self.x[1][1] > 1.0 {
            return None;
        }
        let growth = power(self.x[0][1], step, 1.0 + 4.0 * UNIT);
        let largest = div_up(growth, total);
        let mut points = vec![(1.0, mul_up(own.weight_upper(1.0), largest))];
        for ((&x, &pmf), &tail) in self.x.iter().zip(&self.pmf).zip(&self.tails) {
            let [low, high] = ratio(x);
            let before = points[points.len() - 1];
            if x[1] >= 1.0 || low <= 1.0 || high <= before.0 {
                continue;
            }
            let others = mul_down(sub_down(low, 1.0), tail).max(0.0);
            let rest = sub_up(own.weight_upper(low), others).max(0.0);
            let value = mul_up(div_up(pmf, total), rest).min(before.1);
            points.push((high, value));
        }
        (points.len() > 2).then_some(points)
    }
}
