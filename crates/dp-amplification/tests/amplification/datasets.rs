//! Bounds at small sizes beside the exact loss over all outcomes, for every dataset.

use std::collections::HashMap;

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::Adjacency;
use dp_exact::{Delta, Epsilon};
use proptest::prelude::*;

use crate::common::{
    BOTH, compensation, convolved, count, delta, divergence, gaussian, hedged, laplace, noise_pmf,
    number, rational, response,
};

/// What sums of products of a few floats are off by, at most, relatively.
const ROUNDING: f64 = 1e-9;

/// δ at ε in the worse direction of the counts that the client changes, where `held` of the others
/// hold the removed value, the added one and neither, beside `known` zeros.
pub(crate) fn slow_delta(
    (epsilon0, noise): (f64, &[f64]),
    held: [u64; 3],
    known: u64,
    adjacency: Adjacency,
    epsilon: f64,
) -> f64 {
    let all = held.iter().sum::<u64>() + known + 1;
    let law = |ones: u64| count(epsilon0, all - ones, ones, noise);
    let moved = u64::from(adjacency == Adjacency::Replacement);
    let both = |first: Vec<f64>, second: Vec<f64>| -> Vec<f64> {
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| a * b));
        pairs.collect()
    };
    let before = both(law(held[0] + 1), law(held[1]));
    let after = both(law(held[0]), law(held[1] + moved));
    divergence(&before, &after, epsilon)
}

/// All that `others` may hold.
pub(crate) fn datasets(others: u64) -> Vec<[u64; 3]> {
    let of = |removed| {
        (0..=others - removed).map(move |added| [removed, added, others - removed - added])
    };
    (0..=others).flat_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_dataset_keeps_the_upper_bound_of_bits_and_one_breaks_the_lower(
        epsilon0 in 0.1f64..5.0,
        clients in 1u64..=6,
        log_delta in -6.0f64..-0.5,
        adjacency in prop_oneof![Just(Adjacency::Replacement), Just(Adjacency::Deletion)],
    ) {
        let (epsilon0, target) = (rational(epsilon0), rational(10f64.powf(log_delta)));
        let sum = AggregatedRappor::new(Epsilon::new(epsilon0.clone()).expect("positive"), clients);
        let bounds = sum.expect("in range").epsilon(&Delta::new(target.clone()).expect("a delta"), adjacency);
        let bounds = bounds.expect("an answer");
        let (bits, target) = ((epsilon0.to_f64(), &[1.0][..]), target.to_f64());
        for held in datasets(clients - 1) {
            let exact = slow_delta(bits, held, 0, adjacency, bounds.upper.to_f64());
            prop_assert!(exact <= target * (1.0 + ROUNDING), "{:?}: {} at {:?}", held, exact, bounds);
        }
        let below = bounds.lower.to_f64() * (1.0 - 1e-6);
        let broken = slow_delta(bits, [clients - 1, 0, 0], 0, adjacency, below);
        prop_assert!(bounds.lower.is_zero() || broken > target * (1.0 - ROUNDING), "{} {:?}", broken, bounds);
    }
}

#[test]
fn every_dataset_keeps_the_bound_of_bits_and_the_noise_of_one_aggregator_and_of_several() {
    let mut caught = false;
    for (epsilon0, clients, noise, honest, reach, slack) in [
        ("0.5", 5, gaussian("0.5"), 1, 7, "0.05"),
        ("1", 1, gaussian("3"), 1, 15, "1e-4"),
        ("0.3", 4, gaussian("4"), 1, 18, "0.01"),
        ("1", 3, gaussian("1.5"), 3, 10, "0.01"),
        ("1", 3, gaussian("0.3"), 2, 6, "0.01"),
        ("0.5", 4, laplace("0.5"), 1, 14, "0.05"),
        ("1.5", 3, laplace("0.8"), 2, 20, "1e-3"),
        ("2", 6, gaussian("1"), 1, 9, "1e-2"),
    ] {
        let one = noise_pmf(&noise, reach);
        let law = (1..honest).fold(one.clone(), |sum, _| convolved(&sum, &one));
        let policy = hedged(epsilon0, clients, &noise, honest);
        for adjacency in BOTH {
            let counts = if adjacency == Adjacency::Replacement { 2 } else { 1 };
            let upper = policy.epsilon_of_counts(&delta(slack), counts).unwrap();
            let upper = upper.expect("a bound").to_f64();
            let worst = |epsilon: f64, law: &[f64]| {
                let setting = (epsilon0.parse().unwrap(), law);
                let all = datasets(clients - 1).into_iter();
                let deltas = all.map(|held| slow_delta(setting, held, 0, adjacency, epsilon));
                deltas.fold(0.0, f64::max)
            };
            let target = number(slack).to_f64();
            let case = format!("{epsilon0} {clients} {honest} {adjacency:?} {upper}");
            assert!(worst(upper, &law) <= target * (1.0 + 1e-6), "{case}");
            // The two counts of a dataset are bounded apart.
            assert!(worst(upper * 0.9, &law) > target || upper < 1e-6, "{case}");
            // A planted fault: the noise is forgotten.
            caught |= worst(upper, &[1.0]) > target * 1.01;
        }
    }
    assert!(caught);
}

#[test]
fn every_dataset_keeps_the_bound_of_bits_with_added_zeros() {
    for (epsilon0, reports, zeros) in
        [("0.5", 5, 0), ("0.5", 1, 4), ("1", 4, 3), ("2", 3, 9), ("6", 4, 6)]
    {
        let plan = compensation(epsilon0, reports, 0, reports + zeros);
        let bits = (epsilon0.parse().unwrap(), &[1.0][..]);
        for adjacency in BOTH {
            for slack in ["0.1", "0.01", "1e-5"] {
                let upper = plan.epsilon(&delta(slack), adjacency).unwrap().to_f64();
                let worst = |epsilon: f64| {
                    let all = datasets(reports - 1).into_iter();
                    let deltas = all.map(|held| slow_delta(bits, held, zeros, adjacency, epsilon));
                    deltas.fold(0.0, f64::max)
                };
                let target = number(slack).to_f64();
                let case = format!("{epsilon0} {reports} {zeros} {adjacency:?} {slack} {upper}");
                assert!(worst(upper) <= target * (1.0 + ROUNDING), "{case}");
                // With one honest client, or one count, nothing is given away to a supremum.
                if reports == 1 || adjacency == Adjacency::Deletion {
                    assert!(upper < 1e-9 || worst(upper * 0.999) > target, "{case}");
                }
            }
        }
    }
}

type Law = HashMap<Vec<u8>, f64>;

/// The law of the histogram of the answers of clients that hold these values, over all k cells.
pub(crate) fn histogram(epsilon0: f64, answers: usize, held: &[usize]) -> Law {
    let all = epsilon0.exp() + f64::from(u32::try_from(answers).expect("few")) - 1.0;
    let empty = Law::from([(vec![0; answers], 1.0)]);
    held.iter().fold(empty, |law, &value| {
        let mut next = Law::new();
        for (histogram, mass) in &law {
            for answer in 0..answers {
                let mut after = histogram.clone();
                after[answer] += 1;
                let own = if answer == value { epsilon0.exp() } else { 1.0 };
                *next.entry(after).or_default() += mass * own / all;
            }
        }
        next
    })
}

/// The values that `others` clients may hold, of `answers` values, up to their order.
pub(crate) fn values(answers: usize, others: u64) -> Vec<Vec<usize>> {
    (0..others).fold(vec![Vec::new()], |data, _| {
        let longer = |held: Vec<usize>| {
            let least = held.last().copied().unwrap_or(0);
            (least..answers).map(move |value| [held.clone(), vec![value]].concat())
        };
        data.into_iter().flat_map(longer).collect()
    })
}

#[test]
fn every_dataset_keeps_the_bound_of_answers_and_the_third_value_breaks_the_lower() {
    for (epsilon0, answers, clients) in
        [("1", 3, 6), ("0.2", 3, 5), ("3", 4, 4), ("2", 5, 3), ("1", 3, 1), ("5", 3, 4)]
    {
        let local: f64 = epsilon0.parse().unwrap();
        let sum = response(epsilon0, answers, clients);
        let answers = usize::try_from(answers).unwrap();
        let data = values(answers, clients - 1);
        for slack in ["0.2", "0.03", "1e-4"] {
            let exact = |others: &[usize], epsilon: f64| {
                let law = |value: usize| histogram(local, answers, &[others, &[value]].concat());
                let (before, after) = (law(0), law(1));
                let (p, q): (Vec<f64>, Vec<f64>) =
                    before.iter().map(|(cells, p)| (*p, after[cells])).unzip();
                divergence(&p, &q, epsilon)
            };
            let bounds = sum.epsilon(&delta(slack)).unwrap();
            let (lower, upper) = (bounds.lower.to_f64(), bounds.upper.to_f64());
            let target = number(slack).to_f64();
            let worst = data.iter().map(|others| exact(others, upper)).fold(0.0, f64::max);
            let is_far = worst * 3.0 < target && upper > 0.0 && bounds.upper < *sum.local_epsilon();
            assert!(worst <= target * (1.0 + ROUNDING) && !is_far, "{worst} {bounds:?}");
            let others = usize::try_from(clients - 1).unwrap();
            let third = |epsilon| exact(&vec![2; others], epsilon);
            assert!(lower <= 0.0 || third(lower * (1.0 - 1e-6)) > target, "{bounds:?}");
            assert!(third(lower * 1.01 + 1e-3) < target, "{bounds:?}");
        }
    }
}

#[test]
fn no_delta_at_all_takes_laplace_noise() {
    let epsilon = |noise| {
        let sum = hedged("3", 100, &noise, 1);
        sum.epsilon_of_counts(&delta("0"), 2).unwrap().expect("a bound")
    };
    assert_eq!(epsilon(gaussian("50")), 6);
    // tanh(ε/4) = tanh(ε₀/2)·tanh(1/(2t))
    let found = epsilon(laplace("2")).to_f64();
    let expected = 4.0 * (1.5f64.tanh() * 0.25f64.tanh()).atanh();
    assert!((found - expected).abs() < 1e-10);
    // Of two counts, no outcome of any dataset has a larger loss, and some come near.
    for ones in 0..4 {
        let noise = noise_pmf(&laplace("2"), 40);
        let (p, q) = (count(3.0, 3 - ones, ones + 1, &noise), count(3.0, 4 - ones, ones, &noise));
        let losses = p.iter().zip(&q).take(p.len() - 20).skip(20).map(|(p, q)| (p / q).ln());
        let largest = 2.0 * losses.fold(0.0, f64::max);
        assert!(largest <= found + 1e-6 && largest >= 0.98 * found, "{largest} {found}");
    }
}
