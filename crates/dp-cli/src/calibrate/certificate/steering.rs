//! Where the checker is to look: estimates in floating point, any of which give a bound.

use dp_calibration::NoiseDistribution;
use dp_exact::{Rational, Rho, Rounding, elementary};
use serde::Serialize;

/// Digits of what steers.
const DIGITS: usize = 12;

/// Nodes for each standard deviation of a count's privacy loss, also where there is noise alone, and the most of them.
const NODES: f64 = 50.0;
const NODES_OF_NOISE: f64 = 200.0;
const MOST_NODES: f64 = 4000.0;

/// Losses beyond those of a probability of this part of δ count as infinite.
const BEYOND: f64 = 1e-4;

/// A block is as wide as a part of its distance from the nearer end of all datasets: the smaller a part the fewer
/// clients there are, within these bounds.
const PARTS: std::ops::RangeInclusive<u64> = 20..=1000;
const OF_CLIENTS: u64 = 400_000;

/// And no wider than this part of all clients.
const WIDEST: u64 = 600;

/// Where the checker is to look. Whatever it says, nothing false is accepted: a bound can only be looser.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Steering {
    /// The step to which losses of finer or unlike lattices are moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grid: Option<Rational>,
    /// For every larger variance: the ends of ranges, growing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cuts: Vec<Rational>,
    /// The Rényi order, of a guarantee by divergences or beyond the last range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<Rational>,
    /// For each sum of bits, and for the noise of several aggregators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) aggregations: Vec<Aggregation>,
}

/// Where the curve of a aggregation's count is evaluated, and how datasets are put together.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Aggregation {
    step: Rational,
    nodes: u64,
    block_ends: Vec<u64>,
}

impl Steering {
    pub(super) fn of_aggregations(aggregations: Vec<Aggregation>) -> Self {
        Self { aggregations, ..Self::default() }
    }

    /// For every variance larger than the first of `cover`: its ranges, each in `parts`, and a little beyond, where
    /// the checker's bound by zero-concentrated privacy suffices.
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

    /// For what is ρ-zero-concentrated private, at about the order that bounds δ at ε best.
    pub(crate) fn concentrated(rho: &Rho, epsilon: &Rational) -> Self {
        Self {
            order: rounded(best_order(rho.value().to_f64(), epsilon.to_f64())),
            ..Self::default()
        }
    }

    /// For divergences of the order α.
    pub(crate) fn at(alpha: Rational) -> Self {
        Self { order: Some(alpha), ..Self::default() }
    }

    /// A grid of so many steps to an ε.
    pub(super) fn grid(epsilon: &Rational, steps: f64) -> Option<Rational> {
        rounded((epsilon.to_f64() / steps).clamp(1e-9, 0.5))
    }
}

/// Counts of which a aggregation's steering is made.
pub(super) struct Counts {
    /// How the bits of `clients` are flipped, if they are.
    pub(super) epsilon0: Option<f64>,
    pub(super) clients: u64,
    /// The variance of all noise, and the largest loss under that of one aggregator, infinite if there is none.
    pub(super) noise: Option<(f64, f64)>,
    /// How many there are.
    pub(super) times: f64,
}

impl Counts {
    /// Of so many clients' randomized bits.
    pub(super) const fn of_bits(epsilon0: f64, clients: u64, times: f64) -> Self {
        Self { epsilon0: Some(epsilon0), clients, noise: None, times }
    }

    /// Of the noise of so many aggregators.
    pub(super) fn of_noise(law: &NoiseDistribution, aggregators: u32, times: f64) -> Self {
        Self { epsilon0: None, clients: 1, noise: None, times }.with(law, aggregators)
    }

    /// The same with the noise of so many aggregators.
    pub(super) fn with(self, law: &NoiseDistribution, aggregators: u32) -> Self {
        let (each, largest) = match law {
            NoiseDistribution::DiscreteGaussian { variance } => (variance.to_f64(), f64::INFINITY),
            NoiseDistribution::DiscreteLaplace { scale } => {
                let scale = scale.to_f64();
                let ratio = elementary::exp(-1.0 / scale);
                (2.0 * ratio / elementary::powi(1.0 - ratio, 2), 1.0 / scale)
            }
        };
        Self { noise: Some((each * f64::from(aggregators), largest)), ..self }
    }

    /// The largest loss of one count: tanh(ε/2) is the product of those of bits and noise.
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

impl Aggregation {
    /// Of such counts, at δ.
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
        // A count of few flipped bits has no normal law: an empty one may tell everything. Nor has Laplace noise.
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

/// The largest numbers of ones in blocks of datasets, in growing order: the worst datasets are next to the ends.
fn block_ends(clients: u64) -> Vec<u64> {
    let part = (OF_CLIENTS / clients.max(1)).clamp(*PARTS.start(), *PARTS.end());
    let mut ends = Vec::new();
    let mut left = clients.checked_sub(1);
    while let Some(end) = left {
        ends.push(end);
        left = end.checked_sub(1 + (end.min(clients - 1 - end) / part).min(clients / WIDEST));
    }
    ends.reverse();
    ends
}

/// The order at which a Rényi divergence of ρ times the order bounds δ best.
fn best_order(rho: f64, epsilon: f64) -> f64 {
    let less = epsilon - rho;
    1.0 + (less + (less * less + 8.0 * rho).sqrt()) / (4.0 * rho)
}

fn rounded(value: f64) -> Option<Rational> {
    let value = Rational::from_f64(value).ok()?;
    Some(value.round_to_digits(DIGITS, Rounding::Up))
}
