//! Steering of the checker: grids, nodes and orders, estimated in floating point.
//!
//! The checker accepts no false claim: poor steering only makes its bounds looser.

use dp_exact::{Rational, Rounding, directed, elementary};
use serde::Serialize;

use crate::NoiseDistribution;

/// Significant digits of a rational number that steers the checker.
const DIGITS: usize = 12;

/// Nodes of the curve of a sum with randomized bits, and of noise alone.
const NODES: [u32; 2] = [1000, 4000];

/// Losses of a probability below this fraction of δ count as infinite.
const BEYOND: f64 = 1e-4;

/// A block: one dataset, and the lesser of 1/40 of its distance from the end and 1/600 of all.
const BLOCKS: [u64; 2] = [40, 600];

/// Where the checker looks for its proof; it is no part of the claim.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Steering {
    /// The step of the grid to which losses of different lattices are rounded up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grid: Option<Rational>,
    /// The ends of ranges of variances in growing order, for a claim about every larger variance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) cuts: Vec<Rational>,
    /// The Rényi order of a claim by divergences, or beyond the last range of variances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) order: Option<Rational>,
    /// One for each sum of bits, and one for the noise of several aggregators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) aggregations: Vec<AggregationSteering>,
}

/// The losses at which the curve of a sum is evaluated, and the ends of blocks of datasets.
#[derive(Clone, Debug, Serialize)]
pub(super) struct AggregationSteering {
    step: Rational,
    nodes: u32,
    block_ends: Vec<u64>,
}

impl Steering {
    /// The steering for every variance larger than the first of `cover`, the ascending ends of
    /// ranges. Each range is cut into `parts`; a last range ends where zero-concentrated privacy
    /// suffices. `None` if that is not found at some fifty times the last of `cover`.
    pub(super) fn larger(
        cover: &[Rational],
        parts: u32,
        l2_squared: f64,
        epsilon: f64,
        delta: f64,
    ) -> Option<Self> {
        let order = |variance: f64| best_order(l2_squared / (2.0 * variance), epsilon);
        // The logarithm of the bound at its best order 1 + a, where its derivative by a is 0.
        let is_enough = |variance: &f64| {
            let (rho, a) = (l2_squared / (2.0 * variance), order(*variance) - 1.0);
            let bound = a * ((a + 1.0) * rho - epsilon) - 1.0 - elementary::ln(a);
            bound < elementary::ln(delta) - 1e-6
        };
        let last = cover.last()?.to_f64();
        let mut variances = (0..2000).map(|step| last * elementary::powi(1.002f64, step));
        let end = variances.find(is_enough)?;
        let ends: Vec<Rational> = cover.iter().cloned().chain(rounded(end)).collect();
        let mut cuts = Vec::new();
        for two in ends.windows(2) {
            let (low, width) = (two[0].to_f64(), (&two[1] - &two[0]).to_f64());
            let part = |part| rounded(low + width * f64::from(part) / f64::from(parts));
            cuts.extend((1..parts).filter_map(part));
            cuts.push(two[1].clone());
        }
        cuts.dedup();
        Some(Self { cuts, order: Some(rounded(order(end))?), ..Self::default() })
    }
}

/// A sum of bits and noise whose privacy loss the checker bounds at nodes.
#[derive(Clone, Debug)]
pub(super) struct CountedSum {
    /// ε₀ of the bits, if they are randomized.
    pub(super) bits: Option<f64>,
    pub(super) clients: u64,
    /// The noise of each of several aggregators, and their number.
    pub(super) noises: Option<(NoiseDistribution, u32)>,
}

impl CountedSum {
    /// The steering for a claim about `times` pairs of this sum, at δ. `None` if a float is not
    /// finite.
    pub(super) fn steering(&self, times: u32, delta: f64) -> Option<AggregationSteering> {
        let flipped = self.bits.map_or(0.0, |bits| 1.0 / (elementary::exp(bits) + 1.0));
        let noise = self.noises.as_ref().map_or(0.0, |(noise, count)| {
            elementary::powi(noise.standard_deviation(), 2) * f64::from(*count)
        });
        let variance = directed::count(self.clients) * flipped * (1.0 - flipped) + noise;
        let deviation = (1.0 - 2.0 * flipped) / variance.sqrt();
        let tails = 2.0 * elementary::ln(2.0 * f64::from(times) / (BEYOND * delta));
        let wide = 1.3 * (tails.sqrt() * deviation + deviation * deviation);
        let loss_of_noise = match &self.noises {
            Some((NoiseDistribution::DiscreteLaplace { scale }, _)) => Some(1.0 / scale.to_f64()),
            _ => None,
        };
        // Neither a sum of few flipped bits nor Laplace noise is close to a normal distribution.
        let is_normal = variance > 1000.0 && loss_of_noise.is_none();
        let wide = if is_normal { wide } else { 3.0 * wide };
        // The largest loss is ln((1 + xy)/(x + y)), with x = e^(−ε) of the bits and y of the noise.
        let [x, y] =
            [self.bits, loss_of_noise].map(|loss| loss.map_or(0.0, |loss| elementary::exp(-loss)));
        let largest = if x + y > 0.0 { elementary::ln((1.0 + x * y) / (x + y)) } else { wide };
        let nodes = NODES[usize::from(self.bits.is_none())];
        let step = rounded(largest.min(wide) / f64::from(nodes))?;
        Some(AggregationSteering { step, nodes, block_ends: block_ends(self.clients) })
    }
}

/// The largest number of ones in each block of datasets, ascending to `clients` − 1. Blocks are
/// narrow near 0 and near `clients`, where the worst case lies. Empty without clients.
fn block_ends(clients: u64) -> Vec<u64> {
    let [narrower, widest] = BLOCKS;
    let mut ends = Vec::new();
    let mut left = clients.checked_sub(1);
    while let Some(end) = left {
        ends.push(end);
        let distance = end.min(clients - 1 - end);
        left = end.checked_sub(1 + (distance / narrower).min(clients / widest));
    }
    ends.reverse();
    ends
}

/// The order α at which a Rényi divergence of ρ·α gives the least bound on δ at ε, rounded.
pub(super) fn best_order(rho: f64, epsilon: f64) -> f64 {
    let less = epsilon - rho;
    1.0 + (less + (less * less + 8.0 * rho).sqrt()) / (4.0 * rho)
}

/// A float as a fraction, rounded up to twelve digits; `None` if it is not finite.
pub(super) fn rounded(value: f64) -> Option<Rational> {
    let value = Rational::from_f64(value).ok()?;
    Some(value.round_to_digits(DIGITS, Rounding::Up))
}
