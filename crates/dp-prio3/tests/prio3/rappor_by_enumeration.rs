//! The inequality of local differential privacy for RAPPOR, outcome by outcome, from the exact
//! probabilities of the policy's own randomizer.
//!
//! The policies attain equality, so a test passes if no outcome **refutes** the inequality at 128
//! bits, and the same test must refute an ε smaller by 2^−40.

use std::cmp::Ordering;

use crate::support::enumeration::{PRECISION, exp, smaller};
use crate::support::{alone, epsilon, rational};
use dp_calibration::Budget;
use dp_exact::{Interval, Rational};
use dp_prio3::TrustModel::OneClient;
use dp_prio3::{MultihotRappor, PolicyDescription};

fn pure_epsilon(policy: &MultihotRappor) -> Rational {
    match policy.guarantee(OneClient, &alone()).budget() {
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
        let epsilon = pure_epsilon(&policy);
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
