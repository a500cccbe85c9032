//! The joint distribution of the K-norm noise of two aggregators, in all totals of a release.
//!
//! A draw of scale t is uniform on {−S, …, S}^d for a half side S with P(S = s) ∝ (2s +
//! 1)^d·e^(−s/t) (the docs of `dp_samplers::DiscreteKNorm`). Given the half sides a ≥ b of both
//! aggregators, the entries of the sum are independent, and one is x with probability
//!
//! ```text
//! max(0, min(2b + 1, a + b + 1 − |x|))/((2a + 1)(2b + 1)).
//! ```

use dp_exact::Rational;
use dp_exact::directed::to_index;

use super::mixture::ln_sum;
use super::pmf::Pmf;
use crate::Error;
use crate::binomial::{float, nearest_integer, signed};
use crate::error::untestable;

/// ln of the largest ratio of the probabilities of two half sides in a table.
const DEPTH: f64 = 30.0;

/// Largest number of half sides in a table.
const MOST: usize = 1 << 11;

/// K-norm noise of this scale in `length` totals.
#[derive(Clone, Debug)]
pub(super) struct KNorm {
    pub(super) scale: Rational,
    pub(super) length: u32,
}

/// Half sides that follow each other, each with ln of its probability; at least one.
pub(super) type HalfSides = Vec<(i64, f64)>;

/// The distribution of the noise of both aggregators in all totals.
#[derive(Clone, Debug)]
pub(super) struct JointNoise {
    /// The half sides of each aggregator.
    half_sides: [HalfSides; 2],
    /// Number of consecutive totals that share the half sides.
    block: usize,
}

impl KNorm {
    /// The noise of one aggregator in one total, with the scale multiplied by a factor. `Err` as
    /// for [`Self::half_sides`].
    pub(super) fn total(&self, factor: &Rational) -> Result<Pmf, Error> {
        let sides = self.half_sides(factor, self.length)?;
        // P(x) = Σ_{s ≥ |x|} P(S = s)/(2s + 1), from the largest s on.
        let (mut sum, mut side) = (0.0, Vec::new());
        for (half_side, ln_probability) in sides.iter().rev() {
            sum += ln_probability.exp() / width(*half_side);
            side.push(sum);
        }
        side.resize(side.len() + to_index(sides[0].0.unsigned_abs()), sum);
        side.reverse();
        Ok(Pmf::symmetric(&side))
    }

    /// The half sides of draws of `length` entries, with the scale multiplied by a factor. `Err` if
    /// more than 2048 are likely.
    pub(super) fn half_sides(&self, factor: &Rational, length: u32) -> Result<HalfSides, Error> {
        let (scale, power) = ((&self.scale * factor).to_f64(), f64::from(length));
        let ln_weight = |s: i64| (s, power * width(s).ln() - signed(s) / scale);
        let refused = || {
            let accepted = "noise with at most 2048 likely half sides of its cube";
            untestable("scale", &self.scale, accepted)
        };
        // (2s + 1)^d·e^(−s/t) is largest where 2s + 1 = 2·d·t.
        let mode = nearest_integer((scale * power - 0.5).max(0.0).round()).ok_or_else(refused)?;
        let is_likely = |(_, weight): &(i64, f64)| *weight > ln_weight(mode).1 - DEPTH;
        let below = (0..mode).rev().map(ln_weight).take(MOST).take_while(is_likely);
        let first = below.last().map_or(mode, |(half_side, _)| half_side);
        let sides = (first..).map(ln_weight).take(MOST + 1).take_while(is_likely);
        let mut sides: Vec<(i64, f64)> = sides.collect();
        if sides.len() > MOST {
            return Err(refused());
        }
        let all = ln_sum(sides.iter().map(|(_, weight)| *weight));
        sides.iter_mut().for_each(|(_, weight)| *weight -= all);
        Ok(sides)
    }
}

impl JointNoise {
    /// Noise with these half sides of each aggregator, which `block` consecutive totals share.
    pub(super) fn new(half_sides: [HalfSides; 2], block: u32) -> Self {
        Self { half_sides, block: to_index(block.into()) }
    }

    /// ln of the probability of the noise of all totals; −∞ for impossible noise.
    pub(super) fn ln_probability(&self, noise: &[i64]) -> f64 {
        noise.chunks(self.block).map(|block| self.ln_of_block(block)).sum()
    }

    /// ln of the probability of entries that share the half sides.
    fn ln_of_block(&self, noise: &[i64]) -> f64 {
        let mut sizes: Vec<i64> = noise.iter().map(|entry| entry.saturating_abs()).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        let entries = float(noise.len() as u64);
        let ends = self.half_sides.each_ref().map(|sides| [sides[0].0, sides[sides.len() - 1].0]);
        let [[first, last], [first_of_other, last_of_other]] = ends;
        // ln of P(S = s)/(2s + 1)^d, and of 2s + 1.
        let [one, other] = self.half_sides.each_ref().map(|sides| {
            let weighted = |(half_side, ln): &(i64, f64)| {
                let ln_width = width(*half_side).ln();
                (ln - entries * ln_width, ln_width)
            };
            sides.iter().map(weighted).collect::<Vec<(f64, f64)>>()
        });
        let mut ln_parts = Vec::new();
        // No entry is larger than a + b.
        for sum in (first + first_of_other).max(sizes[0])..=last + last_of_other {
            // ln Π (a + b + 1 − |x|) over the largest entries, by their number.
            let mut slopes = vec![0.0];
            for size in &sizes {
                slopes.push(slopes[slopes.len() - 1] + signed(sum + 1 - size).ln());
            }
            for a in first.max(sum - last_of_other)..=last.min(sum - first_of_other) {
                let b = sum - a;
                let (ln_a, ln_width_a) = one[to_index(a.abs_diff(first))];
                let (ln_b, ln_width_b) = other[to_index(b.abs_diff(first_of_other))];
                // The other entries, of at most |a − b|, have the factor 2·min(a, b) + 1.
                let sloped = sizes.partition_point(|size| *size > (a - b).abs());
                let ln_flat = (entries - float(sloped as u64)) * ln_width_a.min(ln_width_b);
                ln_parts.push(ln_a + ln_b + slopes[sloped] + ln_flat);
            }
        }
        ln_sum(ln_parts.into_iter())
    }
}

/// Number of integers from minus a half side to the half side.
fn width(half_side: i64) -> f64 {
    signed(2 * half_side + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over all first draws of the product of both probabilities P(z) ∝ q^‖z‖∞.
    #[test]
    fn the_noise_of_two_aggregators_is_the_convolution_of_two_cubes() {
        let scale: Rational = "1/2".parse().expect("a scale");
        let noise = KNorm { scale, length: 2 };
        let one = Rational::from(1_u64);
        let half_sides = noise.half_sides(&one, 2).expect("few half sides");
        let joint = JointNoise::new([half_sides.clone(), half_sides], 2);
        let square = || (-20..=20).flat_map(|x: i64| (-20..=20).map(move |y: i64| [x, y]));
        let weight = |[x, y]: [i64; 2]| (-2.0 * signed(x.abs().max(y.abs()))).exp();
        let total: f64 = square().map(weight).sum();
        for [x, y] in [[0, 0], [1, 0], [-2, 2], [3, -1], [0, 5]] {
            let sum: f64 = square().map(|[a, b]| weight([a, b]) * weight([x - a, y - b])).sum();
            let exact = sum / (total * total);
            let found = joint.ln_probability(&[x, y]).exp();
            assert!((found / exact - 1.0).abs() < 1e-9, "{x}, {y}: {found}, {exact}");
        }
        // Of one total: the sum over the other one.
        let of_one = noise.total(&one).expect("few half sides");
        let exact: f64 = (-20..=20).map(|y| weight([1, y]) / total).sum();
        assert!((of_one.at(1) / exact - 1.0).abs() < 1e-9);
    }
}
