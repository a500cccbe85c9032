//! Where the checker is to look: estimates, any of which give a bound.

use dp_exact::{Rational, Rounding, elementary};
use serde::Serialize;

/// Digits of what steers.
const DIGITS: usize = 12;

/// Nodes for each standard deviation of a count's privacy loss, and the most of them.
const NODES: f64 = 50.0;
const MOST_NODES: f64 = 4000.0;

/// Losses beyond those of a probability of this part of δ count as infinite.
const BEYOND: f64 = 1e-4;

/// A block is as wide as a part of its distance from the nearer end of all datasets: the smaller a part the fewer
/// clients there are, within these bounds.
const PARTS: std::ops::RangeInclusive<u64> = 20..=1000;
const OF_CLIENTS: u64 = 400_000;

/// And no wider than this part of all clients.
const WIDEST: u64 = 600;

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Steering {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grid: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cuts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) crowds: Vec<Crowd>,
}

/// Where the curve of a crowd's count is evaluated, and how datasets are put together.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Crowd {
    step: String,
    nodes: u64,
    block_ends: Vec<u64>,
}

impl Steering {
    /// For every variance larger than the first of `cover`: its ranges, each in `parts`, and a little beyond, where
    /// the checker's bound by zero-concentrated privacy suffices.
    pub(crate) fn larger(
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
            let less = epsilon - rho;
            let a = (less + (less * less + 8.0 * rho).sqrt()) / (4.0 * rho);
            (a, a * ((a + 1.0) * rho - epsilon) - 1.0 - elementary::ln(a))
        };
        let mut variances = (0..2000).map(|step| last * elementary::powi(1.002f64, step));
        let end = variances.find(|&variance| best(variance).1 < elementary::ln(delta) - 1e-6)?;
        let (a, _) = best(end);
        let mut ends: Vec<f64> = cover.iter().map(Rational::to_f64).collect();
        ends.push(end);
        let mut cuts = Vec::new();
        for (two, exact) in ends
            .windows(2)
            .zip(cover.iter().map(Some).skip(1).chain([None]))
        {
            for part in 1..parts {
                cuts.push(rounded(
                    two[0] + (two[1] - two[0]) * f64::from(part) / f64::from(parts),
                )?);
            }
            cuts.push(exact.map_or_else(|| rounded(two[1]), |exact| Some(exact.to_string()))?);
        }
        cuts.dedup();
        Some(Self {
            cuts,
            order: Some(rounded(a + 1.0)?),
            ..Self::default()
        })
    }

    /// A grid of so many steps to an ε.
    pub(crate) fn grid(epsilon: &Rational, steps: f64) -> Option<String> {
        rounded((epsilon.to_f64() / steps).clamp(1e-9, 0.5))
    }
}

impl Crowd {
    /// Of so many clients, whose counts are `counts` in all, at δ.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "estimates"
    )]
    pub(crate) fn of(epsilon0: f64, clients: u64, counts: f64, delta: f64) -> Option<Self> {
        let flipped = 1.0 / (elementary::exp(epsilon0) + 1.0);
        let variance = clients as f64 * flipped * (1.0 - flipped);
        let deviation = (1.0 - 2.0 * flipped) / variance.sqrt();
        let tails = (2.0 * elementary::ln(counts / (BEYOND * delta))).sqrt();
        // A count of few flipped bits has no normal law: an empty one may tell everything.
        let wide = 1.3 * (tails * deviation + deviation * deviation);
        let most = match variance {
            ..100.0 => epsilon0,
            ..1000.0 => epsilon0.min(2.0 * wide),
            _ => epsilon0.min(wide),
        };
        let step = (deviation / NODES).max(most / MOST_NODES).min(most / 100.0);
        let step = rounded(step)?;
        let nodes = (most / step.parse::<f64>().ok()?).ceil() as u64;
        Some(Self {
            step,
            nodes,
            block_ends: block_ends(clients),
        })
    }
}

/// The largest numbers of ones in blocks of datasets, in growing order: the worst datasets are next to the ends.
fn block_ends(clients: u64) -> Vec<u64> {
    let part = (OF_CLIENTS / clients).clamp(*PARTS.start(), *PARTS.end());
    let mut ends = Vec::new();
    let mut left = clients.checked_sub(1);
    while let Some(end) = left {
        ends.push(end);
        left = end.checked_sub(1 + (end.min(clients - 1 - end) / part).min(clients / WIDEST));
    }
    ends.reverse();
    ends
}

fn rounded(value: f64) -> Option<String> {
    let value = Rational::from_f64(value).ok()?;
    Some(value.round_to_digits(DIGITS, Rounding::Up).to_string())
}
