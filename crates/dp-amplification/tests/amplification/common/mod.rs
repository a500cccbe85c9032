//! Reference tables and slow laws that share nothing with the crate.

use std::fs;

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_amplification::compensation::{BatchCounts, Compensation};
use dp_calibration::{Adjacency, NoiseDistribution, NoiseKind};
use dp_exact::{Delta, Rational, Rounding};

pub(crate) const BOTH: [Adjacency; 2] = [Adjacency::Replacement, Adjacency::Deletion];

/// The rows of a table in `tests/data`, without its heading.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("the table is part of the crate");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// A number that a test states.
pub(crate) fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// A drawn number as a short fraction, rounded up.
pub(crate) fn rational(value: f64) -> Rational {
    let exact = Rational::from_f64(value).expect("finite");
    exact.round_to_digits(9, Rounding::Up)
}

/// The law of the sum of two independent numbers.
pub(crate) fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            sums[i + j] += a * b;
        }
    }
    sums
}

pub(crate) fn delta(text: &str) -> Delta {
    text.parse().expect("a delta")
}

pub(crate) fn rappor(epsilon0: &str, clients: u64) -> AggregatedRappor {
    AggregatedRappor::new(epsilon0.parse().expect("positive"), clients).expect("accepted")
}

pub(crate) fn response(epsilon0: &str, answers: u64, clients: u64) -> AggregatedResponse {
    AggregatedResponse::new(epsilon0.parse().expect("positive"), answers, clients)
        .expect("accepted")
}

pub(crate) fn hedged(
    epsilon: &str,
    clients: u64,
    noise: &NoiseDistribution,
    honest: u32,
) -> AggregatedRappor {
    rappor(epsilon, clients).with_noise(Some((noise, honest))).expect("accepted")
}

pub(crate) fn compensation(epsilon0: &str, reports: u64, malicious: u64, aim: u64) -> Compensation {
    let batch = BatchCounts { reports, malicious };
    Compensation::new(epsilon0.parse().expect("positive"), batch, aim, 2).expect("accepted")
}

pub(crate) fn gaussian(variance: &str) -> NoiseDistribution {
    NoiseKind::DiscreteGaussian.distribution(number(variance))
}

pub(crate) fn laplace(scale: &str) -> NoiseDistribution {
    NoiseKind::DiscreteLaplace.distribution(number(scale))
}

/// Probabilities from −`reach` to `reach`.
pub(crate) fn noise_pmf(noise: &NoiseDistribution, reach: i32) -> Vec<f64> {
    let weight = |y: i32| match noise {
        NoiseDistribution::DiscreteGaussian { variance } => {
            (-f64::from(y * y) / (2.0 * variance.to_f64())).exp()
        }
        NoiseDistribution::DiscreteLaplace { scale } => {
            (-f64::from(y.abs()) / scale.to_f64()).exp()
        }
    };
    let weights: Vec<f64> = (-reach..=reach).map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The law of `zeros` and `ones` randomized bits and a noise.
pub(crate) fn count(epsilon0: f64, zeros: u64, ones: u64, noise: &[f64]) -> Vec<f64> {
    let (kept, flipped) = (1.0 / (1.0 + (-epsilon0).exp()), 1.0 / (1.0 + epsilon0.exp()));
    (0..zeros + ones).fold(noise.to_vec(), |law, bit| {
        convolved(&law, &if bit < zeros { [kept, flipped] } else { [flipped, kept] })
    })
}

/// Σ (P − e^ε·Q)₊ in the worse direction.
pub(crate) fn divergence(p: &[f64], q: &[f64], epsilon: f64) -> f64 {
    let excess = |p: &[f64], q: &[f64]| -> f64 {
        let pairs = p.iter().zip(q);
        pairs.map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
    };
    excess(p, q).max(excess(q, p))
}
