//! Answers with noise, and in several releases, against slow sums over all outcomes.

use dp_calibration::Result;
use dp_exact::{Delta, Rational};

use super::gaussian_noise;
use super::{AggregatedResponse, ResponseParameters};
use crate::tests::slow_pmf;

const DEPTH: f64 = 60.0;

fn survey(epsilon0: f64, answers: u64, clients: u64) -> ResponseParameters {
    ResponseParameters { e: epsilon0.exp(), answers, clients }
}

/// The divergence with discrete Gaussian noise on the two counts, where others' truthful answers
/// and the number of other uniform ones are known, over both noisy counts.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn slow_noisy(epsilon0: f64, answers: u64, clients: u64, variance: f64, alpha: f64) -> f64 {
    let k = answers as f64;
    let all = epsilon0.exp() + k - 1.0;
    let (own, other) = (epsilon0.exp() / all, 1.0 / all);
    let reach = 9i32;
    let weights = (-reach..=reach).map(|y| (-f64::from(y * y) / (2.0 * variance)).exp());
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    let mut delta = 0.0;
    for (m, weight) in slow_pmf(k / all, clients - 1, 0).iter().enumerate() {
        let other_answers = slow_pmf((k - 2.0) / k, m as u64, 0);
        for r in 0..=m + 1 {
            let s = m + 1 - r;
            // The two distributions of a, with s − a of the other value, in mass.
            let mut pmfs = vec![(0.0, 0.0); s + 1];
            let among = |of: usize, third: usize, a: usize| match of {
                of if third > of || a > of - third => 0.0,
                of => other_answers[third] * slow_pmf(0.5, (of - third) as u64, 0)[a],
            };
            for (a, (p, q)) in pmfs.iter_mut().enumerate() {
                let first = if a > 0 { among(m, r, a - 1) } else { 0.0 };
                let second = if a < s { among(m, r, a) } else { 0.0 };
                let third = if r > 0 { (k - 2.0) * other * among(m, r - 1, a) } else { 0.0 };
                (*p, *q) =
                    (own * first + other * second + third, other * first + own * second + third);
            }
            let (length, offset) = (s + 2 * weights.len(), weights.len() / 2);
            let mut seen = vec![(0.0, 0.0); length * length];
            for (a, (p, q)) in pmfs.iter().enumerate() {
                for (y, first) in weights.iter().enumerate() {
                    for (z, second) in weights.iter().enumerate() {
                        let place = (a + y) * length + (s - a) + z + offset;
                        let mass = first * second / (sum * sum);
                        seen[place].0 += p * mass;
                        seen[place].1 += q * mass;
                    }
                }
            }
            delta += weight * seen.iter().map(|(p, q)| (p - alpha * q).max(0.0)).sum::<f64>();
        }
    }
    delta
}

#[test]
fn answers_and_gaussian_noise_are_bounded_as_the_pair_of_noisy_counts_is() {
    for (epsilon0, answers, clients, variance) in
        [(1.0, 3, 5, 0.5), (3.0, 4, 6, 1.0), (2.0, 5, 1, 0.7), (0.3, 3, 4, 1.5)]
    {
        let survey = survey(epsilon0, answers, clients);
        let exact = Rational::from_f64(variance).unwrap();
        let mixture = gaussian_noise::mixture(survey, &exact, DEPTH).unwrap();
        for share in [0.05, 0.3, 0.7] {
            let alpha = (share * epsilon0).exp();
            let slow = slow_noisy(epsilon0, answers, clients, variance, alpha);
            let bound = mixture.delta(alpha);
            // The slow sum cuts the noise off at 9.
            assert!(bound >= slow * (1.0 - 1e-9) - 1e-11, "{bound} {slow}");
            assert!(bound <= slow * (1.0 + 1e-9) + 1e-11, "{bound} {slow}");
        }
    }
}

/// One client alone: k answers are as many randomized responses with three losses.
#[test]
fn answers_of_one_client_compose_as_their_losses_do() -> Result<()> {
    let (epsilon0, answers, releases) = (0.7_f64, 4.0, 6);
    let survey = AggregatedResponse::new("0.7".parse()?, 4, 1)?;
    let delta: Delta = "1e-3".parse()?;
    let found = survey.epsilon_of_releases(&delta, releases)?.to_f64();
    let odds = epsilon0.exp();
    let total = odds + answers - 1.0;
    // The distribution of the number of answers in favour, less those against.
    let mut pmf = vec![1.0];
    for _ in 0..releases {
        let mut next = vec![0.0; pmf.len() + 2];
        for (place, mass) in pmf.iter().enumerate() {
            next[place] += mass / total;
            next[place + 1] += mass * (answers - 2.0) / total;
            next[place + 2] += mass * odds / total;
        }
        pmf = next;
    }
    let at = |epsilon: f64| -> f64 {
        let terms = pmf.iter().enumerate().map(|(place, mass)| {
            let favour = i32::try_from(place).expect("few") - i32::try_from(releases).expect("few");
            mass * (1.0 - (epsilon - epsilon0 * f64::from(favour)).exp()).max(0.0)
        });
        terms.sum()
    };
    assert!(at(found) <= 1e-3 * (1.0 + 1e-9), "{found}: {}", at(found));
    assert!(at(found * 0.999) > 1e-3, "{found} is not the least");
    Ok(())
}
