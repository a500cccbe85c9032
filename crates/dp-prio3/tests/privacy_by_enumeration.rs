//! The inequality of differential privacy on small domains, outcome by outcome, from the exact
//! probabilities of the policies' own noise.
//!
//! For pure ε every outcome y must satisfy P(y) ≤ e^ε·P'(y). The policies attain equality, so
//! certified enclosures cannot separate the two sides there: a test passes if no outcome
//! **refutes** the inequality at 128 bits, and the same test must refute an ε smaller by 2^−40.
//! For (ε, δ) the enumerated Σ (P − e^ε·P')₊ plus the whole mass outside the window is δ's bound.

mod support;

use std::cmp::Ordering;

use dp_calibration::Budget;
use dp_exact::{Interval, Rational};
use dp_prio3::TrustModel::{OneAggregatorOneClient, OneClient};
use dp_prio3::types::{Histogram, SumVec};
use dp_prio3::{DpPolicy, HistogramGaussian, HistogramLaplace, MultihotRappor, SumVecLaplace};
use num_bigint::BigInt;
use support::{alone, epsilon, epsilon_delta, rational};

const PRECISION: u32 = 128;

fn exp(exponent: &Rational) -> Interval {
    Interval::rational(exponent, PRECISION)
        .exp()
        .expect("a small exponent")
}

/// A little less than ε.
fn smaller(epsilon: &Rational) -> Rational {
    epsilon - epsilon * rational("1/1099511627776")
}

fn pure_epsilon(policy: &impl DpPolicy, model: dp_prio3::TrustModel) -> Rational {
    match policy.guarantee(model, &alone()).budget() {
        Some(Budget::Pure { epsilon }) => epsilon.value().clone(),
        other => panic!("{other:?}"),
    }
}

/// Whether one of the pairs (P(y), P'(y)) has certainly P(y) > e^ε·P'(y).
fn refutes(pairs: &[(Interval, Interval)], epsilon: &Rational) -> bool {
    let factor = exp(epsilon);
    pairs
        .iter()
        .any(|(p, q)| p.compare(&(&factor * q)) == Some(Ordering::Greater))
}

fn holds_and_is_attained(pairs: &[(Interval, Interval)], epsilon: &Rational) {
    assert!(!refutes(pairs, epsilon));
    assert!(refutes(pairs, &smaller(epsilon)));
}

/// All vectors of `length` integers in [−reach, reach].
fn window(length: usize, reach: i64) -> Vec<Vec<i64>> {
    let mut vectors = vec![Vec::new()];
    for _ in 0..length {
        vectors = vectors
            .iter()
            .flat_map(|vector| (-reach..=reach).map(|entry| [vector.as_slice(), &[entry]].concat()))
            .collect();
    }
    vectors
}

/// Probabilities of one coordinate's noise, for −reach ≤ x ≤ reach.
struct Noise {
    reach: i64,
    table: Vec<Interval>,
}

impl Noise {
    fn new(reach: i64, probability: impl Fn(&BigInt) -> Interval) -> Self {
        let table = (-reach..=reach)
            .map(|x| probability(&BigInt::from(x)))
            .collect();
        Self { reach, table }
    }

    fn at(&self, x: i64) -> &Interval {
        &self.table[usize::try_from(x + self.reach).expect("within reach")]
    }

    /// The probability that the total `total` is released as `outcome`.
    fn release(&self, total: &[i64], outcome: &[i64]) -> Interval {
        total
            .iter()
            .zip(outcome)
            .fold(Interval::integer(1, PRECISION), |product, (total, out)| {
                product * self.at(out - total)
            })
    }
}

#[test]
fn a_laplace_histogram_keeps_and_attains_epsilon_when_one_measurement_is_replaced() {
    for epsilon_text in ["0.5", "1/3", "2"] {
        let histogram = Histogram::new(2, 3).unwrap();
        let policy = HistogramLaplace::new(histogram, epsilon(epsilon_text)).unwrap();
        let sampler = policy.mechanism().sampler();
        let noise = Noise::new(7, |x| sampler.probability(x, PRECISION));
        let one_hot = |bucket: usize| -> Vec<i64> {
            (0..3).map(|index| i64::from(index == bucket)).collect()
        };
        let mut pairs = Vec::new();
        for outcome in window(3, 4) {
            for (before, after) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
                pairs.push((
                    noise.release(&one_hot(before), &outcome),
                    noise.release(&one_hot(after), &outcome),
                ));
            }
        }
        holds_and_is_attained(&pairs, &pure_epsilon(&policy, OneAggregatorOneClient));
    }
}

#[test]
fn a_laplace_sum_vector_keeps_and_attains_epsilon_when_one_measurement_is_replaced() {
    let sum_vec = SumVec::new(2, 2, 3).unwrap();
    let policy = SumVecLaplace::new(sum_vec, epsilon("1.5")).unwrap();
    let sampler = policy.mechanism().sampler();
    let noise = Noise::new(12, |x| sampler.probability(x, PRECISION));
    let measurements: Vec<_> = window(2, 3)
        .into_iter()
        .filter(|vector| vector.iter().all(|entry| *entry >= 0))
        .collect();
    let mut pairs = Vec::new();
    for outcome in window(2, 5) {
        for before in &measurements {
            for after in &measurements {
                pairs.push((
                    noise.release(before, &outcome),
                    noise.release(after, &outcome),
                ));
            }
        }
    }
    holds_and_is_attained(&pairs, &pure_epsilon(&policy, OneAggregatorOneClient));
}

/// A bound on δ: the outcomes of the two affected coordinates in a window, and all the mass
/// outside it. Other coordinates have the same law before and after.
fn delta_by_enumeration(sampler: &dp_samplers::DiscreteGaussian, epsilon: &Rational) -> Interval {
    let reach = 30;
    let noise = Noise::new(reach + 1, |x| sampler.probability(x, PRECISION));
    let factor = exp(epsilon);
    let zero = Interval::integer(0, PRECISION);
    let mut inside = zero.clone();
    let mut delta = zero.clone();
    for x in -reach..=reach {
        inside = inside + noise.at(x);
        for y in -reach..=reach {
            // One unit moved from the second coordinate to the first.
            let p = noise.at(x) * noise.at(y);
            let q = noise.at(x - 1) * noise.at(y + 1);
            let excess = p - &factor * q;
            match excess.compare(&zero) {
                Some(Ordering::Less | Ordering::Equal) => {}
                Some(Ordering::Greater) => delta = delta + excess,
                None => delta = delta + excess.hull(&zero),
            }
        }
    }
    let outside = Interval::integer(1, PRECISION) - inside.square();
    delta + outside.hull(&zero)
}

#[test]
fn a_gaussian_histogram_keeps_epsilon_and_delta_when_one_measurement_is_replaced() {
    for (epsilon_text, delta) in [("1.5", "1e-3"), ("1", "1e-2"), ("3", "1e-6"), ("6", "1e-4")] {
        let histogram = Histogram::new(2, 3).unwrap();
        let budget = epsilon_delta(epsilon_text, delta);
        let policy = HistogramGaussian::new(histogram, budget.clone()).unwrap();
        let delta = delta_by_enumeration(policy.mechanism().sampler(), budget.epsilon.value());
        assert_ne!(
            delta.compare_rational(budget.delta.value()),
            Some(Ordering::Greater),
            "epsilon {epsilon_text}: {delta}"
        );
    }
}

#[test]
fn a_little_less_gaussian_noise_breaks_the_promise_and_is_caught() {
    for (epsilon_text, delta) in [("1.5", "1e-3"), ("1", "1e-2"), ("3", "1e-6")] {
        let histogram = Histogram::new(2, 3).unwrap();
        let budget = epsilon_delta(epsilon_text, delta);
        let policy = HistogramGaussian::new(histogram, budget.clone()).unwrap();
        let less = policy.mechanism().variance_parameter() * rational("0.99");
        let sampler = dp_samplers::DiscreteGaussian::new(&less).unwrap();
        let delta = delta_by_enumeration(&sampler, budget.epsilon.value());
        assert_eq!(
            delta.compare_rational(budget.delta.value()),
            Some(Ordering::Greater)
        );
    }
}

/// All vectors of `length` bits.
fn bit_vectors(length: u32) -> impl Iterator<Item = u32> + Clone {
    0..1 << length
}

#[test]
fn rappor_keeps_and_attains_its_epsilon_against_everybody() {
    let rate = rational("1/10");
    for (length, input_weight) in [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)] {
        let weight = usize::try_from(input_weight).unwrap();
        let bits = usize::try_from(length).unwrap();
        let policy = MultihotRappor::vectors(2, bits, weight, epsilon("0.7"), &rate).unwrap();
        let max_weight = policy.measurement_type().max_weight();
        let inputs = bit_vectors(length).filter(|bits| bits.count_ones() <= input_weight);

        // The adversary sees the randomized vector, or that nothing was sent.
        let sent = |output: &u32| usize::try_from(output.count_ones()).unwrap() <= max_weight;
        let probability = |input: u32, output: u32| {
            policy
                .randomizer()
                .bits()
                .probability((input ^ output).count_ones(), length, PRECISION)
        };
        let dropped = |input: u32| {
            bit_vectors(length)
                .filter(|output| !sent(output))
                .fold(Interval::integer(0, PRECISION), |sum, output| {
                    sum + probability(input, output)
                })
        };
        let mut pairs = Vec::new();
        for before in inputs.clone() {
            for after in inputs.clone() {
                for output in bit_vectors(length).filter(sent) {
                    pairs.push((probability(before, output), probability(after, output)));
                }
                pairs.push((dropped(before), dropped(after)));
            }
        }
        let epsilon = pure_epsilon(&policy, OneClient);
        assert!(!refutes(&pairs, &epsilon));
        if max_weight >= weight {
            assert!(refutes(&pairs, &smaller(&epsilon)));
        }
    }
}

#[test]
fn the_deletion_epsilon_would_not_do_under_replacement_and_is_caught() {
    let policy = MultihotRappor::vectors(2, 3, 1, epsilon("0.7"), &rational("1e-9")).unwrap();
    let probability = |flipped| {
        policy
            .randomizer()
            .bits()
            .probability(flipped, 3, PRECISION)
    };
    // The input (1, 0, 0) reported as it is, against the input (0, 1, 0) reported as (1, 0, 0).
    let pair = (probability(0), probability(2));
    assert!(refutes(&[pair], &rational("0.7")));
}
