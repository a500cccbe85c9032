//! Steering of the checker: grids, nodes and orders, estimated in floating point.
//!
//! The checker accepts no false claim, whatever steers it: poor steering only makes its bounds looser.

use dp_calibration::NoiseDistribution;
use dp_exact::{Rational, Rho, Rounding, elementary};
use serde::Serialize;

/// Significant digits of a rational number that steers the checker.
const DIGITS: usize = 12;

/// Nodes per standard deviation of a count's privacy loss, with randomized bits and with noise alone.
const NODES: f64 = 50.0;
const NODES_OF_NOISE: f64 = 200.0;

/// The most nodes of the privacy loss of a count.
const MOST_NODES: f64 = 4000.0;

/// Losses of a probability below this fraction of δ count as infinite.
const BEYOND: f64 = 1e-4;

/// A block of datasets is as wide as its distance from the nearer end, over a divisor. The divisor
/// is `FACTOR` / clients, clamped to this range.
const NARROWER: std::ops::RangeInclusive<u64> = 20..=1000;
const FACTOR: u64 = 400_000;

/// A block has at most one part in this number of all datasets.
const WIDEST: u64 = 600;

/// The steering of a certificate: where the checker looks for its proof. It is no part of the
/// claim.
#[derive(Clone, Debug, Default, Serialize)]
pub(in crate::calibrate) struct Steering {
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

/// Steering of one sum: the losses at which its curve is evaluated, and the blocks of datasets.
#[derive(Clone, Debug, Serialize)]
pub(super) struct AggregationSteering {
    step: Rational,
    nodes: u64,
    block_ends: Vec<u64>,
}

impl Steering {
    /// The steering for every variance larger than the first of `cover`, the ends of ranges. Each
    /// range has `parts` cuts. The last cut lies where the bound by zero-concentrated privacy is
    /// small enough. `None` if no such cut is found.
    pub(super) fn larger(
        cover: &[Rational],
        parts: u32,
        l2_squared: f64,
        epsilon: f64,
        delta: f64,
    ) -> Option<Self> {
        let last = cover.last()?.to_f64();
        // The exponent of the bound at its best order 1 + a, where its derivative by a is 0.
        let best = |variance: f64| {
            let rho = l2_squared / (2.0 * variance);
            let a = best_order(rho, epsilon) - 1.0;
            (a, a * ((a + 1.0) * rho - epsilon) - 1.0 - elementary::ln(a))
        };
        let mut variances = (0..2000).map(|step| last * elementary::powi(1.002f64, step));
        let end = variances.find(|&variance| best(variance).1 < elementary::ln(delta) - 1e-6)?;
        let (a, _) = best(end);
        let mut ends: Vec<f64> = cover.iter().map(Rational::to_f64).collect();
        ends.push(end);
        let mut cuts = Vec::new();
        for (two, exact) in ends.windows(2).zip(cover.iter().map(Some).skip(1).chain([None])) {
            for part in 1..parts {
                cuts.push(rounded(
                    two[0] + (two[1] - two[0]) * f64::from(part) / f64::from(parts),
                )?);
            }
            cuts.push(exact.map_or_else(|| rounded(two[1]), |exact| Some(exact.clone()))?);
        }
        cuts.dedup();
        Some(Self { cuts, order: Some(rounded(a + 1.0)?), ..Self::default() })
    }

    /// The steering for ρ-zero-concentrated privacy, with about the best order for δ at ε.
    pub(in crate::calibrate) fn zero_concentrated(rho: &Rho, epsilon: &Rational) -> Self {
        let order = rounded(best_order(rho.value().to_f64(), epsilon.to_f64()));
        Self { order, ..Self::default() }
    }

    /// The steering for a Rényi divergence of this order.
    pub(in crate::calibrate) fn of_order(order: Rational) -> Self {
        Self { order: Some(order), ..Self::default() }
    }

    /// The step of a grid with `steps` steps per ε; `None` if a float is not finite.
    pub(super) fn grid(epsilon: &Rational, steps: f64) -> Option<Rational> {
        rounded((epsilon.to_f64() / steps).clamp(1e-9, 0.5))
    }
}

/// Sums of bits and noise whose privacy losses add up.
pub(super) struct Counts {
    /// ε₀ of the randomized bits, if they are randomized.
    epsilon0: Option<f64>,
    clients: u64,
    /// The variance of all aggregators' noise, and the largest loss under one aggregator's noise,
    /// infinite for Gaussian noise. `None` without noise.
    noise: Option<(f64, f64)>,
    /// The number of such sums.
    times: f64,
}

impl Counts {
    pub(super) fn new(
        epsilon0: Option<f64>,
        clients: u64,
        noise: Option<&NoiseDistribution>,
        aggregators: u32,
        times: f64,
    ) -> Self {
        let noise = noise.map(|distribution| {
            let (each, largest) = match distribution {
                NoiseDistribution::DiscreteGaussian { variance } => {
                    (variance.to_f64(), f64::INFINITY)
                }
                NoiseDistribution::DiscreteLaplace { scale } => {
                    let scale = scale.to_f64();
                    let ratio = elementary::exp(-1.0 / scale);
                    (2.0 * ratio / elementary::powi(1.0 - ratio, 2), 1.0 / scale)
                }
            };
            (each * f64::from(aggregators), largest)
        });
        Self { epsilon0, clients, noise, times }
    }

    /// The largest loss ε of one sum, rounded: tanh(ε/2) is the product of tanh(ε₀/2) for the bits
    /// and tanh(ε₁/2) for the largest loss ε₁ of the noise.
    fn largest(&self) -> f64 {
        let halves = [self.epsilon0, self.noise.map(|noise| noise.1)].map(|loss| {
            let half = loss.unwrap_or(f64::INFINITY) / 2.0;
            elementary::exp(-2.0 * half)
        });
        // With e^(−ε) = x and y this is −ln((x + y)/(1 + xy)).
        let [x, y] = halves;
        elementary::ln((1.0 + x * y) / (x + y))
    }
}

impl AggregationSteering {
    /// The steering for these sums at δ.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "estimates"
    )]
    pub(super) fn of(counts: &Counts, delta: f64) -> Option<Self> {
        let flipped =
            counts.epsilon0.map_or(0.0, |epsilon0| 1.0 / (elementary::exp(epsilon0) + 1.0));
        let bits = counts.clients as f64;
        let noise = counts.noise.map_or(0.0, |noise| noise.0);
        let variance = bits * flipped * (1.0 - flipped) + noise;
        let deviation = (1.0 - 2.0 * flipped) / variance.sqrt();
        let tails = (2.0 * elementary::ln(counts.times / (BEYOND * delta))).sqrt();
        // Neither a sum of few flipped bits nor Laplace noise is close to a normal distribution.
        let wide = 1.3 * (tails * deviation + deviation * deviation);
        let largest = counts.largest();
        let most = match variance {
            _ if counts.noise.is_some_and(|noise| noise.1.is_finite()) => largest,
            ..100.0 if largest.is_finite() => largest,
            ..100.0 => 3.0 * wide,
            ..1000.0 => largest.min(2.0 * wide),
            _ => largest.min(wide),
        };
        let nodes = if counts.epsilon0.is_some() { NODES } else { NODES_OF_NOISE };
        let step = (deviation / nodes).max(most / MOST_NODES).min(most / 100.0);
        let step = rounded(step)?;
        let nodes = (most / step.to_f64()).ceil() as u64;
        Some(Self { step, nodes, block_ends: block_ends(counts.clients) })
    }
}

/// The largest numbers of ones in blocks of datasets, in growing order. The worst datasets are next
/// to the ends, where blocks are narrow.
fn block_ends(clients: u64) -> Vec<u64> {
    let part = (FACTOR / clients.max(1)).clamp(*NARROWER.start(), *NARROWER.end());
    let mut ends = Vec::new();
    let mut left = clients.checked_sub(1);
    while let Some(end) = left {
        ends.push(end);
        left = end.checked_sub(1 + (end.min(clients - 1 - end) / part).min(clients / WIDEST));
    }
    ends.reverse();
    ends
}

/// The order α at which a Rényi divergence of ρ·α gives the least bound on δ at ε, rounded.
fn best_order(rho: f64, epsilon: f64) -> f64 {
    let less = epsilon - rho;
    1.0 + (less + (less * less + 8.0 * rho).sqrt()) / (4.0 * rho)
}

fn rounded(value: f64) -> Option<Rational> {
    let value = Rational::from_f64(value).ok()?;
    Some(value.round_to_digits(DIGITS, Rounding::Up))
}
