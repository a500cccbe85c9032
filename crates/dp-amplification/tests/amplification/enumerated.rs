//! Bounds at random small sizes beside the exact privacy loss over all outcomes, from code that shares nothing with them.

use dp_amplification::OthersHold;
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::Adjacency;
use dp_exact::{Delta, Epsilon, Rational, Rounding};
use proptest::prelude::*;

/// What sums of products of a few floats are off by, at most, relatively; δ is never below 1e-6 here.
const ROUNDING: f64 = 1e-9;

fn rational(value: f64) -> Rational {
    let exact = Rational::from_f64(value).expect("finite");
    exact.round_to_digits(9, Rounding::Up)
}

/// The law of a number of bits that are reported as set: `set` of them are, `unset` are not.
fn count(epsilon0: f64, set: u64, unset: u64) -> Vec<f64> {
    let kept = 1.0 / (1.0 + (-epsilon0).exp());
    let mut law = vec![1.0];
    for probability in (0..set).map(|_| kept).chain((0..unset).map(|_| 1.0 - kept)) {
        let mut next = vec![0.0; law.len() + 1];
        for (number, mass) in law.iter().enumerate() {
            next[number] += mass * (1.0 - probability);
            next[number + 1] += mass * probability;
        }
        law = next;
    }
    law
}

/// max(δ(P, Q), δ(Q, P)) at ε of the two counts that the client changes: it holds the first, and then the second
/// (replacement) or none (deletion, in which the second count is the same).
fn delta(epsilon0: f64, others: OthersHold, adjacency: Adjacency, epsilon: f64) -> f64 {
    let all = others.removed + others.added + others.neither;
    let law = |first: u64, second: u64| {
        let one = count(
            epsilon0,
            others.removed + first,
            all - others.removed + 1 - first,
        );
        let other = count(
            epsilon0,
            others.added + second,
            all - others.added + 1 - second,
        );
        one.iter()
            .flat_map(|a| other.iter().map(move |b| a * b))
            .collect::<Vec<f64>>()
    };
    let moved = u64::from(adjacency == Adjacency::Replacement);
    let (one, other) = (law(1, 0), law(0, moved));
    let excess = |p: &[f64], q: &[f64]| -> f64 {
        p.iter()
            .zip(q)
            .map(|(p, q)| (p - epsilon.exp() * q).max(0.0))
            .sum()
    };
    excess(&one, &other).max(excess(&other, &one))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_dataset_keeps_the_upper_bound_and_one_breaks_the_lower(
        epsilon0 in 0.1f64..5.0,
        clients in 1u64..=6,
        log_delta in -6.0f64..-0.5,
        is_replacement in any::<bool>(),
    ) {
        let adjacency = match is_replacement {
            true => Adjacency::Replacement,
            false => Adjacency::Deletion,
        };
        let (epsilon0, target) = (rational(epsilon0), rational(10f64.powf(log_delta)));
        let crowd = AggregatedRappor::new(Epsilon::new(epsilon0.clone()).expect("positive"), clients);
        let crowd = crowd.expect("in range");
        let bounds = crowd.epsilon(&Delta::new(target.clone()).expect("a delta"), adjacency);
        let bounds = bounds.expect("an answer");
        let (epsilon0, target) = (epsilon0.to_f64(), target.to_f64());
        for removed in 0..clients {
            for added in 0..clients - removed {
                let neither = clients - 1 - removed - added;
                let others = OthersHold { removed, added, neither };
                let exact = delta(epsilon0, others, adjacency, bounds.upper.to_f64());
                prop_assert!(exact <= target * (1.0 + ROUNDING), "{:?}: {} at {:?}", others, exact, bounds);
            }
        }
        let below = bounds.lower.to_f64() * (1.0 - 1e-6);
        let broken = delta(epsilon0, bounds.attained_by, adjacency, below);
        prop_assert!(bounds.lower.is_zero() || broken > target * (1.0 - ROUNDING), "{} at {:?}", broken, bounds);
    }
}
